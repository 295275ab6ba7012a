"""The ground actions and literals of a problem, as far as steps and lines of traces mention them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeAlias

from .pddl import GradedProblem, Schema
from .row import Atom

Literal: TypeAlias = tuple[Atom, bool]
State: TypeAlias = "set[Atom] | frozenset[Atom]"


class ActionEffects(NamedTuple):
    """A ground action: its preconditions, and the facts that it adds and deletes; an added fact stays."""

    needs: tuple[Literal, ...]
    adds: frozenset[Atom]
    deletes: frozenset[Atom]

    def makes(self, literal: Literal) -> bool:
        """Return whether the effects include a literal."""
        atom, positive = literal
        return atom in (self.adds if positive else self.deletes)


def holds(literal: Literal, state: State) -> bool:
    """Return whether a literal is true in a state."""
    return (literal[0] in state) == literal[1]


def negated(literal: Literal) -> Literal:
    """Return the complement of a literal."""
    return literal[0], not literal[1]


def written(literal: Literal) -> str:
    """Return a literal in PDDL."""
    atom = f"({' '.join(literal[0])})"
    return atom if literal[1] else f"(not {atom})"


class GroundedProblem:
    """A problem with its ground actions, which are made when they are used."""

    def __init__(self, problem: GradedProblem) -> None:
        """Read nothing yet."""
        self.problem = problem
        self._grounded: dict[Atom, ActionEffects | None] = {}
        self._makers: dict[Literal, list[Atom]] = {}

    @cached_property
    def start(self) -> frozenset[Atom]:
        """The initial state, including equalities."""
        return self.problem.start

    @cached_property
    def start_by_predicate(self) -> dict[str, list[Atom]]:
        """The initial facts by predicate."""
        by_predicate: dict[str, list[Atom]] = {}
        for fact in self.start:
            by_predicate.setdefault(fact[0], []).append(fact)
        return by_predicate

    @cached_property
    def goal(self) -> frozenset[Literal]:
        """The literals of the goal."""
        return frozenset(self.problem.goal)

    @cached_property
    def fluents(self) -> frozenset[str]:
        """The predicates that some action changes."""
        return self.problem.domain.fluents

    def action(self, step: Atom) -> ActionEffects | None:
        """Return a ground action; None if the domain has none of this name, or the arguments do not fit."""
        if step not in self._grounded:
            schema = self.problem.domain.actions.get(step[0])
            fits = schema is not None and not self.problem.misfit(schema.types, step[1:])
            self._grounded[step] = ground(schema, step) if schema is not None and fits else None
        return self._grounded[step]

    def objects_of(self, types: frozenset[str]) -> list[str]:
        """Return the objects of one of these types."""
        return [name for name, kinds in self.problem.objects.items() if not types.isdisjoint(kinds)]

    def is_static(self, literal: Literal) -> bool:
        """Return whether no action changes a literal."""
        return literal[0][0] not in self.fluents

    def is_possible(self, step: Atom) -> bool:
        """Return whether the preconditions of a ground action that no action changes hold."""
        action = self.action(step)
        return action is not None and all(
            holds(literal, self.start) for literal in action.needs if self.is_static(literal)
        )

    def makers(self, literal: Literal) -> list[Atom]:
        """Return the ground actions that make a literal true and whose unchanging preconditions hold."""
        if literal not in self._makers:
            self._makers[literal] = sorted({*self._instances(literal)})
        return self._makers[literal]

    def _instances(self, literal: Literal) -> Iterator[Atom]:
        atom, positive = literal
        for name, schema in self.problem.domain.actions.items():
            effects = schema.atoms[2 if positive else 3]
            variables = tuple(map(str, range(len(schema.types))))  # the place of each parameter
            for effect in effects:
                lifted = effect((*variables, *schema.constants))
                values = _unified(lifted, atom, variables)
                if values is not None:
                    for step in self._completed(name, schema, values):
                        action = self.action(step)
                        if action is not None and action.makes(literal):
                            yield step

    def _completed(self, name: str, schema: Schema, values: dict[str, str]) -> Iterator[Atom]:
        """Yield the ground actions with these arguments whose unchanging preconditions hold."""
        variables = tuple(map(str, range(len(schema.types))))
        static = [
            (set(lifted[1:]) & {*variables}, condition, positive)
            for positive, conditions in zip((True, False), schema.atoms[:2], strict=True)
            for condition in conditions
            if (lifted := condition((*variables, *schema.constants)))[0] not in self.fluents
        ]

        def permitted(known: dict[str, str], new: Iterable[str]) -> bool:
            terms = (*(known.get(variable, "") for variable in variables), *schema.constants)
            return all(
                holds((condition(terms), positive), self.start)
                for used, condition, positive in static
                if used <= known.keys() and (not used or used & {*new})
            )

        pending = [values] if permitted(values, values) else []
        for place, types in enumerate(schema.types):
            variable = variables[place]
            if variable in values:
                pending = [known for known in pending if not self.problem.misfit([types], [known[variable]])]
                continue
            names = self.objects_of(types)
            longer = ({**known, variable: name} for known in pending for name in names)
            pending = [known for known in longer if permitted(known, [variable])]
        for known in pending:
            yield (name, *(known[variable] for variable in variables))


def _unified(lifted: Atom, atom: Atom, variables: tuple[str, ...]) -> dict[str, str] | None:
    """Return the arguments for which a lifted effect is an atom; None if there are none."""
    if lifted[0] != atom[0] or len(lifted) != len(atom):
        return None
    values: dict[str, str] = {}
    for term, name in zip(lifted[1:], atom[1:], strict=True):
        expected = values.setdefault(term, name) if term in variables else term
        if expected != name:
            return None
    return values


def ground(schema: Schema, step: Atom) -> ActionEffects:
    """Return the ground action of a schema; its arguments must fit."""
    terms = (*step[1:], *schema.constants)
    needs, needs_not, adds, deletes = ([atom(terms) for atom in atoms] for atoms in schema.atoms)
    literals = [(atom, True) for atom in needs] + [(atom, False) for atom in needs_not]
    return ActionEffects(tuple(dict.fromkeys(literals)), frozenset(adds), frozenset(deletes) - {*adds})
