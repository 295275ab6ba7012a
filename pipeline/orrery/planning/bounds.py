"""A lower bound on the number of steps of every plan: landmarks without a common achiever are counted."""

from __future__ import annotations

from orrery.planning.landmarks import relaxed_landmarks
from orrery.planning.task import PlanningTask, bits


def landmark_bound(task: PlanningTask) -> int:
    """Return a lower bound on the number of steps of every plan of a solvable task.

    Every plan makes each landmark of the delete relaxation true. Landmarks are taken in the order of the
    number of actions that add them, then of the facts, if no action adds an earlier one, too; so each needs
    another step. This is the greedy cost partitioning of Karpas and Domshlak ("Cost-optimal planning with
    landmarks", 2009) for unit costs.
    """
    landmarks = relaxed_landmarks(task, task.init) & ~task.init
    achievers: dict[int, set[int]] = {fact: set() for fact in bits(landmarks)}
    for number, action in enumerate(task.actions):
        for fact in bits(action.add & landmarks):
            achievers[fact].add(number)
    used, bound = set[int](), 0
    for _, fact in sorted((len(actions), fact) for fact, actions in achievers.items()):
        if used.isdisjoint(achievers[fact]):
            used |= achievers[fact]
            bound += 1
    return bound
