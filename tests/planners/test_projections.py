"""What projections say of goal states, against all of these."""

from functools import reduce
from operator import and_

import pytest
from hypothesis import given

from orrery.planners.exhaustive import Explorer
from orrery.planners.exhaustive_python import reachable
from orrery.planners.projections import holding_in_goal
from orrery.planners.refutation import projected
from orrery.planners.relaxed import Relaxation
from orrery.semantics.grounding import ground
from tests.analysis.small_tasks import object_task, random_task
from tests.effort import examples
from tests.every_domain import CATALOG, drawn, easy_problems, entry
from tests.planners.random_tasks import tasks
from tests.planners.test_guided import masks_task

TASKS = [*map(random_task, range(30)), *map(masks_task, range(30)), *map(object_task, range(15))]


def held(task, states=10_000):
    return holding_in_goal(task, Relaxation(Explorer(task)).pairs, states)


def check(task, states=10_000):
    """What is said holds in every goal state; the number of facts beyond the goal that are said to hold."""
    goals = [state for state in reachable(task).states if task.is_goal(state)]
    every = (1 << len(task.facts)) - 1
    truth, said = reduce(and_, goals, every), held(task, states)
    assert said & task.goal_positive == task.goal_positive
    assert said & truth == said
    return (said & ~task.goal_positive).bit_count()


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.problem.name)
def test_what_is_said_holds_in_every_goal_state(task):
    check(task)


@examples(200)
@given(tasks())
def test_what_is_said_of_random_masks_holds_in_every_goal_state(task):
    check(task)


@pytest.mark.parametrize("name", CATALOG.names)
def test_easy_problems_of_every_domain(name):
    for problem in easy_problems(name, 2):
        task = ground(entry(name).domain, problem)
        if reachable(task, limit=20_000).complete:
            check(task)


@pytest.mark.parametrize("facts", [0b0011, 0b1010, 0b1111])
def test_a_projection_reaches_what_the_task_does(facts):
    for task in TASKS[:30]:
        small = {state & facts for state in reachable(projected(task, facts, task.actions)).states}
        assert {state & facts for state in reachable(task).states} <= small


def test_what_stands_in_a_tower_is_at_its_place():
    """Crates stacked on a pallet end where it stands, each because of the one below."""
    here = entry("depots")
    for number in range(20):
        made = drawn("depots", here.tasks[number % len(here.tasks)], "medium", number)
        task = ground(here.domain, made.problem)
        goal = task.facts_of(task.goal_positive)
        places = {fact[1]: fact[2] for fact in task.facts_of(held(task, 200_000)) if fact[0] == "at"}
        on = {fact[1]: fact[2] for fact in goal if fact[0] == "on"}
        if goal and len(on) == len(goal) and set(on.values()) - on.keys() <= places.keys():
            assert all(places[crate] == places[below] for crate, below in on.items())
            return
    raise AssertionError("no goal is a tower")


def test_projections_with_more_states_than_allowed_are_left_out():
    found = [[check(task, states) for task in TASKS] for states in (1, 3, 10_000)]
    assert sum(found[0]) < sum(found[1]) <= sum(found[2])
