"""Well-typed actions with exactly one false condition in a state, including static conditions.

If only applicable actions started at the actor's place, the start alone would reveal the answer. Therefore,
near misses start there, too: they lead to a place without a connection, to a closed one, or to an empty one.
Each condition of an action schema is left false in turn, while facts of the state satisfy the others.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from typing import TypeAlias

from orrery.families.questions.claims import Measures
from orrery.families.questions.state_record import Kept, StateRecord
from orrery.model import EQUAL, Action, Atom, Domain, Literal, Problem, Step
from orrery.planning.execution import substituted, unmet_preconditions
from orrery.planning.universe import names_of

TRIALS = 30  # draws of arguments for one false condition
FOUND = 8  # number of these actions that are kept
TOGETHER = "objects together in a fact"

Binding: TypeAlias = dict[str, str]
_Bound: TypeAlias = tuple[Binding, tuple[Atom, ...]]  # objects of some variables, and conditions that wait


def watched(domain: Domain) -> str:
    """Return the predicate of the facts that the conditions of most actions name, such as the actor's place.

    It is empty if no action has such a condition in addition to others. A superficial reader checks such a
    fact first.
    """
    counts: Counter[str] = Counter()
    for action in domain.actions:
        names = {literal.atom[0] for literal in action.preconditions} - {EQUAL}
        fluent = (
            {
                literal.atom[0]
                for literal in action.preconditions
                if literal.atom[0] in domain.fluents and literal.atom[1:]
            }
            if len(names) > 1
            else set()
        )
        counts.update(sorted(fluent))
    return min(counts, key=lambda name: (-counts[name], name), default="")


def near_misses_of(record: StateRecord) -> NearMisses:
    """Return the near misses of a state, cached in its record."""
    return record.kept.once(NearMisses, lambda: NearMisses(record.domain, record.problem))


class NearMisses:
    """A state in which actions with one false condition are drawn; intermediate results are cached."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        """Use the initial state of ``problem`` as the state."""
        self._domain, self._state = domain, problem.init
        types = {parameter.types for action in domain.actions for parameter in action.parameters}
        self._names = {type_names: names_of(domain, problem, type_names) for type_names in types}
        self._facts: Mapping[tuple[object, ...], list[Atom]] = defaultdict(list)
        self._together = {pair for fact in problem.init for pair in product(fact[1:], repeat=2)}
        for fact in sorted(problem.init):
            self._facts[fact[0],].append(fact)
            for place, name in enumerate(fact[1:], start=1):
                self._facts[fact[0], place, name].append(fact)
        self._once = Kept().once

    def unmet(self, step: Step) -> frozenset[str]:
        """Return the predicates of the false conditions of an action."""
        return frozenset(condition.atom[0] for condition in self._unmet(step))

    def _unmet(self, step: Step) -> list[Literal]:
        return self._once(step, lambda: unmet_preconditions(self._domain, self._state, step))

    def measures(self, steps: tuple[Step, ...]) -> Measures:
        """Return the share, in hundredths, of the first action's pairs of objects that occur in one fact."""
        return ((TOGETHER, self._pairs_together(steps[0])),)

    def _pairs_together(self, step: Step) -> int:
        pairs = list(combinations(step[1:], 2))
        return 100 * sum(pair in self._together for pair in pairs) // len(pairs) if pairs else 0

    def draw(self, action: Action, rng: random.Random) -> Iterator[Step]:
        """Yield actions of one name with exactly one false condition; some for each condition."""
        conditions, variables = sorted(action.preconditions), [typed.name for typed in action.parameters]
        for left_out in conditions:
            waiting = tuple(
                literal.atom
                for literal in conditions
                if literal != left_out and literal.positive and literal.atom[0] != EQUAL
            )
            steps: set[Step] = set()
            for _ in range(TRIALS):
                if step := self._step(action, waiting, rng):
                    values = dict(zip(variables, step[1:], strict=True))
                    if self._unmet(step) == [left_out._replace(atom=substituted(left_out.atom, values))]:
                        steps.add(step)
                if len(steps) == FOUND:
                    break
            yield from sorted(steps)

    def _step(self, action: Action, waiting: tuple[Atom, ...], rng: random.Random) -> Step | None:
        """Return an action whose ``waiting`` conditions are facts of the state; None if stuck."""
        binding: Binding = {}
        while waiting:
            onwards = self._once((waiting, *binding.items()), partial(self._bound, waiting, binding))
            if not onwards:
                return None
            binding, waiting = rng.choice(onwards)
        for parameter in action.parameters:
            names = self._names[parameter.types]
            if parameter.name not in binding and names:
                binding = binding | {parameter.name: rng.choice(names)}
            if binding.get(parameter.name) not in names:
                return None
        return (action.name, *(binding[parameter.name] for parameter in action.parameters))

    def _bound(self, waiting: tuple[Atom, ...], binding: Binding) -> list[_Bound]:
        """Return the possible next bindings: the facts that match the condition with the fewest matches."""
        lists = list(self._matching(waiting, binding))
        place = min(range(len(lists)), key=lambda place: len(lists[place]))
        atom, remaining = waiting[place], (*waiting[:place], *waiting[place + 1 :])
        bindings = [(fact, binding | _read(atom, fact)) for fact in lists[place]]
        return [(extended, remaining) for fact, extended in bindings if substituted(atom, extended) == fact]

    def _matching(self, atoms: Sequence[Atom], binding: Binding) -> Iterator[list[Atom]]:
        """Yield, for each atom, the facts that match it in its most selective position."""
        for atom in atoms:
            bound_places = [
                (atom[0], place, binding.get(name, name)) for place, name in enumerate(atom[1:], 1)
            ]
            fixed = [key for key in bound_places if not key[2].startswith("?")]
            lists = [self._facts.get(key, []) for key in fixed] or [self._facts.get((atom[0],), [])]
            yield min(lists, key=len)


def _read(atom: Atom, fact: Atom) -> Binding:
    """Return the values of an atom's variables in a fact of the same predicate."""
    return {name: value for name, value in zip(atom[1:], fact[1:], strict=True) if name.startswith("?")}
