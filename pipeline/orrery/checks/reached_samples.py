"""Samples of reachable states: of a plain search, along plans, and on walks to new facts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from random import Random

from orrery.checks.compiled_query import Condition, needs
from orrery.checks.space import StateGraph, explore
from orrery.semantics.task import PlanningTask

MOST_TRIED = 10_000_000  # actions on walks: half a second
MOST_STEPS = 10_000
LONGEST = 400  # of them a walk before it starts anew
WIDE_STATES, WIDE_TESTS = 2_000_000, 200_000_000  # of the wider search: three seconds


class ReachedSamples:
    """Reachable states of a task, and what holds in them; a witness needs no further proof."""

    def __init__(self, task: PlanningTask, space: StateGraph) -> None:
        """Begin with the states of a plain search."""
        self.task, self.wide = task, False
        self._states: list[int] = []
        self._reached, self._applied = 0, set[Condition]()
        self._needs = list(dict.fromkeys(map(needs, task.actions)))
        self._begin(space)

    def _begin(self, space: StateGraph) -> None:
        """Take all that a plain search saw."""
        self.space = space
        self._reached |= space.reached
        self._applied.update(needs(self.task.actions[number]) for number in space.applied)

    def add(self, states: Iterable[int]) -> None:
        """Add further reachable states."""
        for state in states:
            self._states.append(state)
            self._reached |= state
            self._applied.update(each for each in self._needs if each.met(state))

    def met(self, condition: Condition) -> bool:
        """Return whether some state seen satisfies ``condition``."""
        known = _single(condition) and bool(condition.positive & self._reached)
        if known or condition in self._applied or any(map(condition.met, self._states)):
            return True
        return bool(len(self.space.meeting(condition.positive, condition.negative)))

    def widen(self) -> None:
        """Put a wider plain search in the place of the first."""
        self.wide = True
        self._begin(explore(self.task, WIDE_STATES, WIDE_TESTS))

    def unseen(self, conditions: Iterable[Condition]) -> list[Condition]:
        """Return those of ``conditions``, single facts or preconditions, that no state seen satisfies.

        Of states that the plain search did not expand only the facts count.
        """
        waiting = self._unknown(conditions)
        if waiting and not self.space.complete:
            self._walked  # noqa: B018
            waiting = self._unknown(waiting)
        return waiting

    def _unknown(self, conditions: Iterable[Condition]) -> list[Condition]:
        """Return the conditions that are not obviously met by facts seen or actions applied."""
        return [
            each
            for each in dict.fromkeys(conditions)
            if each not in self._applied and not (_single(each) and each.positive & self._reached)
        ]

    @cached_property
    def _walked(self) -> int:
        """Walks that take the action taken least often so far; the number of their steps."""
        rng, actions = Random(0), self.task.actions
        tuples = [(n, a.positive, a.negative, ~a.delete, a.add) for n, a in enumerate(actions)]
        taken, state, steps = (
            [0] * len(actions),
            self.task.init,
            min(MOST_STEPS, MOST_TRIED // max(1, len(actions))),
        )
        for step in range(steps):
            there = [
                n
                for n, positive, negative, _, _ in tuples
                if state & positive == positive and not state & negative
            ]
            if not there or step % LONGEST == 0:
                state = self.task.init
                continue
            self._applied.update(needs(actions[n]) for n in there if not taken[n])
            number = min(there, key=lambda n: (not tuples[n][4] & ~self._reached, taken[n], rng.random()))
            taken[number] += 1
            state = state & tuples[number][3] | tuples[number][4]
            self._reached |= state
            self._states.append(state)
        return steps


def _single(condition: Condition) -> bool:
    """Return whether the condition is that one fact holds."""
    return not condition.negative and condition.positive.bit_count() == 1
