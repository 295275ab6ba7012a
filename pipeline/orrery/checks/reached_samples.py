"""Samples of reachable states: of a plain search, along plans, and what is known of other states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from orrery.checks.compiled_query import Condition, needs
from orrery.checks.space import WORD, ActionMasks, Visited, visited, width_of
from orrery.model import Atom, Domain, Problem, Step
from orrery.semantics.task import PlanningTask, union

WIDE_STATES, WIDE_TESTS = 2_000_000, 200_000_000  # of the wider search: three seconds
WIDE_BYTES = 2**27  # of its states, while a process is to stay below eight times that


class Tour(NamedTuple):
    """Reachable states, and conditions each of which holds in some of them."""

    states: Sequence[int]
    met: Sequence[Condition]


class ReachedFrom(NamedTuple):
    """Facts that hold and steps that are applicable in some state reached from the initial one, by name."""

    domain: Domain
    problem: Problem
    facts: frozenset[Atom]
    steps: frozenset[Step]

    def is_of(self, domain: Domain, problem: Problem) -> bool:
        """Return whether it is of a state with the same actions and objects as that of ``problem``."""
        return (self.domain, self.problem.objects) == (domain, problem.objects)


class ReachedSamples:
    """Reachable states of a task, and what holds in them; a witness needs no further proof."""

    def __init__(self, task: PlanningTask, space: Visited) -> None:
        """Begin with the states of a plain search."""
        self.task, self.wide = task, False
        self._states: list[int] = []
        self._reached, self._applied = 0, set[Condition]()
        self._begin(space)

    def _begin(self, space: Visited) -> None:
        """Take all that a plain search saw."""
        self.space = space
        self._reached |= space.reached
        self._applied.update(needs(self.task.actions[number]) for number in space.applied)

    @cached_property
    def _actions(self) -> ActionMasks:
        return ActionMasks.of(self.task)

    def add(self, states: Sequence[int]) -> None:
        """Add further reachable states, and look what is applicable in them."""
        self.add_tour(
            Tour(states, [needs(self.task.actions[n]) for n in self._actions.applicable_in(states)])
        )

    def add_tour(self, found: Tour) -> None:
        """Add the states of a tour, and what was seen to hold in them."""
        self._states += found.states
        self._reached |= union(found.states)
        self._applied.update(found.met)

    def met(self, condition: Condition) -> bool:
        """Return whether some state seen satisfies ``condition``."""
        known = _single(condition) and bool(condition.positive & self._reached)
        if known or condition in self._applied or any(map(condition.met, self._states)):
            return True
        return bool(len(self.space.meeting(condition.positive, condition.negative)))

    def widen(self) -> None:
        """Put a wider plain search in the place of the first."""
        self.wide = True
        most = min(WIDE_STATES, WIDE_BYTES // (WORD * width_of(self.task)))
        self._begin(visited(self.task, most, WIDE_TESTS))

    def found(self) -> ReachedFrom:
        """Return what is known to be reached."""
        facts, actions = self.task.facts_of(self._reached), self.task.actions
        steps = frozenset(each.step for each in actions if needs(each) in self._applied)
        return ReachedFrom(self.task.domain, self.task.problem, facts, steps)

    def take_over(self, found: ReachedFrom) -> None:
        """Take what is reached from a state that is reached itself."""
        self._reached |= self.task.mask(found.facts)
        self._applied.update(needs(each) for each in self.task.actions if each.step in found.steps)

    def unseen(self, conditions: Iterable[Condition]) -> list[Condition]:
        """Return those of ``conditions``, single facts or preconditions, that no state seen satisfies.

        Of states that the plain search did not expand only the facts count.
        """
        return [
            each
            for each in dict.fromkeys(conditions)
            if each not in self._applied and not (_single(each) and each.positive & self._reached)
        ]


def _single(condition: Condition) -> bool:
    """Return whether the condition is that one fact holds."""
    return not condition.negative and condition.positive.bit_count() == 1
