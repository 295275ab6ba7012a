"""A planning task: a problem grounded to facts and ground actions, with states as bit sets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from orrery.model import Atom, Domain, Problem, State, Step


def bits(mask: int) -> list[int]:
    """Return the indices of the bits that are set, ascending."""
    indices = []
    while mask:
        low = mask & -mask
        indices.append(low.bit_length() - 1)
        mask ^= low
    return indices


def union(masks: Iterable[int]) -> int:
    """Return the facts that hold in some of the states ``masks``."""
    united = 0
    for mask in masks:
        united |= mask
    return united


class GroundAction(NamedTuple):  # made by the thousand: a frozen dataclass takes several times as long
    """A step with its preconditions of both signs and its effects as masks over ``Task.facts``.

    ``delete`` leaves out what is added too.
    """

    step: Step
    positive: int
    negative: int
    add: int
    delete: int


@dataclass(frozen=True)
class PlanningTask:
    """Facts, ground actions, initial state and goal.

    ``facts``, sorted, are the fluent facts that the delete relaxation reaches, and the facts of the
    goal that are not statically true. Bit ``i`` of a state says whether ``facts[i]`` holds.
    ``actions``, sorted by step, are the ground actions that the delete relaxation reaches;
    preconditions that hold in every state are left out of them. ``statics`` hold in every state.
    """

    domain: Domain
    problem: Problem
    facts: tuple[Atom, ...]
    actions: tuple[GroundAction, ...]
    init: int
    goal_positive: int
    goal_negative: int
    statics: State

    @cached_property
    def bit(self) -> dict[Atom, int]:
        """Each fact's one-bit mask."""
        return {fact: 1 << index for index, fact in enumerate(self.facts)}

    @cached_property
    def conditions(self) -> list[tuple[int, int, GroundAction]]:
        """The facts that each action needs, those that it forbids, and the action."""
        return [(action.positive, action.negative, action) for action in self.actions]

    @cached_property
    def action_of(self) -> dict[Step, GroundAction]:
        """Ground actions by step."""
        return {action.step: action for action in self.actions}

    def mask(self, facts: Iterable[Atom]) -> int:
        """Return the bits of ``facts``; static facts are passed over.

        Raises:
            KeyError: a fact that no state of the task can hold.
        """
        bits_set = 0
        for fact in facts:
            if fact not in self.statics:
                bits_set |= self.bit[fact]
        return bits_set

    def facts_of(self, mask: int) -> State:
        """Return the facts whose bits are set."""
        return frozenset([self.facts[index] for index in bits(mask)])

    def state(self, mask: int) -> State:
        """Return the whole state: the facts of ``mask`` and the static ones."""
        return self.facts_of(mask) | self.statics

    def is_goal(self, mask: int) -> bool:
        """Return whether the goal holds in the state ``mask``."""
        return mask & self.goal_positive == self.goal_positive and not mask & self.goal_negative
