"""Find applicable steps directly from the action schemas, one precondition after another.

Nothing is grounded in advance. The facts of a state are matched to the positive preconditions of an action in
turn, the one with the fewest matching facts first. A state with hundreds of objects takes milliseconds; a
test of every well-typed action would take minutes.

The actions and facts of reachability questions are also computed here, by another method than in the
questions: from the static preconditions of the actions alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeAlias

from orrery.checks.execution import added_facts
from orrery.model import EQUAL, Action, Atom, Domain, Literal, Problem, State, Step
from orrery.planning.universe import names_of

Values: TypeAlias = Mapping[str, str]  # the chosen arguments by parameter
Names: TypeAlias = Mapping[str, Collection[str]]  # the names that fit the types of each parameter


class Lifted:
    """The actions of a problem, to find the applicable ones in any state."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        """Prepare the actions of ``domain`` for the objects of ``problem``."""
        self._actions = [
            (action, {p.name: frozenset(names_of(domain, problem, p.types)) for p in action.parameters})
            for action in domain.actions
        ]

    def applicable(self, state: State) -> list[Step]:
        """Return every step applicable in ``state``, sorted."""
        index = _Index(state)
        return sorted(step for action, names in self._actions for step in _steps(action, names, index))


class _Index:
    """The facts of a state, indexed by name and position."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.standing: dict[tuple[str, int, str], set[Atom]] = {}
        self.named: dict[str, set[Atom]] = {}
        for fact in state:
            self.named.setdefault(fact[0], set()).add(fact)
            for place, name in enumerate(fact[1:], 1):
                self.standing.setdefault((fact[0], place, name), set()).add(fact)

    def fitting(self, atom: Atom, values: Values) -> set[Atom]:
        """Return the facts that match the rarest of the known arguments of an atom."""
        arguments = [(place, values.get(name, name)) for place, name in enumerate(atom[1:], 1)]
        fitting_facts = [
            self.standing.get((atom[0], p, v), set()) for p, v in arguments if not v.startswith("?")
        ]
        return min(fitting_facts, key=len, default=self.named.get(atom[0], set()))


def _steps(action: Action, names: Names, index: _Index) -> Iterator[Step]:
    """Yield the applicable steps of an action."""
    positive = [p.atom for p in action.preconditions if p.positive and p.atom[0] != EQUAL]
    others = [p for p in action.preconditions if not p.positive or p.atom[0] == EQUAL]
    for values in _matches(positive, names, index, {}):
        free = [name for name in names if name not in values]
        for chosen in product(*(names[name] for name in free)):
            arguments = {**values, **dict(zip(free, chosen, strict=True))}
            if all(_holds(literal, arguments, index.state) for literal in others):
                yield (action.name, *(arguments[name] for name in names))


def _matches(atoms: Sequence[Atom], names: Names, index: _Index, values: Values) -> Iterator[Values]:
    """Yield the arguments, in addition to ``values``, with which all atoms are facts."""
    if not atoms:
        yield values
        return
    place = min(range(len(atoms)), key=lambda place: len(index.fitting(atoms[place], values)))
    for fact in index.fitting(atoms[place], values):
        chosen = dict(values)
        if all(
            chosen.setdefault(argument, name) == name and name in names.get(argument, (argument,))
            for argument, name in zip(atoms[place][1:], fact[1:], strict=True)
        ):
            yield from _matches([*atoms[:place], *atoms[place + 1 :]], names, index, chosen)


def _holds(literal: Literal, values: Values, state: State) -> bool:
    atom = (literal.atom[0], *(values.get(argument, argument) for argument in literal.atom[1:]))
    return Literal(atom, literal.positive).holds(state)


def actions_of(domain: Domain, problem: Problem) -> list[Step]:
    """Return the well-typed ground actions whose static preconditions and (in)equalities hold, sorted."""
    static = tuple(
        replace(
            action,
            preconditions=frozenset(p for p in action.preconditions if p.atom[0] not in domain.fluents),
        )
        for action in domain.actions
    )
    lasting = frozenset(fact for fact in problem.init if fact[0] not in domain.fluents)
    return Lifted(replace(domain, actions=static), problem).applicable(lasting)


def facts_of(domain: Domain, problem: Problem) -> list[Atom]:
    """Return the well-typed facts of predicates that some action adds, sorted.

    A fact with a repeated object is included only if some action of ``actions_of`` adds it.
    """
    added_predicates = {atom[0] for action in domain.actions for atom in action.add}
    facts = [
        (predicate.name, *arguments)
        for predicate in domain.predicates
        if predicate.name in added_predicates
        for arguments in product(*(names_of(domain, problem, p.types) for p in predicate.parameters))
    ]
    repeating = {fact for fact in facts if len({*fact[1:]}) < len(fact) - 1}
    actions = actions_of(domain, problem) if repeating else []
    added = {fact for step in actions for fact in added_facts(domain, step)}
    return sorted(fact for fact in facts if fact not in repeating or fact in added)
