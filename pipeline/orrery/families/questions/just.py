"""Justification: a plan from which one action, or two consecutive ones, can be removed.

What can be removed is found by carrying out the plan without it. Where nothing can, as in every shortest
plan, one or two actions are inserted first that can be removed again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from orrery.families.questions.context import context_of, say
from orrery.families.questions.item import NotAsked, QuestionRow, StateRecord, drawn
from orrery.language.words import Words
from orrery.model import Step
from orrery.pddl.write import write_atom
from orrery.semantics.progression import applicable, is_applicable, progress, run
from orrery.semantics.task import GroundAction, PlanningTask

KIND = "just"
GROUP = "action_justification_gen"
MOST = 100  # actions of the plan before anything is inserted
TRIES = 12  # places where an insertion is tried
SINGLE = 0.4  # how often one action is tried before two


class Removal(NamedTuple):
    """``length`` actions from position ``start`` on that a plan can do without."""

    start: int
    length: int


def make(item: StateRecord, words: Words, rng: random.Random) -> QuestionRow | NotAsked:
    """The question for a shorter plan; asked where a plan is known that is not too long."""
    if item.aimless or item.plan is None:
        return NotAsked(item.aimless or "no plan is known")
    if len(item.plan) > MOST:
        return NotAsked(f"plan with over {MOST} actions")
    found = simplifiable(item, rng)
    if found is None:
        return NotAsked("no plan found that can be simplified")
    steps, removable = found
    plan = list(map(write_atom, steps))
    texts = say(context_of(item, words), KIND, rng, " ".join(plan))
    extra = {"plan": plan, "positions": [removal.start for removal in removable]}
    return QuestionRow(item, KIND, GROUP, texts, [_named(plan, each) for each in removable], extra=extra)


def simplifiable(item: StateRecord, rng: random.Random) -> tuple[list[Step], list[Removal]] | None:
    """A plan and all that can be removed from it, at least one thing; None where no such plan was found.

    It is the item's plan where that will do, otherwise one made longer. All occurrences of a removable
    pair are removable, so that its names alone say what is meant. The item must have a plan.
    """
    task = item.task
    plan = [task.action_of[step] for step in item.plan or ()]
    for longer in _candidates(task, plan, item.way, rng):
        found = removals(task, longer)
        if found and _agree(longer, found):
            return [action.step for action in longer], found
    return None


def removals(task: PlanningTask, plan: Sequence[GroundAction]) -> list[Removal]:
    """Each action, and each two consecutive ones, without which ``plan`` still is a valid plan; sorted.

    Decided by carrying out what remains; the plan itself must be valid.
    """
    way = run(task, [action.step for action in plan]) or []
    return [
        Removal(start, length)
        for start in range(len(plan))
        for length in (1, 2)
        if start + length <= len(plan) and _leads(task, way[start], plan, way, start + length)
    ]


def _leads(
    task: PlanningTask, mask: int, plan: Sequence[GroundAction], way: Sequence[int], onwards: int
) -> bool:
    """Whether the actions of ``plan`` from ``onwards`` on lead from the state ``mask`` to the goal.

    ``way`` are the states of the plan, from any of which the rest of it leads there.
    """
    for number in range(onwards, len(plan)):
        if mask == way[number]:
            return True
        if not is_applicable(mask, plan[number]):
            return False
        mask = progress(mask, plan[number])
    return task.is_goal(mask)


def _candidates(
    task: PlanningTask, plan: list[GroundAction], way: Sequence[int], rng: random.Random
) -> Iterator[list[GroundAction]]:
    """The plan, then plans with one or two more actions."""
    yield plan
    for _ in range(TRIES):
        place = rng.randint(0, len(plan))
        if detour := _detour(task, plan, way, place, rng):
            yield [*plan[:place], *detour, *plan[place:]]


def _detour(
    task: PlanningTask, plan: list[GroundAction], way: Sequence[int], place: int, rng: random.Random
) -> list[GroundAction]:
    """One or two actions after which the rest of the plan still leads to the goal; empty where none."""
    first_choices = applicable(task, way[place])
    if not first_choices:
        return []
    first = drawn(first_choices, rng)
    mask = progress(way[place], first)
    if rng.random() < SINGLE and _leads(task, mask, plan, way, place):
        return [first]
    seconds = [
        action for action in applicable(task, mask) if _leads(task, progress(mask, action), plan, way, place)
    ]
    return [first, drawn(seconds, rng)] if seconds else []


def _agree(plan: Sequence[GroundAction], found: Sequence[Removal]) -> bool:
    """Whether the pairs that can be removed can be removed wherever they occur."""
    starts = {removal.start for removal in found if removal.length == 2}
    pairs = [(one.step, other.step) for one, other in pairwise(plan)]
    removable = {pairs[start] for start in starts}
    return all(start in starts for start, pair in enumerate(pairs) if pair in removable)


def _named(plan: list[str], removal: Removal) -> list[str]:
    """``[a, b, "-1"]`` for two consecutive actions, ``[a, "k"]`` for the k-th occurrence of one."""
    start, length = removal
    if length == 2:
        return [*plan[start : start + 2], "-1"]
    return [plan[start], str(plan[: start + 1].count(plan[start]))]
