"""Applicability and progression on the bit sets of a planning task."""

from __future__ import annotations

import random
from collections.abc import Iterable

from orrery.model import Step
from orrery.planning.task import GroundAction, PlanningTask


def is_applicable(mask: int, action: GroundAction) -> bool:
    """Return whether the preconditions are a subset of the state, and the forbidden facts are outside it."""
    return mask & action.positive == action.positive and not mask & action.negative


def applicable(task: PlanningTask, mask: int) -> list[GroundAction]:
    """Return the applicable ground actions, sorted by step."""
    return [
        action
        for needed, forbidden, action in task.conditions
        if mask & needed == needed and not mask & forbidden
    ]


def progress(mask: int, action: GroundAction) -> int:
    """Return the state after ``action``."""
    return mask & ~action.delete | action.add


def run(task: PlanningTask, steps: Iterable[Step], init: int | None = None) -> list[int] | None:
    """Return the states from ``init`` (or the task's) on, or None where a step is not applicable."""
    masks = [task.init if init is None else init]
    for step in steps:
        action = task.action_of.get(step)
        if action is None or not is_applicable(masks[-1], action):
            return None
        masks.append(progress(masks[-1], action))
    return masks


def is_plan(task: PlanningTask, steps: Iterable[Step], init: int | None = None) -> bool:
    """Return whether ``steps`` lead from ``init`` (or the task's initial state) to the goal."""
    masks = run(task, steps, init)
    return masks is not None and task.is_goal(masks[-1])


def random_walk(
    task: PlanningTask, length: int, rng: random.Random, *, onward: bool = False
) -> tuple[list[Step], int]:
    """Return the steps of a random walk from the initial state, and the last state.

    No step leaves the state as it is; the walk ends early where no other step is applicable. With ``onward``
    it returns to a state that it has visited only where all successors are visited.
    """
    mask, visited, steps = task.init, {task.init}, list[Step]()
    for _ in range(length):
        moves = [(action, progress(mask, action)) for action in applicable(task, mask)]
        moves = [(action, successor) for action, successor in moves if successor != mask]
        unvisited = [move for move in moves if move[1] not in visited] if onward else []
        if not moves:
            break
        action, mask = rng.choice(unvisited or moves)
        visited.add(mask)
        steps.append(action.step)
    return steps, mask
