"""Read the domain and the problem of a row from PDDL, to simulate plans.

Supported: STRIPS with types (``either`` too), constants, equality and negative preconditions. Action costs
are ignored. The atoms of an action schema store argument positions, so a step is grounded by look-up, and
only when it is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any, TypeAlias

from .atoms import Atom

Tree: TypeAlias = "str | list[Tree]"
# Returns a fact, given the arguments of a step followed by the constants of its action.
Ground: TypeAlias = Callable[[Atom], Atom]

OBJECT = "object"
EQUAL = "="
_COMMENT = re.compile(r";[^\n]*")
_TOKEN = re.compile(r"[()]|[^\s()]+")
_GROUP = re.compile(r"\(([^()]*)\)")
_GOAL = re.compile(r"(\(\s*not\s*)?\(([^()]*)\)")
_NUMERIC = re.compile(r"\(\s*=\s*\([^()]*\)[^()]*\)")
_EITHER = re.compile(r"\(\s*either([^()]*)\)")
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Schema:
    """An action schema: the types of its parameters, and its conditions and effects over positions.

    Positions count the parameters, followed by ``constants``: the predicate symbols, and the names of objects
    in the definition.
    """

    name: str
    types: tuple[frozenset[str], ...]
    constants: Atom
    needs: tuple[Ground, ...]
    needs_not: tuple[Ground, ...]
    adds: tuple[Ground, ...]
    deletes: tuple[Ground, ...]


@dataclass(frozen=True)
class GradedDomain:
    """Types with their supertypes, constants, predicates, and action schemas by name."""

    supertypes: Mapping[str, frozenset[str]]
    constants: Mapping[str, tuple[str, ...]]
    predicates: Mapping[str, tuple[frozenset[str], ...]]
    actions: Mapping[str, Schema]
    fluents: frozenset[str]

    def types_of(self, declared: Iterable[str]) -> frozenset[str]:
        """Return all types of an object with these declared types."""
        types = {OBJECT}
        for name in declared:
            types |= self.supertypes.get(name, {name})
        return frozenset(types)


@dataclass(frozen=True)
class GradedProblem:
    """The objects with all their types, the initial facts, and the literals of the goal."""

    domain: GradedDomain
    objects: Mapping[str, frozenset[str]]
    init: frozenset[Atom]
    goal: tuple[tuple[Atom, bool], ...]

    @cached_property
    def static_facts(self) -> frozenset[Atom]:
        """The facts that no action changes."""
        return frozenset(fact for fact in self.init if fact[0] not in self.domain.fluents)

    @cached_property
    def identifiers(self) -> Mapping[str, str]:
        """The names with hyphens, by their identifiers in a programming language."""
        return identifiers_of({*self.objects, *self.domain.predicates, *self.domain.actions})

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


@dataclass(frozen=True)
class Declarations:
    """The sections of a domain by their keywords, and its actions, as trees."""

    sections: Mapping[str, list[Tree]]
    actions: tuple[list[Tree], ...]

    @cached_property
    def predicates(self) -> Mapping[str, tuple[frozenset[str], ...]]:
        """The types of the arguments of each predicate."""
        signatures = self.sections.get(":predicates", [])
        return {str(signature[0]): _type_sets(signature[1:]) for signature in signatures if signature}

    @cached_property
    def constants(self) -> Mapping[str, tuple[str, ...]]:
        """The declared types of each constant."""
        return dict(_typed(self.sections.get(":constants", [])))

    @cached_property
    def action_arities(self) -> Mapping[str, int]:
        """The number of parameters of each action."""
        return {str(action[1]): len(_typed(_parts(action).get(":parameters", []))) for action in self.actions}


# Rows of a domain, and replies to one row, are consecutive, so their PDDL is read once.
@lru_cache(maxsize=64)
def read_declarations(text: str) -> Declarations:
    """Return the declarations of the domain in ``text``.

    Raises:
        ValueError: The text is not a domain.
    """
    sections: dict[str, list[Tree]] = {}
    actions: list[list[Tree]] = []
    for section in _tree(_lowered(text))[1:]:
        if not isinstance(section, list) or not section:
            raise ValueError("the domain is not written in sections")
        if section[0] == ":action":
            actions.append(section)
        else:
            sections[str(section[0])] = section[1:]
    return Declarations(sections, tuple(actions))


def read_objects(problem: str) -> dict[str, tuple[str, ...]]:
    """Return the declared types of the objects of a problem, by name."""
    section = _EITHER.sub(_joined_types, _section(_lowered(problem), "(:objects"))
    return dict(_listed(section.replace(")", " ").split()))


def _joined_types(either: re.Match[str]) -> str:
    return either[1].strip().replace(" ", "|")


@lru_cache(maxsize=64)
def read_domain(text: str) -> GradedDomain:
    """Return the domain in ``text``.

    Raises:
        ValueError: The text is not a domain, or it has conditions other than conjunctions of literals.
    """
    declarations = read_declarations(text)
    supertypes = _supertypes(_typed(declarations.sections.get(":types", [])))
    schemas = [_schema(action) for action in declarations.actions]
    return GradedDomain(
        supertypes,
        declarations.constants,
        declarations.predicates,
        {schema.name: schema for schema, _ in schemas},
        frozenset(name for _, changed in schemas for name in changed),
    )


@lru_cache(maxsize=64)
def read_problem(domain: str, problem: str) -> GradedProblem:
    """Return the problem given by the texts of a domain and a problem.

    Raises:
        ValueError: One of the texts is not a domain or not a problem.
    """
    declared_domain, text = read_domain(domain), _lowered(problem)
    init, goal = _section(text, "(:init"), _section(text, "(:goal")
    if not init or not goal:
        raise ValueError("the problem has no initial state, or no goal")
    objects = {
        name: declared_domain.types_of(types)
        for name, types in (*declared_domain.constants.items(), *read_objects(problem).items())
    }
    if "=" in init:
        init = _NUMERIC.sub(" ", init)
    literals = ((tuple(inside.split()), not denied) for denied, inside in _GOAL.findall(goal))
    return GradedProblem(
        declared_domain,
        objects,
        frozenset(map(tuple, map(str.split, _GROUP.findall(init)))),
        tuple((atom, positive) for atom, positive in literals if atom and atom != ("and",)),
    )


def _lowered(text: Any) -> str:
    if not isinstance(text, str):
        raise ValueError("the row has no PDDL")
    return (_COMMENT.sub("", text) if ";" in text else text).lower()


def _section(text: str, head: str) -> str:
    """Return the content of ``(:head ...)``, up to the next section."""
    start = text.find(head)
    if start < 0:
        return ""
    end = text.find("(:", start + 1)
    return text[start + len(head) : end if end > 0 else text.rfind(")")].strip()


def _tree(text: str) -> list[Tree]:
    """Parse ``text`` as one expression; return its nested lists."""
    open_lists: list[list[Tree]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            open_lists.append([])
        elif token == ")" and len(open_lists) > 1:
            open_lists[-2].append(open_lists.pop())
        else:
            open_lists[-1].append(token)
        if len(open_lists) > _DEEPEST:
            raise ValueError("the domain is nested too deeply")
    top = open_lists[0][0] if len(open_lists) == 1 and open_lists[0] else None
    if not isinstance(top, list):
        raise ValueError("the domain is no single expression")
    return top


def _listed(words: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield names with their types, from ``a b - t c``; several types are joined by ``|``."""
    waiting: list[str] = []
    typed = False
    for word in words:
        if word == "-":
            typed = True
        elif typed:
            types = tuple(word.split("|"))
            yield from ((name, types) for name in waiting)
            waiting, typed = [], False
        else:
            waiting.append(word)
    yield from ((name, (OBJECT,)) for name in waiting)


def _typed(tree: list[Tree]) -> list[tuple[str, tuple[str, ...]]]:
    return list(_listed(item if isinstance(item, str) else "|".join(map(str, item[1:])) for item in tree))


def _type_sets(tree: Any) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(types) for _, types in _typed(tree))


def _supertypes(declared: list[tuple[str, tuple[str, ...]]]) -> dict[str, frozenset[str]]:
    """Return all supertypes of each type, including itself and ``object``."""
    parents = dict(declared)
    supertypes = {}
    for name in parents:
        reached, waiting = {name, OBJECT}, list(parents[name])
        while waiting:
            parent = waiting.pop()
            if parent not in reached:
                reached.add(parent)
                waiting += parents.get(parent, ())
        supertypes[name] = frozenset(reached)
    return supertypes


def _parts(action: list[Tree]) -> dict[str, Any]:
    """Return the lists of an action by their keywords."""
    return dict(zip(map(str, action[2::2]), action[3::2], strict=False))


def _schema(tree: list[Tree]) -> tuple[Schema, set[str]]:
    """Return the schema of one ``(:action ...)``, and the predicates that it changes."""
    name, parts = str(tree[1]), _parts(tree)
    parameters = _typed(list(parts.get(":parameters", [])))
    needs, needs_not = _literals(parts.get(":precondition", []))
    adds, deletes = _literals(parts.get(":effect", []))
    variables = tuple(variable for variable, _ in parameters)
    mentioned = (symbol for atom in (*needs, *needs_not, *adds, *deletes) for symbol in atom)
    places = {variable: place for place, variable in enumerate(variables)}
    for symbol in mentioned:
        places.setdefault(symbol, len(places))
    constants = tuple(places)[len(variables) :]
    if any(symbol.startswith("?") for symbol in constants):
        raise ValueError(f"action {name!r} uses a variable that it does not declare")
    conditions, negated_conditions, added, deleted = (
        tuple(_ground(tuple(places[symbol] for symbol in atom)) for atom in atoms)
        for atoms in (needs, needs_not, adds, deletes)
    )
    types = tuple(frozenset(kinds) for _, kinds in parameters)
    return Schema(name, types, constants, conditions, negated_conditions, added, deleted), {
        a[0] for a in (*adds, *deletes)
    }


def _ground(places: tuple[int, ...]) -> Ground:
    if len(places) > 1:
        return itemgetter(*places)
    place = places[0]
    return lambda values: (values[place],)


def _literals(tree: Tree) -> tuple[list[Atom], list[Atom]]:
    """Return the positive and the negative atoms of a conjunction."""
    affirmed: list[Atom] = []
    denied: list[Atom] = []
    waiting = [tree]
    while waiting:
        item = waiting.pop()
        if not isinstance(item, list):
            raise ValueError(f"{item!r} is no literal")
        if not item or item[0] == "increase":
            continue
        if item[0] == "and":
            waiting += item[1:]
        elif item[0] == "not" and len(item) == 2:
            denied.append(_atom(item[1]))
        else:
            affirmed.append(_atom(item))
    return affirmed, denied


def _atom(tree: Tree) -> Atom:
    if not isinstance(tree, list) or not tree or not all(isinstance(symbol, str) for symbol in tree):
        raise ValueError(f"{tree!r} is no literal")
    return tuple(map(str, tree))


def identifiers_of(names: Collection[str]) -> dict[str, str]:
    """Return the names with hyphens, by their form with underscores, unless that form is another name."""
    names_by_identifier: dict[str, list[str]] = {}
    for name in names:
        names_by_identifier.setdefault(name.replace("-", "_"), []).append(name)
    return {
        written: spellings[0]
        for written, spellings in names_by_identifier.items()
        if spellings != [written] and len(spellings) == 1
    }
