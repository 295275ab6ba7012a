"""Isomorphism of domains: an obfuscated vocabulary is the plain domain with other names.

The knowledge about the plain domain, its planner and its rules, then also applies to the renamed one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import permutations

from orrery.model import Action, Atom, Domain, Literal, Predicate, Problem, TypedName

Names = Mapping[str, str]
MOST_CONSTANTS = 5


@dataclass(frozen=True, slots=True)
class DomainIsomorphism:
    """A map between the names of two domains: predicates (and functions), types, constants."""

    domain: Domain
    predicates: Names
    types: Names
    constants: Names

    def problem(self, problem: Problem) -> Problem | None:
        """Return the problem with the other domain's names; None if an object has the name of a constant."""
        if self.constants and not set(self.constants.values()).isdisjoint(o.name for o in problem.objects):
            return None
        return replace(
            problem,
            domain=self.domain.name,
            objects=tuple(_typed(typed, self.types, {}) for typed in problem.objects),
            init=frozenset(self._atom(fact) for fact in problem.init),
            goal=frozenset(Literal(self._atom(g.atom), g.positive) for g in problem.goal),
            costs=frozenset((self._atom(term), value) for term, value in problem.costs),
        )

    def _atom(self, atom: Atom) -> Atom:
        constants = self.constants
        return (
            self.predicates.get(atom[0], atom[0]),
            *[constants.get(name, name) for name in atom[1:]],
        )


def translation(source: Domain, target: Domain) -> DomainIsomorphism | None:
    """Return an isomorphism from ``source`` to ``target``, or None.

    If both use the same names, the order of declarations is ignored. Otherwise the declarations are renamed
    in order; only constants may have another order, if they are few.
    """
    if same_declarations(source, target):
        return DomainIsomorphism(target, {}, {}, {})
    predicates = _pairs(source.predicates + source.functions, target.predicates + target.functions)
    types = _pairs(source.types, target.types)
    same = len(source.actions) == len(target.actions) and len(source.constants) == len(target.constants)
    if predicates is None or types is None or not same:
        return None
    orders = permutations(target.constants) if len(target.constants) <= MOST_CONSTANTS else [target.constants]
    outline = _outline(target, DomainIsomorphism(target, {}, {}, {}))
    for order in orders:
        isomorphism = DomainIsomorphism(target, predicates, types, _pairs(source.constants, order) or {})
        if _outline(source, isomorphism) == outline:
            return isomorphism
    return None


def same_declarations(first: Domain, second: Domain) -> bool:
    """Return whether two domains differ only in their name, requirements and order.

    Names of actions and variables are ignored; those of types, predicates, functions and constants are
    compared.
    """
    if first.predicate_named.keys() != second.predicate_named.keys() or len(first.actions) != len(
        second.actions
    ):
        return False
    identity = DomainIsomorphism(second, {}, {}, {})
    return _outline(first, identity) == _outline(second, identity)


def _pairs(
    ours: Iterable[TypedName | Predicate], theirs: Iterable[TypedName | Predicate]
) -> dict[str, str] | None:
    """Return pairs of names in order; None if the lengths differ or a name is repeated."""
    our_names, their_names = [named.name for named in ours], [named.name for named in theirs]
    if (
        len(our_names) != len(their_names)
        or len(set(our_names)) < len(our_names)
        or len(set(their_names)) < len(their_names)
    ):
        return None
    return dict(zip(our_names, their_names, strict=True))


def _outline(domain: Domain, names: DomainIsomorphism) -> tuple[object, ...]:
    """Return the content of a domain without its name, requirements, order, and action and variable names."""
    return (
        frozenset(_typed(typed, names.types, names.types) for typed in domain.types),
        frozenset(_typed(typed, names.types, names.constants) for typed in domain.constants),
        frozenset(_signature(predicate, names) for predicate in domain.predicates),
        frozenset(_signature(function, names) for function in domain.functions),
        Counter(_action(action, names) for action in domain.actions),
    )


def _typed(typed: TypedName, types: Names, names: Names) -> TypedName:
    return TypedName(names.get(typed.name, typed.name), tuple(types.get(name, name) for name in typed.types))


def _signature(predicate: Predicate, names: DomainIsomorphism) -> tuple[object, ...]:
    kinds = [_typed(parameter, names.types, {}).types for parameter in predicate.parameters]
    return names.predicates.get(predicate.name, predicate.name), tuple(kinds)


def _action(action: Action, names: DomainIsomorphism) -> tuple[object, ...]:
    """Return the action with its variables numbered."""
    numbers = {parameter.name: f"?{index}" for index, parameter in enumerate(action.parameters)}
    values = {**names.constants, **numbers}

    def bound(atom: Atom) -> Atom:
        return names.predicates.get(atom[0], atom[0]), *[values.get(name, name) for name in atom[1:]]

    return (
        tuple(_typed(parameter, names.types, numbers) for parameter in action.parameters),
        frozenset((bound(literal.atom), literal.positive) for literal in action.preconditions),
        frozenset(map(bound, action.add)),
        frozenset(map(bound, action.delete)),
        bound(action.cost) if isinstance(action.cost, tuple) else action.cost,
    )
