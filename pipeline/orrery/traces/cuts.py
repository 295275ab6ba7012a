"""Lower bounds of plan costs: sets of actions of which every plan has one, each with a part of their costs.

The landmark cuts of Helmert and Domshlak ("Landmarks, critical paths and abstractions: what's the difference
anyway?", 2009). Of several actions with equal claims, a random stream chooses; some draws are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from orrery.model import Step
from orrery.planning.task import GroundAction, PlanningTask, bits

DRAWS = 6
ALWAYS = -1  # stands for the precondition of actions that need no fact


class Cut(NamedTuple):
    """Actions of which every plan has one; ``counted`` of the cost of each is part of the bound."""

    steps: frozenset[Step]
    counted: int


def cuts_of_bound(
    task: PlanningTask, cost_of: Callable[[Step], int], bound: int, rng: Random
) -> list[Cut] | None:
    """Return cuts that prove that every plan costs at least ``bound``; None if no draw proves it."""
    for _ in range(DRAWS):
        cuts = [*_cuts(task, cost_of, rng)]
        if sum(cut.counted for cut in cuts) >= bound:
            return cuts
    return None


def _cuts(task: PlanningTask, cost_of: Callable[[Step], int], rng: Random) -> Iterator[Cut]:
    """Yield the cuts of one draw, until the rest of the costs proves nothing."""
    order = [*range(len(task.facts))]
    rng.shuffle(order)
    costs = [cost_of(action.step) for action in task.actions]
    needs = [bits(action.positive) for action in task.actions]
    adds = [bits(action.add) for action in task.actions]
    while True:
        values = _maximum_costs(task.init, costs, needs, adds)
        goal = _hardest(task.goal_positive, values, order)
        if not values.get(goal):
            return
        hardest = [_hardest(action.positive, values, order) for action in task.actions]
        zone = _goal_zone(task.actions, costs, hardest, goal)
        cut = _entering(task, hardest, values, zone)
        counted = min((costs[place] for place in cut), default=0)
        if not counted:
            return
        for place in cut:
            costs[place] -= counted
        yield Cut(frozenset(task.actions[place].step for place in cut), counted)


def _maximum_costs(
    init: int, costs: list[int], needs: list[list[int]], adds: list[list[int]]
) -> dict[int, int]:
    """Return h-max of each fact by its index, from the state ``init``; facts out of reach are missing.

    ``costs``, ``needs`` and ``adds`` are those of each action.
    """
    values = {ALWAYS: 0, **dict.fromkeys(bits(init), 0)}
    changed = True
    while changed:
        changed = False
        for place, needed in enumerate(needs):
            if not values.keys() >= {*needed}:
                continue
            value = max((values[fact] for fact in needed), default=0) + costs[place]
            for fact in adds[place]:
                if value < values.get(fact, value + 1):
                    values[fact], changed = value, True
    return values


def _hardest(facts: int, values: dict[int, int], order: list[int]) -> int:
    """Return the index of the fact with the highest value; a missing one is higher than all."""
    infinite = max(values.values()) + 1
    return max(bits(facts), key=lambda fact: (values.get(fact, infinite), order[fact]), default=ALWAYS)


def _goal_zone(
    actions: tuple[GroundAction, ...], costs: list[int], hardest: list[int], goal: int
) -> set[int]:
    """Return the facts from which actions without costs lead to the goal, by their hardest preconditions."""
    zone, mask, grown = {goal}, 1 << goal, True
    while grown:
        grown = False
        for place, action in enumerate(actions):
            before = hardest[place]
            if not costs[place] and action.add & mask and before != ALWAYS and before not in zone:
                zone.add(before)
                mask |= 1 << before
                grown = True
    return zone


def _entering(task: PlanningTask, hardest: list[int], values: dict[int, int], zone: set[int]) -> list[int]:
    """Return the places of the actions that enter the goal zone from facts that are reached outside it."""
    inside = sum(1 << fact for fact in zone)
    outside = {ALWAYS, *bits(task.init)}
    entering = set[int]()
    grown = True
    while grown:
        grown = False
        for place, action in enumerate(task.actions):
            if hardest[place] not in outside or hardest[place] not in values:
                continue
            if action.add & inside:
                entering.add(place)
            for fact in bits(action.add & ~inside):
                if fact not in outside:
                    outside.add(fact)
                    grown = True
    return sorted(entering)
