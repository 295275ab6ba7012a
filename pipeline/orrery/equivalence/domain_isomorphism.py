"""Isomorphism of domains: an obfuscated vocabulary is the plain domain with other names.

The knowledge about the plain domain, its planner and its rules, then also applies to the renamed one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import permutations

from orrery.model import Action, Domain, Predicate, Problem, TypedName
from orrery.pddl.renaming import PartialNames, Tables, object_names

MOST_CONSTANTS = 5


@dataclass(frozen=True, slots=True)
class DomainIsomorphism:
    """A map between the names of two domains: predicates (and functions), types, constants."""

    domain: Domain
    tables: Tables

    def problem(self, problem: Problem) -> Problem | None:
        """Return the problem with the other domain's names; None if an object has the name of a constant."""
        constants = self.tables.objects.values()
        if not set(constants).isdisjoint(typed.name for typed in problem.objects):
            return None
        return self.tables.problem(problem, problem.name, self.domain.name)


def translation(source: Domain, target: Domain) -> DomainIsomorphism | None:
    """Return an isomorphism from ``source`` to ``target``, or None.

    If both use the same names, the order of declarations is ignored. Otherwise the declarations are renamed
    in order; only constants may have another order, if they are few.
    """
    if same_declarations(source, target):
        return DomainIsomorphism(target, object_names({}))
    predicates = _pairs(source.predicates + source.functions, target.predicates + target.functions)
    types = _pairs(source.types, target.types)
    same = len(source.actions) == len(target.actions) and len(source.constants) == len(target.constants)
    if predicates is None or types is None or not same:
        return None
    orders = permutations(target.constants) if len(target.constants) <= MOST_CONSTANTS else [target.constants]
    outline = _outline(target, object_names({}))
    for order in orders:
        constants = PartialNames(_pairs(source.constants, order) or {})
        tables = Tables(predicates, PartialNames(), types, constants)
        if _outline(source, tables) == outline:
            return DomainIsomorphism(target, tables)
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
    unchanged = object_names({})
    return _outline(first, unchanged) == _outline(second, unchanged)


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


def _outline(domain: Domain, tables: Tables) -> tuple[object, ...]:
    """Return the content of a domain without its name, requirements, order, and action and variable names."""
    return (
        frozenset(map(tables.kind, domain.types)),
        frozenset(map(tables.typed, domain.constants)),
        frozenset(_signature(predicate, tables) for predicate in domain.predicates),
        frozenset(_signature(function, tables) for function in domain.functions),
        Counter(_action(action, tables) for action in domain.actions),
    )


def _signature(predicate: Predicate, tables: Tables) -> tuple[object, ...]:
    renamed = tables.predicate(predicate)
    return renamed.name, tuple(parameter.types for parameter in renamed.parameters)


def _action(action: Action, tables: Tables) -> Action:
    """Return the action renamed, without its name and with its variables numbered."""
    numbers = {parameter.name: f"?{index}" for index, parameter in enumerate(action.parameters)}
    objects = PartialNames({**tables.objects, **numbers})
    return replace(tables._replace(objects=objects).action(action), name="")
