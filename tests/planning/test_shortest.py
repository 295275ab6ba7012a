"""First actions of shortest plans by planner calls, against plain search; the planner is asked little."""

import pytest

from orrery.model import Proof
from orrery.planning import evidence
from orrery.planning.decide import decide
from orrery.planning.exhaustive_python import reachable
from orrery.planning.fast_downward import SHORTEST, solve
from orrery.planning.shortest import beginning_with
from orrery.planning.task import applicable, progress
from tests.planning.plain_search import optimal_cost
from tests.planning.random_tasks import masks_task
from tests.planning.small_tasks import object_task, random_task

TASKS = [
    *map(random_task, range(20)),
    *map(masks_task, range(20)),
    *map(object_task, (0, 1, 2, 3, 4, 6, 8, 9, 10)),
]


def solvable_tasks():
    return [task for task in TASKS if (optimal_cost(task) or 0) >= 1 and reachable(task, limit=500).complete]


def test_a_plan_that_must_begin_with_certain_actions_is_as_long_as_the_shortest_of_these():
    for task in solvable_tasks()[:12]:
        steps = [action.step for action in applicable(task, task.init)]
        for chosen in (steps, steps[:1], steps[1:]):
            costs = [optimal_cost(task, init=progress(task.init, task.action_of[step])) for step in chosen]
            shortest = min((cost + 1 for cost in costs if cost is not None), default=None)
            plan = solve(beginning_with(task, chosen), planner=SHORTEST).plan
            assert (plan and len(plan.steps)) == shortest


@pytest.mark.slow
def test_first_actions_take_fewer_calls_than_there_are_actions(monkeypatch):
    calls = []
    monkeypatch.setattr(
        evidence, "solve", lambda *task, **options: calls.append(options) or solve(*task, **options)
    )
    wide = 0
    for task in solvable_tasks():
        calls.clear()
        decided = decide(task, max_states=1, calls=1000)
        assert decided.is_complete("next")
        searches = sum(options["planner"] == SHORTEST for options in calls)
        assert searches <= 1 + len(applicable(task, task.init))
        wide += searches < len(applicable(task, task.init))
        if searches:
            assert decided.plan.optimal is Proof.ASTAR
            assert set(decided.optimal_first_actions.values()) == {Proof.ASTAR}
    assert wide
