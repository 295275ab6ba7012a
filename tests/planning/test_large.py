"""Tasks that are explored whole, decided again as if they were too large: the same answers, or none."""

import random
from dataclasses import replace

import pytest

from orrery.model import Plan
from orrery.planning.decide import decide
from orrery.planning.grounding import ground
from orrery.planning.states import asked_states
from tests.every_domain import CATALOG, drawn, entry
from tests.planning.test_decide import said

KINDS = {"landmarks": "landmark", "facts": "fact", "actions": "action", "optimal_first_actions": "next"}
TINY = {"max_states": 60, "calls": 40, "seconds": 5.0}


def compare(task, known=None):
    """Where both routes state a set it is the same; the number of sets that the second leaves open."""
    explored = decide(task, max_states=100_000)
    if explored.num_states is None or explored.num_steps > 100_000:
        return 0, 0
    found = decide(task, plan=known, **TINY)
    truth, stated = said(task, explored), said(task, found)
    assert found.solvable in (None, explored.solvable)
    assert found.optimal_cost in (None, explored.optimal_cost)
    open_sets = 0
    for what, kind in KINDS.items():
        complete = found.is_complete(kind) and found.solvable is not None
        open_sets += not complete
        assert stated[what] == truth[what] if complete else stated[what] <= truth[what]
    assert found.reachable_actions <= explored.reachable_actions
    return open_sets, len(KINDS)


def tasks(name, difficulty, count):
    here = entry(name)
    for number in range(count):
        made = drawn(name, here.tasks[number % len(here.tasks)], difficulty, number)
        if made is not None:
            yield ground(here.domain, made.problem)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", CATALOG.names)
def test_medium_problems_and_states_on_their_ways(name):
    totals = [0, 0]
    for number, task in enumerate(tasks(name, "medium", 2)):
        rng = random.Random(number)
        plan = decide(task, max_states=2_000).plan
        starts = [(task.problem.init, None)]
        starts += [(asked.state, asked.rest) for asked in asked_states(task, plan, None, 3, rng)]
        for state, rest in starts:
            there = ground(task.domain, replace(task.problem, init=state))
            known = Plan(rest, "rest") if rest is not None else None
            totals = [total + new for total, new in zip(totals, compare(there, known), strict=True)]
    assert totals[0] <= totals[1] / 2


@pytest.mark.parametrize("name", ["ferry", "grippers", "visitall"])
def test_a_problem_of_medium_size(name):
    decided = [compare(task) for task in tasks(name, "medium", 2)]
    assert sum(total for _, total in decided)
    assert sum(left for left, _ in decided) <= 2
