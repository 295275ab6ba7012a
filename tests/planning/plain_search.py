"""Costs, distances and landmarks by plain search of all states: what the compiled search is compared with.

Landmarks are found by what they are: no goal state is reached without the fact.
"""

from dataclasses import replace

from orrery.planning.exhaustive_python import Reached, reachable
from orrery.planning.outcome import DEFAULT_LIMIT, SpaceTooLarge
from orrery.planning.task import PlanningTask, applicable, progress


def avoiding(task: PlanningTask, facts: int) -> PlanningTask:
    """Return the task without the actions that add some of ``facts``, which must not hold initially."""
    assert not task.init & facts
    return replace(task, actions=tuple(action for action in task.actions if not action.add & facts))


def optimal_cost(task: PlanningTask, *, init: int | None = None, limit: int = DEFAULT_LIMIT) -> int | None:
    """Return the number of actions of a shortest plan, or None where there is none.

    Raises:
        SpaceTooLarge: no goal state is among the first ``limit`` states.
    """
    task = task if init is None else replace(task, init=init)
    reached = reachable(task, limit=limit)
    cost = next((depth for state, depth in reached.depth.items() if task.is_goal(state)), None)
    if cost is None:
        _require_complete(task, reached, limit)
    return cost


def goal_distances(task: PlanningTask, *, limit: int = DEFAULT_LIMIT) -> dict[int, int]:
    """Return the distance to the goal of every reachable state that can reach it: h*, in actions.

    Found by value iteration backwards from the goal states.

    Raises:
        SpaceTooLarge: there are more than ``limit`` states.
    """
    reached = reachable(task, limit=limit)
    _require_complete(task, reached, limit)
    predecessors: dict[int, list[int]] = {state: [] for state in reached.depth}
    for state in reached.depth:
        for action in applicable(task, state):
            predecessors[progress(state, action)].append(state)
    distance = {state: 0 for state in reached.depth if task.is_goal(state)}
    queue = list(distance)
    for state in queue:  # grows while it is read
        for before in predecessors[state]:
            if before not in distance:
                distance[before] = distance[state] + 1
                queue.append(before)
    return distance


def is_landmark(task: PlanningTask, fact: int, *, limit: int = DEFAULT_LIMIT) -> bool:
    """Return whether no plan avoids the fact (a one-bit mask): no goal state is reached without it.

    Raises:
        SpaceTooLarge: the limit ended the search before that was known.
    """
    return bool(task.init & fact) or optimal_cost(avoiding(task, fact), limit=limit) is None


def landmarks(task: PlanningTask, *, limit: int = DEFAULT_LIMIT) -> int:
    """The mask of all facts that every plan makes true at some time; all facts where there is no plan."""
    bits = [1 << index for index in range(len(task.facts))]
    return sum(bit for bit in bits if is_landmark(task, bit, limit=limit))


def _require_complete(task: PlanningTask, reached: Reached, limit: int) -> None:
    if not reached.complete:
        raise SpaceTooLarge(task.problem.name, f"more than {limit} reachable states", "raise the limit")
