"""Planners and closure rules on valid problems that no generator makes: things in two places, vague types.

Models write such problems. What a domain's code says of them is true, or it says nothing.
"""

import random
from dataclasses import replace

import pytest

from orrery.model import OrreryError, TypedName, literals
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_problem
from orrery.planning.execution import check_plan
from orrery.planning.exhaustive_python import reachable
from orrery.planning.grounding import ground
from tests.effort import some
from tests.every_domain import CATALOG, easy_problems, entry
from tests.scoring.problems.arbitrary import atoms

RULED = [name for name in CATALOG.names if entry(name).closure_rule]
PLANNED = [name for name in CATALOG.names if entry(name).planner]
MOST_OBJECTS, MOST_STATES = 12, 2_000
ENOUGH = 10  # problems of which the code says something


def odd_problems(name, count):
    """Small problems with facts added or taken away, or with an object of another type."""
    domain, rng = entry(name).domain, random.Random(7)
    small = [each for each in easy_problems(name, 60) if len(each.objects) <= MOST_OBJECTS]
    for _ in range(count):
        problem = changed(rng.choice(small), domain, rng)
        try:
            yield read_problem(write_problem(problem), domain)
        except OrreryError:  # what has another type now does not fit where it stands
            continue


def changed(problem, domain, rng):
    """The problem with a wild initial state, its own goal or another."""
    objects, init = list(problem.objects), set(problem.init)
    if domain.types and rng.random() < 0.4:
        place = rng.randrange(len(objects))
        name, (kind,) = objects[place]
        objects[place] = TypedName(name, (rng.choice(sorted(domain.ancestors[kind])),))
        init -= {fact for fact in init if fact[1:2] == (name,) and rng.random() < 0.5}
    every = atoms(domain, objects)
    if objects == list(problem.objects) or rng.random() < 0.2:
        said = rng.choice(sorted(init))
        again = [fact for fact in every if fact[1:2] == said[1:2] and fact[0] in domain.fluents]
        init -= {said} if rng.random() < 0.3 else set()
        init |= {rng.choice(again)} if again else set()
    if init and rng.random() < 0.3:
        init -= {rng.choice(sorted(init))}
    goal = problem.goal
    if rng.random() < 0.7:
        wanted = rng.sample(every, min(len(every), rng.randint(0, 2)))
        goal = literals(fact for fact in wanted if fact[0] in domain.fluents)
    return replace(problem, objects=tuple(objects), init=frozenset(init), goal=goal)


@pytest.mark.parametrize("name", RULED)
def test_closure_rules_are_right_or_say_nothing(name):
    here, answers, passed = entry(name), 0, 0
    for problem in odd_problems(name, some(3000)):
        found = here.closure_rule(problem)
        if found is None:
            passed += 1
            continue
        task = ground(here.domain, problem)
        space = reachable(task, limit=MOST_STATES)
        if space.complete:
            always = space.goal_intersection()
            assert always is not None, problem
            expected = {fact for fact in task.facts_of(always[0]) if fact[0] in here.domain.fluents}
            assert found == expected, problem
            answers += 1
    assert answers > ENOUGH
    assert passed > ENOUGH


@pytest.mark.parametrize("name", PLANNED)
def test_plans_run_or_there_are_none(name):
    here, plans = entry(name), 0
    for problem in odd_problems(name, some(4000)):
        steps = here.planner(problem)
        plans += steps is not None
        assert steps is None or check_plan(here.domain, problem, steps).valid, problem
    assert plans > ENOUGH
