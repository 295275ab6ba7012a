"""Samples of reachable states: of a plain search, of one for new pairs of facts, and along plans."""

from __future__ import annotations

from collections.abc import Iterable

from orrery.checks.compiled_query import Condition, needs
from orrery.checks.novelty import novel_states
from orrery.checks.space import StateGraph, explore
from orrery.semantics.task import PlanningTask, union

WIDE_STATES, WIDE_TESTS = 2_000_000, 200_000_000  # of the wider search: three seconds


class ReachedSamples:
    """Reachable states of a task, and what holds in them; a witness needs no further proof."""

    def __init__(self, task: PlanningTask, space: StateGraph) -> None:
        """Begin with the states of a plain search."""
        self.task, self.wide, self._far = task, False, False
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
        if waiting and not self.space.complete and not self._far:
            self._look_far()
            waiting = self._unknown(waiting)
        return waiting

    def _look_far(self) -> None:
        """Take all that a search for new pairs of facts sees."""
        self._far = True
        found = novel_states(self.task)
        self._states += found.states
        self._reached |= union(found.states)
        self._applied.update(needs(self.task.actions[number]) for number in found.applied)

    def _unknown(self, conditions: Iterable[Condition]) -> list[Condition]:
        """Return the conditions that are not obviously met by facts seen or actions applied."""
        return [
            each
            for each in dict.fromkeys(conditions)
            if each not in self._applied and not (_single(each) and each.positive & self._reached)
        ]


def _single(condition: Condition) -> bool:
    """Return whether the condition is that one fact holds."""
    return not condition.negative and condition.positive.bit_count() == 1
