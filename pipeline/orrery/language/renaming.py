"""A domain and its problems with other names: structure, order and signs stay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from orrery.language.words import natural
from orrery.model import Action, Atom, Domain, Literal, Predicate, Problem, TypedName

LETTERS = "xyzuvwpqrstbcdefghjklmno"  # for variables; "a" and "i" are words

Renames: TypeAlias = Mapping[str, str]


class Tables(NamedTuple):
    """Old names to new ones; ``predicates`` holds functions too, ``objects`` constants too."""

    predicates: Renames
    actions: Renames
    types: Renames
    objects: Renames

    def inverse(self) -> Tables:
        """Return the mapping from new names to old ones."""
        return Tables(*({new: old for old, new in table.items()} for table in self))

    def atoms(self, atoms: Iterable[Atom]) -> list[Atom]:
        """Return facts or function terms renamed, PDDL keywords left alone."""
        heads, name_of = self.predicates, self.objects.__getitem__
        return [(heads.get(atom[0], atom[0]), *map(name_of, atom[1:])) for atom in atoms]

    def literals(self, literals: Iterable[Literal]) -> frozenset[Literal]:
        """Return literals renamed, with their signs."""
        listed = list(literals)
        atoms = self.atoms([atom for atom, _ in listed])
        return frozenset(map(Literal, atoms, [positive for _, positive in listed]))

    def typed(self, typed: TypedName) -> TypedName:
        """Return an object or variable with its types renamed."""
        types = self.types
        return TypedName(
            self.objects[typed.name],
            tuple(types.get(name_of_type, name_of_type) for name_of_type in typed.types),
        )

    def kind(self, typed: TypedName) -> TypedName:
        """Return a declared type and its parents renamed; ``object`` keeps its name."""
        name, *parents = (self.types.get(word, word) for word in (typed.name, *typed.types))
        return TypedName(name, tuple(parents))

    def problem(self, problem: Problem, name: str, domain: str, order: Mapping[str, int]) -> Problem:
        """Return the problem renamed, its objects in ``order``."""
        costs = list(problem.costs)
        return replace(
            problem,
            name=name,
            domain=domain,
            objects=tuple(
                sorted(
                    map(self.typed, problem.objects), key=lambda renamed_object: order[renamed_object.name]
                )
            ),
            init=frozenset(self.atoms(problem.init)),
            goal=self.literals(problem.goal),
            costs=frozenset(zip(self.atoms(term for term, _ in costs), (n for _, n in costs), strict=True)),
        )


def renamed_domain(domain: Domain, name: str, tables: Tables) -> Domain:
    """Return the domain as ``name`` with the names of ``tables`` and variables ?x, ?y, ....

    The order stays.
    """
    return Domain(
        name=name,
        requirements=domain.requirements,
        types=tuple(tables.kind(typed) for typed in domain.types),
        constants=tuple(
            sorted(map(tables.typed, domain.constants), key=lambda constant: natural(constant.name))
        ),
        predicates=tuple(_symbol(predicate, tables) for predicate in domain.predicates),
        actions=tuple(_action(action, tables) for action in domain.actions),
        functions=tuple(_symbol(function, tables) for function in domain.functions),
    )


def _symbol(predicate: Predicate, tables: Tables) -> Predicate:
    inner = _with_variables(tables, predicate.parameters)
    return Predicate(tables.predicates[predicate.name], tuple(map(inner.typed, predicate.parameters)))


def _action(action: Action, tables: Tables) -> Action:
    inner = _with_variables(tables, action.parameters)
    return Action(
        tables.actions[action.name],
        tuple(map(inner.typed, action.parameters)),
        inner.literals(action.preconditions),
        frozenset(inner.atoms(action.add)),
        frozenset(inner.atoms(action.delete)),
        inner.atoms([action.cost])[0] if isinstance(action.cost, tuple) else action.cost,
    )


def _with_variables(tables: Tables, parameters: Sequence[TypedName]) -> Tables:
    """Return the tables with the variables of one symbol: ?x, ?y, ?z ... in their order."""
    letters = {typed.name: f"?{_nth_letter(place)}" for place, typed in enumerate(parameters)}
    return tables._replace(objects={**tables.objects, **letters})


def _nth_letter(place: int) -> str:
    return LETTERS[place] if place < len(LETTERS) else f"x{place}"
