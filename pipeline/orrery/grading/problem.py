"""The problem of a row: its objects, initial facts and goal, and its ground actions, read on demand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

from .pddl import (
    EQUAL,
    GradedDomain,
    Schema,
    UngradedConstruct,
    literals_in_tree,
    lowered,
    read_domain,
    trees_of,
    typed,
)
from .row import Atom, Literal

State: TypeAlias = "set[Atom] | frozenset[Atom]"
_FACT = re.compile(r"\(([^()]*)\)")
_OTHER_FACT = re.compile(r"\(\s*([^\s()]*)[^()]*\(")
_NUMERIC = re.compile(r"\(\s*=\s*\(([^()]*)\)[^()]*\)")


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


@dataclass(frozen=True, eq=False)
class GradedProblem:
    """The problem with this text, in lower case and without comments."""

    domain: GradedDomain
    text: str

    @cached_property
    def objects(self) -> Mapping[str, frozenset[str]]:
        """The objects and the constants of the domain, with all their types."""
        section = trees_of(self._section(":objects", "()"))[0][1:]
        declared = dict(typed([*self.domain.sections.get(":constants", []), *section]))
        types_of = {kinds: self.domain.types_of(kinds) for kinds in set(declared.values())}
        return {name: types_of[kinds] for name, kinds in declared.items()}

    @cached_property
    def init(self) -> frozenset[Atom]:
        """The initial facts, without values of functions.

        Raises:
            UngradedConstruct: an initial fact is negated, or has a time.
        """
        section = self._section(":init").removeprefix("(:init")
        section = _NUMERIC.sub(" ", section) if EQUAL in section else section
        facts = _FACT.findall(section)
        if len(facts) != section.count("("):
            raise UngradedConstruct(" ".join(_OTHER_FACT.findall(section)[:1]))
        return frozenset(map(tuple, map(str.split, facts)))

    @cached_property
    def goal(self) -> tuple[Literal, ...]:
        """The literals of the goal.

        Raises:
            UngradedConstruct: it is not a conjunction of literals, or there are constraints on plans.
        """
        if "(:constraints" in self.text:
            raise UngradedConstruct(":constraints")
        return tuple(literals_in_tree(["and", *trees_of(self._section(":goal"))[0][1:]]))

    def _section(self, keyword: str, default: str = "") -> str:
        """Return the text of a section, up to the next one; ``default`` if it is missing."""
        _, begin, following = self.text.partition(f"({keyword}")
        text = begin + following.partition("(:")[0] if begin else default
        if not text:
            raise ValueError(f"the problem has no section {keyword}")
        return text

    @cached_property
    def start(self) -> frozenset[Atom]:
        """The initial facts, that each object equals itself, and which functions have a value."""
        equalities = [(EQUAL, name, name) for name in self.objects]
        functions = [(EQUAL, *function.split()) for function in _NUMERIC.findall(self._section(":init"))]
        return self.init.union(equalities, functions)

    @cached_property
    def static_facts(self) -> frozenset[Atom]:
        """The facts that no action changes."""
        return frozenset(fact for fact in self.init if fact[0] not in self.domain.fluents)

    @cached_property
    def names(self) -> frozenset[str]:
        """The objects, predicates and actions."""
        return frozenset({*self.objects, *self.domain.predicates, *self.domain.parameters})

    @cached_property
    def spellings(self) -> re.Pattern[str]:
        """Words that may be another form of a name: with hyphens or underscores, or without a name's."""
        joined = sorted(word for word, name in self.symbols_by_letters.items() if word != name)
        return re.compile(rf"(?<![\w-])(?:\w+(?:[_-]+\w+)+{''.join(f'|{word}' for word in joined)})(?![\w-])")

    @cached_property
    def symbols_by_letters(self) -> Mapping[str, str]:
        """The predicates and actions by their letters and digits alone, as far as these are unique."""
        return _by_unique_key({*self.domain.predicates, *self.domain.parameters}, letters_of)

    @cached_property
    def objects_by_identifier(self) -> Mapping[str, str]:
        """The objects by their names with underscores for hyphens, as far as these are unique."""
        return _by_unique_key(self.objects, identifier_of)

    def misfit(self, types: Sequence[frozenset[str]], arguments: Sequence[str]) -> str:
        """Return why ``arguments`` are not objects of ``types``; empty if they are."""
        if len(types) != len(arguments):
            return f"{len(types)} arguments are wanted, not {len(arguments)}"
        for accepted, argument in zip(types, arguments, strict=True):
            types_of_object = self.objects.get(argument)
            if types_of_object is None:
                return f"{argument!r} is no object of the problem"
            if accepted.isdisjoint(types_of_object):
                return f"{argument!r} is no {' or '.join(sorted(accepted))}"
        return ""

    @cached_property
    def _actions(self) -> dict[Atom, ActionEffects | None]:
        return {}

    @cached_property
    def _makers(self) -> dict[Literal, list[Atom]]:
        return {}

    @cached_property
    def start_by_predicate(self) -> dict[str, list[Atom]]:
        """The facts of ``start`` by predicate."""
        by_predicate: dict[str, list[Atom]] = {}
        for fact in self.start:
            by_predicate.setdefault(fact[0], []).append(fact)
        return by_predicate

    def action(self, step: Atom) -> ActionEffects | None:
        """Return a ground action; None if the domain has none of this name, or the arguments do not fit."""
        if step not in self._actions:
            schema = self.domain.actions.get(step[0])
            fits = schema is not None and not self.misfit(schema.types, step[1:])
            self._actions[step] = ground(schema, step) if schema is not None and fits else None
        return self._actions[step]

    def objects_of(self, types: frozenset[str]) -> list[str]:
        """Return the objects of one of these types."""
        return [name for name, kinds in self.objects.items() if not types.isdisjoint(kinds)]

    def is_possible(self, step: Atom) -> bool:
        """Return whether the preconditions of a ground action that no action changes hold."""
        action = self.action(step)
        return action is not None and all(
            holds(literal, self.start) for literal in action.needs if literal[0][0] not in self.domain.fluents
        )

    def makers(self, literal: Literal) -> list[Atom]:
        """Return the ground actions that make a literal true and whose unchanging preconditions hold."""
        if literal not in self._makers:
            self._makers[literal] = sorted({*self._instances(literal)})
        return self._makers[literal]

    def _instances(self, literal: Literal) -> Iterator[Atom]:
        for name, schema in self.domain.actions.items():
            for lifted, positive in schema.effects:
                values = _unified(lifted, literal[0], schema.parameters) if positive == literal[1] else None
                for step in self._completed(name, schema, values) if values is not None else ():
                    if (action := self.action(step)) and action.makes(literal):
                        yield step

    def _completed(self, name: str, schema: Schema, values: dict[str, str]) -> Iterator[Atom]:
        """Yield the ground actions with these arguments whose unchanging preconditions hold."""
        variables = schema.parameters
        static = [
            ({*literal[0]} & {*variables}, literal)
            for literal in schema.needs
            if literal[0][0] not in self.domain.fluents
        ]

        def permitted(known: dict[str, str], new: Iterable[str]) -> bool:
            return all(
                holds(substituted(literal, known), self.start)
                for used, literal in static
                if used <= known.keys() and (not used or used & {*new})
            )

        pending = [values] if permitted(values, values) else []
        for variable, types in zip(variables, schema.types, strict=True):
            if variable in values:
                pending = [known for known in pending if not self.misfit([types], [known[variable]])]
                continue
            names = self.objects_of(types)
            longer = ({**known, variable: name} for known in pending for name in names)
            pending = [known for known in longer if permitted(known, [variable])]
        for known in pending:
            yield (name, *(known[variable] for variable in variables))


@lru_cache(maxsize=64)
def read_problem(domain: str, problem: str) -> GradedProblem:
    """Return the problem given by the texts of a domain and a problem.

    Raises:
        ValueError: one of the texts is not in PDDL.
    """
    return GradedProblem(read_domain(domain), lowered(problem))


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


def substituted(literal: Literal, values: Mapping[str, str]) -> Literal:
    """Return a literal with values in place of terms; terms without a value stay."""
    atom, positive = literal
    return tuple([values.get(term, term) for term in atom]), positive


def ground(schema: Schema, step: Atom) -> ActionEffects:
    """Return the ground action of a schema; its arguments must fit. An added fact is not deleted."""
    values = dict(zip(schema.parameters, step[1:], strict=True))
    needs, effects = (
        dict.fromkeys(substituted(literal, values) for literal in literals)
        for literals in (schema.needs, schema.effects)
    )
    adds = frozenset(atom for atom, positive in effects if positive)
    return ActionEffects(tuple(needs), adds, frozenset(atom for atom, _ in effects) - adds)


def _by_unique_key(names: Iterable[str], key_of: Callable[[str], str]) -> dict[str, str]:
    """Return the names by their keys, as far as these are unique."""
    names_by_key: dict[str, list[str]] = {}
    for name in names:
        names_by_key.setdefault(key_of(name), []).append(name)
    return {key: same_key[0] for key, same_key in names_by_key.items() if len(same_key) == 1}


def letters_of(name: str) -> str:
    """Return a name without hyphens and underscores: "putdown" for "put-down"."""
    return name.replace("-", "").replace("_", "")


def identifier_of(name: str) -> str:
    """Return a name with underscores for hyphens, as in a programming language."""
    return name.replace("-", "_")
