"""Sequences of steps made from a plan: longer plans, and ones that fail in a known way.

All work on bit sets from the state asked about; every sequence is run before it is returned.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from pipeline.questions.evidence import Evidence
from pipeline.semantics.progression import is_applicable, progress
from pipeline.semantics.task import GroundAction, Task

LONGEST = 60  # steps of a plan; longer ones are not read
TRIALS = 16

Actions = Sequence[GroundAction]


def actions_of_plan(evidence: Evidence) -> list[GroundAction] | str:
    """The plan of the state as ground actions, or why no question is made of it."""
    item = evidence.item
    if item.plan is None:
        return "unsolvable" if item.solvable is False else "no plan is known"
    if not item.plan:
        return "the goal holds already"
    if len(item.plan) > LONGEST:
        return f"plan of more than {LONGEST} steps"
    return [evidence.task.action_of[step] for step in item.plan]


def end_of(mask: int, actions: Actions) -> int | None:
    """The state after ``actions`` from ``mask``, or None where one is not applicable in turn."""
    for action in actions:
        if not is_applicable(mask, action):
            return None
        mask = progress(mask, action)
    return mask


def reaches_goal(task: Task, mask: int, actions: Actions) -> bool:
    """Whether ``actions`` are a plan from ``mask``."""
    end = end_of(mask, actions)
    return end is not None and task.is_goal(end)


def masks_along(mask: int, actions: Actions) -> list[int]:
    """The states before each of ``actions``, which are applicable in turn, and the last."""
    found = [mask]
    for action in actions:
        found.append(progress(found[-1], action))
    return found


def lengthened(
    evidence: Evidence, plan: list[GroundAction], most: int, rng: random.Random, *, at_end: bool = False
) -> list[GroundAction]:
    """A plan with up to ``most`` harmless insertions of one or two actions, before its end or ``at_end``."""
    task, done = evidence.task, 0
    for _ in range(TRIALS):
        if done == most:
            break
        place = len(plan) if at_end else rng.randrange(len(plan))
        before = end_of(task.init, plan[:place])
        added = _wander(evidence, before, rng) if before is not None else []
        if added and reaches_goal(task, before or 0, [*added, *plan[place:]]):
            plan, done = [*plan[:place], *added, *plan[place:]], done + 1
    return plan


def _wander(evidence: Evidence, mask: int, rng: random.Random) -> list[GroundAction]:
    """One or two actions from ``mask`` on; fewer where nothing is applicable."""
    found: list[GroundAction] = []
    for _ in range(rng.choice((1, 2, 2))):
        if choices := evidence.applicable_in(mask):
            found.append(rng.choice(choices))
            mask = progress(mask, found[-1])
    return found


def detoured(evidence: Evidence, plan: list[GroundAction], rng: random.Random) -> list[GroundAction]:
    """A plan in which one step gives way to two that lead to the same state, where a few trials find them."""
    task = evidence.task
    for _ in range(TRIALS // 4):
        place = rng.randrange(len(plan))
        masks = masks_along(task.init, plan[: place + 1])
        first = rng.choice(evidence.applicable_in(masks[place]))
        middle = progress(masks[place], first)
        for second in evidence.applicable_in(middle):
            if progress(middle, second) == masks[-1] and middle not in masks:
                return [*plan[:place], first, second, *plan[place + 1 :]]
    return plan
