"""Well-typed actions with exactly one false condition in a state, including static conditions.

If only applicable actions started at the actor's place, the start alone would reveal the answer. Therefore,
near misses start there, too: they lead to a place without a connection, to a closed one, or to an empty one.
Each condition of an action schema is left false in turn, while facts of the state satisfy the others.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from orrery.families.questions.claims import Measures
from orrery.families.questions.state_record import StateRecord
from orrery.model import EQUAL, Action, Atom, Domain, Literal, Problem, Step
from orrery.planning.universe import names_of

TRIALS = 30  # draws of arguments for one false condition
FOUND = 8  # number of these actions that are kept
TOGETHER = "objects together in a fact"

Binding = dict[str, str]


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
        self._naming: dict[str, list[Atom]] = defaultdict(list)
        for fact in sorted(problem.init):
            for name in fact[1:]:
                self._naming[name].append(fact)
            self._facts[fact[0],].append(fact)
            for place, name in enumerate(fact[1:], start=1):
                self._facts[fact[0], place, name].append(fact)
        self._drawn_from: dict[tuple[str, Literal], _Bound] = {}
        self._judged: dict[tuple[str, Literal], dict[Step, bool]] = defaultdict(dict)
        self._unmet: dict[Step, frozenset[str]] = {}

    def unmet(self, step: Step) -> frozenset[str]:
        """Return the predicates of the false conditions of an action, cached."""
        if step not in self._unmet:
            self._unmet[step] = self._unmet_of(step)
        return self._unmet[step]

    def _unmet_of(self, step: Step) -> frozenset[str]:
        action = self._domain.action_named[step[0]]
        binding = dict(zip((parameter.name for parameter in action.parameters), step[1:], strict=True))
        return frozenset(
            parameter.atom[0]
            for parameter in action.preconditions
            if not bound(parameter, binding).holds(self._state)
        )

    def measures(self, steps: tuple[Step, ...]) -> Measures:
        """Return the share, in hundredths, of the first action's pairs of objects that occur in one fact."""
        return ((TOGETHER, self._pairs_together(steps[0])),)

    def _pairs_together(self, step: Step) -> int:
        pairs = list(combinations(step[1:], 2))
        met = sum(any(object_name in fact[1:] for fact in self._of(name)) for name, object_name in pairs)
        return 100 * met // len(pairs) if pairs else 0

    def _of(self, name: str) -> list[Atom]:
        """Return the facts that name an object."""
        return self._naming.get(name, [])

    def draw(self, action: Action, rng: random.Random) -> Iterator[Step]:
        """Yield actions of one name with exactly one false condition; some for each condition."""
        conditions = sorted(action.preconditions)
        for left_out in conditions:
            met = [condition for condition in conditions if condition != left_out]
            start = self._start(action, left_out, met)
            steps: set[Step] = set()
            judged = self._judged[action.name, left_out]
            for _ in range(TRIALS):
                if step := self._step(action, start, rng):
                    if step not in judged:
                        judged[step] = self._fails_alone(left_out, met, action, step)
                    if judged[step]:
                        steps.add(step)
                if len(steps) == FOUND:
                    break
            yield from sorted(steps)

    def _start(self, action: Action, left_out: Literal, met: Sequence[Literal]) -> _Bound:
        """Return the start of the draws that omit a condition: nothing is bound yet."""
        key = action.name, left_out
        if key not in self._drawn_from:
            waiting = tuple(literal.atom for literal in met if literal.positive and literal.atom[0] != EQUAL)
            self._drawn_from[key] = _Bound({}, waiting)
        return self._drawn_from[key]

    def _fails_alone(self, left_out: Literal, met: Sequence[Literal], action: Action, step: Step) -> bool:
        """Return whether one condition is false and the others are true."""
        binding = dict(zip((parameter.name for parameter in action.parameters), step[1:], strict=True))
        return not bound(left_out, binding).holds(self._state) and all(
            bound(parameter, binding).holds(self._state) for parameter in met
        )

    def _step(self, action: Action, start: _Bound, rng: random.Random) -> Step | None:
        """Return an action whose waiting conditions at ``start`` are facts of the state; None if stuck."""
        current = start
        while current.waiting:
            if current.onwards is None:
                current.onwards = self._onwards(current)
            if not current.onwards:
                return None
            current = rng.choice(current.onwards)
        binding = current.binding
        for parameter in action.parameters:
            names = self._names[parameter.types]
            if parameter.name not in binding and names:
                binding = binding | {parameter.name: rng.choice(names)}
            if binding.get(parameter.name) not in names:
                return None
        return (action.name, *(binding[parameter.name] for parameter in action.parameters))

    def _onwards(self, current: _Bound) -> list[_Bound]:
        """Return the possible next bindings: the facts that match the condition with the fewest matches."""
        lists = list(self._matching(current.waiting, current.binding))
        place = min(range(len(lists)), key=lambda place: len(lists[place]))
        atom, waiting = current.waiting[place], (*current.waiting[:place], *current.waiting[place + 1 :])
        bindings = [(fact, current.binding | _read(atom, fact)) for fact in lists[place]]
        return [
            _Bound(extended, waiting)
            for fact, extended in bindings
            if bound(Literal(atom), extended).atom == fact
        ]

    def _matching(self, atoms: Sequence[Atom], binding: Binding) -> Iterator[list[Atom]]:
        """Yield, for each atom, the facts that match it in its most selective position."""
        for atom in atoms:
            bound_places = [
                (atom[0], place, binding.get(name, name)) for place, name in enumerate(atom[1:], 1)
            ]
            fixed = [key for key in bound_places if not key[2].startswith("?")]
            lists = [self._facts.get(key, []) for key in fixed] or [self._facts.get((atom[0],), [])]
            yield min(lists, key=len)


class _Bound:
    """Objects bound to some variables, the positive conditions that wait, and the possible next bindings."""

    __slots__ = ("binding", "onwards", "waiting")

    def __init__(self, binding: Binding, waiting: tuple[Atom, ...]) -> None:
        self.binding, self.waiting = binding, waiting
        self.onwards: list[_Bound] | None = None


def bound(literal: Literal, binding: Mapping[str, str]) -> Literal:
    """Return a literal with objects in place of the variables that are bound."""
    name, *arguments = literal.atom
    return Literal((name, *(binding.get(term, term) for term in arguments)), literal.positive)


def _read(atom: Atom, fact: Atom) -> Binding:
    """Return the values of an atom's variables in a fact of the same predicate."""
    return {name: value for name, value in zip(atom[1:], fact[1:], strict=True) if name.startswith("?")}
