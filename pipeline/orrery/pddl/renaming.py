"""Rename what a domain declares, and the objects of its problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from orrery.model import Action, Atom, Domain, Literal, Predicate, Problem, Step, TypedName

Renames: TypeAlias = Mapping[str, str]


class PartialNames(dict[str, str]):
    """A map from old names to new ones; names without an entry are unchanged."""

    def __missing__(self, name: str) -> str:
        """Return the name itself."""
        return name


class Tables(NamedTuple):
    """Maps from old names to new ones.

    ``predicates`` includes functions, ``objects`` includes constants and variables.
    Predicates and types without an entry are unchanged. An action or object without an entry is a KeyError,
    unless its table is ``PartialNames``.
    """

    predicates: Renames
    actions: Renames
    types: Renames
    objects: Renames

    def inverse(self) -> Tables:
        """Return the maps from new names to old ones."""
        return Tables(*({new: old for old, new in table.items()} for table in self))

    def atoms(self, atoms: Iterable[Atom]) -> list[Atom]:
        """Return facts or function terms renamed."""
        heads, name_of = self.predicates, self.objects.__getitem__
        return [(heads.get(atom[0], atom[0]), *map(name_of, atom[1:])) for atom in atoms]

    def step(self, step: Step) -> Step:
        """Return a ground action renamed."""
        return (self.actions[step[0]], *map(self.objects.__getitem__, step[1:]))

    def literals(self, literals: Iterable[Literal]) -> frozenset[Literal]:
        """Return literals renamed, with their signs."""
        listed = list(literals)
        atoms = self.atoms([atom for atom, _ in listed])
        return frozenset(map(Literal, atoms, [positive for _, positive in listed]))

    def typed(self, typed: TypedName) -> TypedName:
        """Return an object or variable renamed, with its types."""
        return TypedName(self.objects[typed.name], self.kind(typed).types)

    def kind(self, typed: TypedName) -> TypedName:
        """Return a declared type and its parents renamed; ``object`` is unchanged."""
        name, *parents = (self.types.get(word, word) for word in (typed.name, *typed.types))
        return TypedName(name, tuple(parents))

    def predicate(self, predicate: Predicate) -> Predicate:
        """Return the declaration of a predicate or function renamed."""
        name = self.predicates.get(predicate.name, predicate.name)
        return Predicate(name, tuple(map(self.typed, predicate.parameters)))

    def action(self, action: Action) -> Action:
        """Return an action renamed."""
        return Action(
            self.actions[action.name],
            tuple(map(self.typed, action.parameters)),
            self.literals(action.preconditions),
            frozenset(self.atoms(action.add)),
            frozenset(self.atoms(action.delete)),
            self.atoms([action.cost])[0] if isinstance(action.cost, tuple) else action.cost,
        )

    def domain(self, domain: Domain, name: str) -> Domain:
        """Return a domain renamed; the order of all parts is kept."""
        return replace(
            domain,
            name=name,
            types=tuple(map(self.kind, domain.types)),
            constants=tuple(map(self.typed, domain.constants)),
            predicates=tuple(map(self.predicate, domain.predicates)),
            actions=tuple(map(self.action, domain.actions)),
            functions=tuple(map(self.predicate, domain.functions)),
        )

    def problem(
        self, problem: Problem, name: str, domain: str, order: Mapping[str, int] | None = None
    ) -> Problem:
        """Return the problem renamed, its objects sorted by ``order`` if that is given."""
        costs = list(problem.costs)
        objects = list(map(self.typed, problem.objects))
        if order is not None:
            objects.sort(key=lambda typed: order[typed.name])
        return replace(
            problem,
            name=name,
            domain=domain,
            objects=tuple(objects),
            init=frozenset(self.atoms(problem.init)),
            goal=self.literals(problem.goal),
            costs=frozenset(zip(self.atoms(term for term, _ in costs), (n for _, n in costs), strict=True)),
        )


def object_names(names: Renames) -> Tables:
    """Return the tables that rename these objects; all other names are unchanged."""
    return Tables({}, PartialNames(), {}, PartialNames(names))


def symbol_names(names: Renames) -> Tables:
    """Return the tables that rename these types, predicates and actions; all other names are unchanged."""
    return Tables(names, PartialNames(names), names, PartialNames())
