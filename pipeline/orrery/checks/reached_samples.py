"""States that are known to be reachable, and the conditions that they satisfy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orrery.checks.breadth_first_search import StateGraph
from orrery.checks.compiled_query import Condition, needs
from orrery.checks.wide_search import search_widely
from orrery.planning.task import PlanningTask, bits, union

WIDE_STATES, WIDE_TESTS = 1_000_000, 200_000_000  # limits of the second, wider search: a few seconds


class ReachedSamples:
    """States from a breadth-first search and from plans; each one is a witness of reachability."""

    def __init__(self, task: PlanningTask, graph: StateGraph) -> None:
        """Start with the states of a search."""
        self.task, self.is_wide = task, False
        self._states: list[int] = []
        self._satisfied: set[Condition] = set()  # single facts, and preconditions of actions
        self._wide_search = search_widely(task.init, task.actions, WIDE_STATES, WIDE_TESTS)
        self._add_search(graph.states, graph.search.actions)

    def _add_search(self, states: Sequence[int], applied: Iterable[int]) -> None:
        self._states += states
        self._satisfied.update(_facts_in(states))
        self._satisfied.update(needs(self.task.actions[action]) for action in set(applied))

    def widen(self, condition: Condition) -> bool:
        """Return whether a search with larger limits finds a state that satisfies the condition.

        The states found until then are added. The next call continues the search.
        """
        self.is_wide = True
        for group in self._wide_search:
            self._add_search(*group)
            if any(map(condition.met, group.states)):
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
