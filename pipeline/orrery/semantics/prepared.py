"""Executing plans with the action schemas prepared once: for the many plans of one domain.

As ``execution`` it works on sets of facts and grounds nothing, and it shares no code with it: what
the one lets pass when a plan is made, the other checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import itemgetter

from orrery.model import EQUAL, Action, Atom, Domain, Problem, Step

Instance = Callable[[tuple[str, ...]], Atom]
Types = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _PreparedSchema:
    """An action as functions of a step followed by ``names``: the predicates and constants it speaks of."""

    types: tuple[Types, ...]
    names: tuple[str, ...]
    needs: tuple[Instance, ...]
    forbids: tuple[Instance, ...]
    equalities: tuple[tuple[int, int, bool], ...]
    add: tuple[Instance, ...]
    delete: tuple[Instance, ...]


def _schema(action: Action) -> _PreparedSchema:
    literals = sorted(action.preconditions)
    atoms = sorted({literal.atom for literal in literals} | action.add | action.delete)
    variables = [parameter.name for parameter in action.parameters]
    names = tuple(sorted({name for atom in atoms for name in atom} - set(variables)))
    place = {name: number for number, name in enumerate(names, start=1 + len(variables))}
    place |= {name: number for number, name in enumerate(variables, start=1)}

    def instances(wanted: Iterable[Atom]) -> tuple[Instance, ...]:
        return tuple(_instance(atom, place) for atom in sorted(wanted))

    facts = [literal for literal in literals if literal.atom[0] != EQUAL]
    return _PreparedSchema(
        types=tuple(parameter.types for parameter in action.parameters),
        names=names,
        needs=instances(literal.atom for literal in facts if literal.positive),
        forbids=instances(literal.atom for literal in facts if not literal.positive),
        equalities=tuple(
            (place[literal.atom[1]], place[literal.atom[2]], literal.positive)
            for literal in literals
            if literal.atom[0] == EQUAL
        ),
        add=instances(action.add),
        delete=instances(action.delete),
    )


def _instance(atom: Atom, place: dict[str, int]) -> Instance:
    """Return what picks the ground atom out of a step and the names behind it."""
    if len(atom) == 1:  # itemgetter gives no tuple for a single place
        return lambda _: atom
    return itemgetter(*(place[name] for name in atom))


class Executor:
    """Executes plans of problems of one domain."""

    def __init__(self, domain: Domain) -> None:
        """Prepare the schemas of ``domain``."""
        self.domain = domain
        self._schemas = {action.name: _schema(action) for action in domain.actions}

    def is_plan(self, problem: Problem, steps: Iterable[Step]) -> bool:
        """Return whether ``steps``, ground actions of the problem, lead from initial state to goal."""
        state, fitting = set(problem.init), self._fitting(problem)
        for step in steps:
            schema = self._schemas.get(step[0]) if step else None
            if schema is None or len(step) - 1 != len(schema.types):
                return False
            fits = all(name in fitting[types] for name, types in zip(step[1:], schema.types, strict=True))
            if not fits or not _apply(schema, step + schema.names, state):
                return False
        return problem.satisfied(frozenset(state))

    def _fitting(self, problem: Problem) -> dict[Types, frozenset[str]]:
        """Return the names that fit each type that some parameter asks for."""
        everything = (*self.domain.constants, *problem.objects)
        wanted = {types for schema in self._schemas.values() for types in schema.types}
        return {
            types: frozenset(typed.name for typed in everything if self.domain.fits(typed.types, types))
            for types in wanted
        }


def _apply(schema: _PreparedSchema, values: tuple[str, ...], state: set[Atom]) -> bool:
    """Return whether the step is applicable in ``state``, which it then changes."""
    for instance in schema.needs:
        if instance(values) not in state:
            return False
    for instance in schema.forbids:
        if instance(values) in state:
            return False
    for left, right, positive in schema.equalities:
        if (values[left] == values[right]) != positive:
            return False
    state.difference_update([instance(values) for instance in schema.delete])
    state.update([instance(values) for instance in schema.add])
    return True
