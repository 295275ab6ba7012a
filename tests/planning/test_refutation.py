"""Refutations are right wherever they are given, and are given for goals that are plainly impossible."""

import random
from collections import Counter

import pytest
from hypothesis import given

from orrery.planning.exhaustive import explore
from orrery.planning.grounding import ground
from orrery.planning.refutation import CONTRADICTION, MUTEX, RELAXATION, refuted
from tests.effort import examples
from tests.every_domain import entry
from tests.planning.random_tasks import task_of, tasks
from tests.scoring.problems.arbitrary import NAMES, changed, made_up


@examples(300)
@given(tasks(stride=30))
def test_nothing_that_has_a_plan_is_refuted(task):
    if refuted(task):
        assert explore(task).optimal_plan() is None


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_on_arbitrary_problems_of_every_domain(name):
    rng, domain = random.Random(11), entry(name).domain
    seen = Counter()
    for number in range(80):
        problem = (changed if number % 2 else made_up)(name, rng)
        if problem is None:
            continue
        task = ground(domain, problem)
        space = explore(task)
        if space.complete:
            reason, solvable = refuted(task), space.optimal_plan() is not None
            assert not (reason and solvable), problem
            seen[solvable, bool(reason)] += 1
    # Most of what has no plan is refuted.
    assert seen[False, True] > seen[False, False]
    assert seen[True, False]


def test_the_named_reasons():
    assert refuted(task_of(2, [(1, 0, 2, 0)], 1, 2, 2)) == CONTRADICTION
    assert refuted(task_of(2, [(2, 0, 1, 0)], 0, 1)) == ""  # preconditions out of reach are not looked at
    assert refuted(task_of(2, [], 0, 1)) == RELAXATION
    assert refuted(task_of(2, [(0, 0, 2, 0)], 1, 2, 1)) == RELAXATION  # nothing deletes the first fact
    assert refuted(task_of(2, [(1, 0, 2, 1), (2, 0, 1, 2)], 1, 3)) == MUTEX
    assert refuted(task_of(2, [(1, 0, 2, 1), (2, 0, 1, 2)], 1, 2)) == ""
    assert refuted(task_of(1, [], 1, 1)) == ""
    assert refuted(task_of(1, [], 0, 0)) == ""
