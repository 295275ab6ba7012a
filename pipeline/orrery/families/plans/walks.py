"""Sequences of steps drawn at random, none of which leaves the state as it was."""

from __future__ import annotations

import random

from orrery.model import Step
from orrery.semantics.progression import applicable, progress
from orrery.semantics.task import PlanningTask


def walk(
    task: PlanningTask, length: int, rng: random.Random, *, onward: bool = False
) -> tuple[list[Step], int]:
    """Return steps from the initial state and where they lead; fewer where nothing more can be done.

    With ``onward`` states that the walk has met are entered only where there are no others.
    """
    mask, met, found = task.init, {task.init}, list[Step]()
    for _ in range(length):
        moves = [(action, progress(mask, action)) for action in applicable(task, mask)]
        moves = [each for each in moves if each[1] != mask]
        fresh = [each for each in moves if each[1] not in met] if onward else []
        if not moves:
            break
        action, mask = rng.choice(fresh or moves)
        met.add(mask)
        found.append(action.step)
    return found, mask
