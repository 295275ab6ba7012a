"""The states asked about, and plans unlike the best one."""

import random
from dataclasses import replace

import pytest

from orrery.model import literals
from orrery.planning.decide import decide
from orrery.planning.exhaustive_python import reachable
from orrery.planning.grounding import ground
from orrery.planning.states import asked_states, diverse_plan
from orrery.planning.task import is_plan, run, union
from tests.every_domain import easy_problems, entry

NAMES = ("blocksworld", "ferry", "visitall")
BUDGET = {"max_states": 5_000, "seconds": 5.0}


def tasks(name, count=12):
    found = (ground(entry(name).domain, problem) for problem in easy_problems(name, count))
    return [task for task in found if not task.is_goal(task.init)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blocksworld", "visitall"])
@pytest.mark.parametrize("max_states", [1, 5_000], ids=["planner", "exhaustive"])
def test_a_diverse_plan_is_a_plan_that_avoids_something_or_differs(name, max_states):
    avoiding = 0
    for number, task in enumerate(tasks(name)):
        decided = decide(task, **BUDGET)
        found = diverse_plan(task, decided, random.Random(number), max_states=max_states, seconds=5.0)
        if found is None:
            continue
        assert is_plan(task, found.steps)
        assert found.steps != decided.plan.steps
        met, other = (union(run(task, plan.steps)) for plan in (decided.plan, found))
        avoiding += bool(met & ~other)
    assert avoiding


@pytest.mark.parametrize("name", NAMES)
def test_states_take_turns_differ_and_keep_what_is_left_of_their_plan(name):
    sources = set()
    for number, task in enumerate(tasks(name)):
        rng = random.Random(number)
        decided = decide(task, **BUDGET)
        other = diverse_plan(task, decided, rng, **BUDGET)
        found = list(asked_states(task, decided.plan, other, 6, rng))
        sources |= {asked.source for asked in found}
        masks = [task.mask(asked.state) for asked in found]
        assert len({task.init, *masks}) == len(found) + 1
        assert len({(asked.source, asked.step) for asked in found}) == len(found)
        assert set(masks) <= set(reachable(task).states)
        for asked, mask in zip(found, masks, strict=True):
            assert not task.is_goal(mask)
            assert (asked.rest is None) == (asked.source == "walk")
            if asked.rest is not None:
                whole = decided.plan if asked.source == "plan" else other
                assert whole.steps[asked.step :] == asked.rest
                assert run(task, whole.steps[: asked.step])[-1] == mask
    assert sources == {"plan", "diverse", "walk"}


def test_without_a_plan_all_states_are_on_walks():
    task = tasks("ferry")[0]
    found = list(asked_states(task, None, None, 4, random.Random(1)))
    assert {asked.source for asked in found} == {"walk"}


def test_there_is_no_diverse_plan_where_no_plan_is_known_or_nothing_is_to_be_done():
    task = tasks("ferry")[0]
    unknown = decide(task, max_states=1, calls=0)
    assert diverse_plan(task, unknown, random.Random(0), **BUDGET) is None
    there = ground(task.domain, replace(task.problem, goal=literals(task.problem.init)))
    done = decide(there, **BUDGET)
    assert done.plan.steps == ()
    assert diverse_plan(there, done, random.Random(0), **BUDGET) is None
