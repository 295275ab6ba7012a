"""Which conditions reachable states satisfy: some by witnesses, others not because of pairs of facts.

Pairs (h2): Haslum and Geffner, "Admissible heuristics for optimal planning", 2000. A pair is reached if both
facts hold initially. It is also reached if all pairs of an action's preconditions are reached, and the action
adds one fact and adds or keeps the other. A pair that is not reached holds in no reachable state; the
converse is not true.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from orrery.checks.breadth_first_search import Numbers, StateGraph, expansions
from orrery.checks.compiled_query import Condition, needs
from orrery.planning.task import GroundAction, PlanningTask, bits, union

MOST_WORK = 6_000_000  # limit of facts times actions for pairs: some seconds
WIDE_STATES, WIDE_TESTS = 1_000_000, 200_000_000  # limits of the second, wider search: a few seconds


class ReachedSamples:
    """States from a breadth-first search and from plans; each one is a witness of reachability."""

    def __init__(self, task: PlanningTask, graph: StateGraph) -> None:
        """Start with the states of a search."""
        self.task, self.is_wide = task, False
        self._states: list[int] = []
        self._satisfied: set[Condition] = set()  # single facts, and preconditions of actions
        self._wide_search = expansions(task.init, task.actions, WIDE_STATES, WIDE_TESTS)
        self._add_search(graph.states, graph.search.actions)

    def _add_search(self, states: Sequence[int], applied: Numbers) -> None:
        self._states += states
        self._satisfied.update(_facts_in(states))
        self._satisfied.update(needs(self.task.actions[action]) for action in np.unique(applied).tolist())

    def widen(self, condition: Condition) -> bool:
        """Return whether a search with larger limits finds a state that satisfies the condition.

        The states found until then are added. The next call continues the search.
        """
        self.is_wide = True
        for group in self._wide_search:
            self._add_search(group.new, group.transitions[1])
            if any(map(condition.met, group.new)):
                return True
        return False

    def add(self, states: Sequence[int]) -> None:
        """Add reachable states."""
        self._states += states
        self._satisfied.update(_facts_in(states))
        preconditions = set(map(needs, self.task.actions)) - self._satisfied
        self._satisfied.update(condition for condition in preconditions if any(map(condition.met, states)))

    def satisfy(self, condition: Condition) -> bool:
        """Return whether one of these states satisfies the condition."""
        return condition in self._satisfied or any(map(condition.met, self._states))

    def unseen(self, conditions: Iterable[Condition]) -> list[Condition]:
        """Return the conditions (single facts or preconditions) that no expanded state satisfies."""
        return [condition for condition in dict.fromkeys(conditions) if condition not in self._satisfied]


def _facts_in(states: Iterable[int]) -> list[Condition]:
    """Return the single-fact conditions that hold in one of the states."""
    return [Condition(1 << fact) for fact in bits(union(states))]


class Pairs:
    """For each fact, the facts that are reached together with it; a reached fact includes itself."""

    def __init__(self, task: PlanningTask) -> None:
        """Compute the reached pairs; above the limit of facts times actions, every pair counts as reached."""
        self.together = [0] * len(task.facts)
        self.known = len(task.facts) * len(task.actions) <= MOST_WORK
        if not self.known:
            return
        for index in bits(task.init):
            self.together[index] = task.init
        waiting = [(action, bits(action.positive), bits(action.add)) for action in task.actions]
        changed = True
        while changed:
            changed = False
            for effects in waiting:
                changed |= self._applied(*effects)

    def _applied(self, action: GroundAction, needed: list[int], added: list[int]) -> bool:
        """Return whether applying the action reaches a new pair."""
        common = -1
        for index in needed:
            common &= self.together[index]
        if action.positive & ~common:
            return False
        remaining = common & ~action.delete if needed else self._reached() & ~action.delete
        new, changed = action.add | remaining, False
        for index in added:
            changed |= bool(new & ~self.together[index])
            self.together[index] |= new
        for index in bits(remaining):
            self.together[index] |= action.add
        return changed

    def _reached(self) -> int:
        return sum(1 << index for index, mask in enumerate(self.together) if mask)

    def exclude(self, condition: Condition) -> bool:
        """Return whether the positive facts of the condition include an unreachable fact or pair."""
        return self.known and any(
            condition.positive & ~self.together[index] for index in bits(condition.positive)
        )
