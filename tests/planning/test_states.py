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
    tasks = (ground(entry(name).domain, problem) for problem in easy_problems(name, count))
    return [task for task in tasks if not task.is_goal(task.init)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blocksworld", "visitall"])
@pytest.mark.parametrize("max_states", [1, 5_000], ids=["planner", "exhaustive"])
def test_a_diverse_plan_is_a_plan_that_avoids_something_or_differs(name, max_states):
    avoiding = 0
    for number, task in enumerate(tasks(name)):
        decided = decide(task, **BUDGET)
        plan_found = diverse_plan(task, decided, random.Random(number), max_states=max_states, seconds=5.0)
        if plan_found is None:
            continue
        assert is_plan(task, plan_found.steps)
        assert plan_found.steps != decided.plan.steps
        met, met_diverse = (union(run(task, plan.steps)) for plan in (decided.plan, plan_found))
        avoiding += bool(met & ~met_diverse)
    assert avoiding


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_states_take_turns_differ_and_keep_what_is_left_of_their_plan(name):
    sources = set()
    for number, task in enumerate(tasks(name)):
        rng = random.Random(number)
        decided = decide(task, **BUDGET)
        diverse = diverse_plan(task, decided, rng, **BUDGET)
        states_asked = list(asked_states(task, decided.plan, diverse, 6, rng))
        sources |= {state_asked.source for state_asked in states_asked}
        masks = [task.mask(state_asked.state) for state_asked in states_asked]
        assert len({task.init, *masks}) == len(states_asked) + 1
        assert len({(state_asked.source, state_asked.step) for state_asked in states_asked}) == len(
            states_asked
        )
        assert set(masks) <= set(reachable(task).states)
        for state_asked, mask in zip(states_asked, masks, strict=True):
            assert not task.is_goal(mask)
            assert (state_asked.rest is None) == (state_asked.source == "walk")
            if state_asked.rest is not None:
                whole = decided.plan if state_asked.source == "plan" else diverse
                assert whole.steps[state_asked.step :] == state_asked.rest
                assert run(task, whole.steps[: state_asked.step])[-1] == mask
    assert sources == {"plan", "diverse", "walk"}


def test_without_a_plan_all_states_are_on_walks():
    task = tasks("ferry")[0]
    states_asked = list(asked_states(task, None, None, 4, random.Random(1)))
    assert {state_asked.source for state_asked in states_asked} == {"walk"}


def test_there_is_no_diverse_plan_where_no_plan_is_known_or_nothing_is_to_be_done():
    task = tasks("ferry")[0]
    unknown = decide(task, max_states=1, calls=0)
    assert diverse_plan(task, unknown, random.Random(0), **BUDGET) is None
    task_there = ground(task.domain, replace(task.problem, goal=literals(task.problem.init)))
    done = decide(task_there, **BUDGET)
    assert done.plan.steps == ()
    assert diverse_plan(task_there, done, random.Random(0), **BUDGET) is None
