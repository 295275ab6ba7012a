"""Well-typed actions of which one condition alone does not hold in a state, static conditions included.

That an action starts where the actor is says little of whether it can be taken if other actions start there,
too, and lead to a place that no way leads to, that is closed, or that holds nothing. So each condition of an
action schema is left unmet in turn, while the others are met by facts of the state.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

from orrery.families.questions.claims import Measures
from orrery.model import EQUAL, Action, Atom, Domain, Literal, Problem, Step
from orrery.semantics.universe import names_of

TRIALS = 30  # draws of arguments for one condition left unmet
FOUND = 8  # actions kept of them
TOGETHER = "objects together in a fact"

Binding = dict[str, str]


def watched(domain: Domain) -> str:
    """Return the predicate of facts on objects that conditions of most actions name: where the actor is.

    Empty where no action has such a condition besides others. A fact of it is what a hasty reader would look
    for first.
    """
    counts: Counter[str] = Counter()
    for action in domain.actions:
        names = {each.atom[0] for each in action.preconditions} - {EQUAL}
        fluent = (
            {
                each.atom[0]
                for each in action.preconditions
                if each.atom[0] in domain.fluents and each.atom[1:]
            }
            if len(names) > 1
            else set()
        )
        counts.update(sorted(fluent))
    return min(counts, key=lambda name: (-counts[name], name), default="")


class NearMisses:
    """A state in which actions are drawn that fail one condition."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        """Take the initial state of ``problem`` as the state."""
        self._domain, self._state = domain, problem.init
        types = {parameter.types for action in domain.actions for parameter in action.parameters}
        self._names = {each: names_of(domain, problem, each) for each in types}
        self._facts: Mapping[tuple[object, ...], list[Atom]] = defaultdict(list)
        self._naming: dict[str, list[Atom]] = defaultdict(list)
        for fact in sorted(problem.init):
            for name in fact[1:]:
                self._naming[name].append(fact)
            self._facts[fact[0],].append(fact)
            for place, name in enumerate(fact[1:], start=1):
                self._facts[fact[0], place, name].append(fact)

    def unmet(self, step: Step) -> frozenset[str]:
        """Return the predicates of those conditions of an action that do not hold."""
        action = self._domain.action_named[step[0]]
        binding = dict(zip((each.name for each in action.parameters), step[1:], strict=True))
        return frozenset(
            each.atom[0] for each in action.preconditions if not bound(each, binding).holds(self._state)
        )

    def measures(self, steps: tuple[Step, ...]) -> Measures:
        """Return what share of the pairs of objects of the first action stand in one fact, in hundredths."""
        return ((TOGETHER, self._pairs_together(steps[0])),)

    def _pairs_together(self, step: Step) -> int:
        pairs = list(combinations(step[1:], 2))
        met = sum(any(other in fact[1:] for fact in self._of(name)) for name, other in pairs)
        return 100 * met // len(pairs) if pairs else 0

    def _of(self, name: str) -> list[Atom]:
        """Return the facts that name an object."""
        return self._naming.get(name, [])

    def draw(self, action: Action, rng: random.Random) -> Iterator[Step]:
        """Yield actions of one name of which one condition does not hold, for each condition some."""
        for left_out in sorted(action.preconditions):
            others = [each for each in sorted(action.preconditions) if each != left_out]
            found: set[Step] = set()
            for _ in range(TRIALS):
                step = self._step(action, others, rng)
                missed = step and not self._holds(left_out, action, step)
                if step and missed and all(self._holds(each, action, step) for each in others):
                    found.add(step)
                if len(found) == FOUND:
                    break
            yield from sorted(found)

    def _holds(self, literal: Literal, action: Action, step: Step) -> bool:
        binding = dict(zip((each.name for each in action.parameters), step[1:], strict=True))
        return bound(literal, binding).holds(self._state)

    def _step(self, action: Action, met: Collection[Literal], rng: random.Random) -> Step | None:
        """Return an action whose positive conditions among ``met`` are facts of the state; None if stuck."""
        binding: Binding = {}
        waiting = [each.atom for each in met if each.positive and each.atom[0] != EQUAL]
        while waiting:
            choices = [
                (len(some), place, some) for place, some in enumerate(self._matching(waiting, binding))
            ]
            _, place, facts = min(choices, key=lambda choice: choice[:2])
            atom = waiting.pop(place)
            fitting = [
                fact for fact in facts if bound(Literal(atom), binding | _read(atom, fact)).atom == fact
            ]
            if not fitting:
                return None
            binding |= _read(atom, rng.choice(fitting))
        for parameter in action.parameters:
            names = self._names[parameter.types]
            if parameter.name not in binding and names:
                binding[parameter.name] = rng.choice(names)
            if binding.get(parameter.name) not in names:
                return None
        return (action.name, *(binding[parameter.name] for parameter in action.parameters))

    def _matching(self, atoms: Sequence[Atom], binding: Binding) -> Iterator[list[Atom]]:
        """Yield for each atom the facts that agree with it in the place that leaves fewest."""
        for atom in atoms:
            known = [(atom[0], place, binding.get(name, name)) for place, name in enumerate(atom[1:], 1)]
            fixed = [key for key in known if not key[2].startswith("?")]
            lists = [self._facts.get(key, []) for key in fixed] or [self._facts.get((atom[0],), [])]
            yield min(lists, key=len)


def bound(literal: Literal, binding: Mapping[str, str]) -> Literal:
    """Return a literal with objects in place of the variables that are bound."""
    name, *arguments = literal.atom
    return Literal((name, *(binding.get(each, each) for each in arguments)), literal.positive)


def _read(atom: Atom, fact: Atom) -> Binding:
    """Return what the variables of an atom stand for in a fact of the same predicate."""
    return {name: value for name, value in zip(atom[1:], fact[1:], strict=True) if name.startswith("?")}
