"""Goals drawn for a state: some facts of a state within reach, of the predicates of the problem's goal."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

from orrery.families.plans.source import Source
from orrery.families.plans.space import Space
from orrery.model import Literal, Problem, literals

FEWEST, MOST = 2, 5  # facts of a goal that is drawn


def drawn_goal(source: Source, space: Space, rng: random.Random) -> frozenset[Literal] | None:
    """Return a goal that holds in a state drawn from all within reach, not in the source; None: not found.

    It has about as many facts as the problem's own goal, of the same predicates where the state has any.
    """
    kinds = {atom[0] for atom in source.problem.goal_facts}
    state = space.mask(rng.randrange(len(space)))
    facts = sorted(space.task.facts_of(state))
    goal_facts = [fact for fact in facts if fact[0] in kinds] or facts
    fewest, most = (
        min(FEWEST, len(goal_facts)),
        min(MOST, max(FEWEST, len(source.problem.goal)), len(goal_facts)),
    )
    if not goal_facts:
        return None
    chosen = rng.sample(goal_facts, rng.randint(fewest, max(fewest, most)))
    if all(space.task.bit[fact] & space.task.init for fact in chosen):
        return None
    return literals(chosen)


def masks_of(space: Space, goal: Iterable[Literal]) -> tuple[int, int] | None:
    """Return the bit sets of a goal's facts, those wanted true and those wanted false; None: one cannot hold.

    Static facts that hold are passed over; a fact that no state has is false everywhere.
    """
    positive = negative = 0
    for atom, sign in goal:
        if sign and atom not in space.task.statics:
            if atom not in space.task.bit:
                return None
            positive |= space.task.bit[atom]
        elif not sign:
            if atom in space.task.statics:
                return None
            negative |= space.task.bit.get(atom, 0)
    return positive, negative


def with_goal(problem: Problem, goal: frozenset[Literal]) -> Problem:
    """Return the problem with another goal."""
    return replace(problem, goal=goal)
