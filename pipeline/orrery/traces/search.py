"""A short sequence of steps to a condition, by best-first search with a small limit."""

from __future__ import annotations

from collections.abc import Collection
from heapq import heappop, heappush

from orrery.model import Step
from orrery.planning.task import PlanningTask

STATES = 4_000
WEIGHT = 3


def way_to(
    task: PlanningTask, positive: int, negative: int, excluded: Collection[Step] = (), weight: int = WEIGHT
) -> list[Step] | None:
    """Return steps to a state with the facts ``positive`` and without ``negative``; None if none is found.

    Args:
        task: the planning task.
        positive: the facts that are to hold, as a mask.
        negative: the facts that are not to hold.
        excluded: actions that are not done.
        weight: of a literal that does not hold yet, in steps; 0 gives shortest ways.
    """
    actions = [
        (action.positive, action.negative, ~action.delete, action.add, action.step)
        for action in task.actions
        if action.step not in excluded
    ]
    reached: dict[int, tuple[int, Step]] = {task.init: (task.init, ())}

    def missing(state: int) -> int:
        return (positive & ~state).bit_count() + (negative & state).bit_count()

    queue = [(weight * missing(task.init), 0, 0, task.init)]
    while queue:
        _, depth, _, state = heappop(queue)
        if not missing(state):
            return _steps(reached, state)
        for needed, forbidden, kept, added, step in actions:  # calling ``progress`` takes twice as long
            if state & needed != needed or state & forbidden:
                continue
            successor = state & kept | added
            if successor not in reached and len(reached) < STATES:
                reached[successor] = state, step
                rank = depth + 1 + weight * missing(successor)
                heappush(queue, (rank, depth + 1, len(reached), successor))
    return None


def _steps(reached: dict[int, tuple[int, Step]], state: int) -> list[Step]:
    """Return the steps to a state, from the state before and the step of each."""
    steps = []
    while reached[state][1]:
        state, step = reached[state]
        steps.append(step)
    return steps[::-1]
