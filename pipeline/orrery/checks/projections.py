"""Projections to the facts on one object, which show on a small task what can never hold.

Whatever a task reaches, its projection on some facts reaches too (Edelkamp, "Planning with pattern
databases", 2001). So what no state of a projection satisfies, no state of the task does. That shows most
mutexes, of which a heuristic search knows nothing: it would have to visit all states.
"""

from __future__ import annotations

from dataclasses import replace

from orrery.checks.compiled_query import Condition
from orrery.checks.space import StateGraph, explore
from orrery.semantics.task import GroundAction, PlanningTask, bits

MOST_STATES = 2_000
MOST_TESTS = 400_000


class Projections:
    """The projections of a task, each explored when first asked for."""

    def __init__(self, task: PlanningTask) -> None:
        """Prepare the projections; each is explored when it is first needed."""
        self.task = task
        self._naming: dict[str, int] = {}
        self._small = 0
        for fact, bit in task.bit.items():
            self._small |= bit if len(fact) == 1 else 0
            for name in fact[1:]:
                self._naming[name] = self._naming.get(name, 0) | bit
        self._seen: dict[int, StateGraph | None] = {}

    def exclude(self, condition: Condition) -> bool:
        """Return whether some projection shows that no reachable state satisfies ``condition``."""
        names = self._names(condition)
        patterns = [self._naming[name] for name in names]
        if len(names) == 2:
            patterns.append(patterns[0] | patterns[1])
        return any(self._excludes(pattern | self._small, condition) for pattern in patterns)

    def _names(self, condition: Condition) -> list[str]:
        facts = bits(condition.positive | condition.negative)
        return sorted({name for index in facts for name in self.task.facts[index][1:]})

    def _excludes(self, pattern: int, condition: Condition) -> bool:
        if pattern not in self._seen:
            self._seen[pattern] = self._explored(pattern)
        states = self._seen[pattern]
        there = Condition(condition.positive & pattern, condition.negative & pattern)
        return states is not None and not len(states.meeting(*there))

    def _explored(self, pattern: int) -> StateGraph | None:
        """Return the states of a projection; None where they are too many."""
        small: dict[tuple[int, int, int, int], GroundAction] = {}
        for action in self.task.actions:
            if (action.add | action.delete) & pattern:
                key = (action.positive & pattern, action.negative & pattern,
                       action.add & pattern, action.delete & pattern)  # fmt: skip
                small.setdefault(key, GroundAction(action.step, *key))
        task = replace(self.task, actions=tuple(small.values()), init=self.task.init & pattern)
        space = explore(task, MOST_STATES, MOST_TESTS)
        return space if space.complete else None
