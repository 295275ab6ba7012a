"""Count landmarks that no action adds together, each proven by the relaxation without its achievers.

``planning.landmarks`` computes a fixpoint over all facts. Here, each fact that a relaxed plan adds is
tested by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

from orrery.planning.task import GroundAction, PlanningTask


def landmark_bound(task: PlanningTask) -> int:
    """Return a lower bound on the number of steps of every plan.

    Landmarks are taken in the order of the number of their achievers, then of the facts, if no achiever adds
    an earlier one, too. Return 0 if the relaxation does not reach the goal.
    """
    adding: dict[int, list[int]] = {}
    for bit in sorted(_added_by_relaxed_plan(task)):
        if is_relaxed_landmark(task, bit):
            adding[bit] = [number for number, action in enumerate(task.actions) if action.add & bit]
    taken = set[int]()
    bound = 0
    for bit in sorted(adding, key=lambda bit: (len(adding[bit]), bit)):
        if taken.isdisjoint(adding[bit]):
            taken.update(adding[bit])
            bound += 1
    return bound


def is_relaxed_landmark(task: PlanningTask, bit: int) -> bool:
    """Return whether the relaxation does not reach the goal without the actions that add a fact."""
    missing = task.goal_positive & ~task.init
    for _, news in _applied(task.init, [action for action in task.actions if not action.add & bit]):
        missing &= ~news
        if not missing:
            break
    return bool(missing)


def _added_by_relaxed_plan(task: PlanningTask) -> set[int]:
    """Return the facts that are false initially and true after some relaxed plan, each as one bit."""
    adders: dict[int, GroundAction] = {}
    for action, news in _applied(task.init, list(task.actions)):
        adders |= dict.fromkeys(_single(news), action)
    needed, done, added = list(_single(task.goal_positive & ~task.init)), set[int](), set[int]()
    while needed:
        bit = needed.pop()
        if bit not in adders:
            return set()
        if bit not in done:
            done.add(bit)
            added |= set(_single(adders[bit].add & ~task.init))
            needed += _single(adders[bit].positive & ~task.init)
    return added


def relaxed_facts(facts: int, actions: list[GroundAction]) -> int:
    """Return the facts that actions reach if no true fact ever becomes false."""
    return reduce(or_, (news for _, news in _applied(facts, actions)), facts)


def _applied(facts: int, actions: list[GroundAction]) -> Iterator[tuple[GroundAction, int]]:
    """Yield each action that adds something, with the new facts, until nothing is new."""
    before = -1
    while facts != before:
        before, waiting = facts, []
        for action in actions:
            if action.positive & ~facts:
                waiting.append(action)
            elif news := action.add & ~facts:
                facts |= news
                yield action, news
        actions = waiting


def _single(mask: int) -> Iterator[int]:
    while mask:
        yield mask & -mask
        mask &= mask - 1
