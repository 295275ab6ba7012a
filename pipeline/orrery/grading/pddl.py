"""Read the domain of a row from PDDL, for the symbols of replies and for simulation.

Supported: STRIPS with types (``either`` too), constants, equality and negative preconditions. Action costs
are ignored, but a function that is a step's cost must have a value: ``(= toll a b)`` is then a static fact.
Other constructs are refused by name when a plan is executed. Each section is read when it is used, so a
question needs only declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeAlias

from .row import Atom, Literal

Tree: TypeAlias = "str | list[Tree]"
TypeSets: TypeAlias = tuple[frozenset[str], ...]

OBJECT = "object"
EQUAL = "="
_COMMENT = re.compile(r";[^\n]*")
_TOKEN = re.compile(r"[()]|\??[^\s()?]+|\?")
_DEEPEST = 100
_SECTIONS = frozenset(
    ["domain", ":requirements", ":types", ":constants", ":predicates", ":functions", ":action"]
)
_OPERATORS = frozenset(["or", "imply", "exists", "forall", "when", "preference", "not", "and"])


class UngradedConstruct(ValueError):
    """A construct that is not executed here, although it is valid PDDL."""

    def __init__(self, construct: object) -> None:
        """Name the construct."""
        super().__init__(
            f"'{construct}' is outside the PDDL that is graded: STRIPS with types, constants and negation"
        )


class Schema(NamedTuple):
    """An action schema: its parameters with their types, and its literals over these and objects.

    ``needs`` are the conditions, positive ones first.
    """

    parameters: Atom
    types: TypeSets
    needs: tuple[Literal, ...]
    effects: tuple[Literal, ...]


@dataclass(frozen=True, eq=False)
class GradedDomain:
    """The domain with these sections, by keyword, and these lists of its actions, by name and keyword."""

    sections: Mapping[str, list[Tree]]
    definitions: Mapping[str, Mapping[str, Any]]

    @cached_property
    def supertypes(self) -> Mapping[str, frozenset[str]]:
        """All supertypes of each type, including itself and ``object``."""
        parents = dict(typed(self.sections.get(":types", [])))
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

    def types_of(self, declared: Iterable[str]) -> frozenset[str]:
        """Return all types of an object with these declared types."""
        return frozenset({OBJECT}.union(*(self.supertypes.get(name, {name}) for name in declared)))

    @cached_property
    def predicates(self) -> Mapping[str, TypeSets]:
        """The types of the arguments of each predicate."""
        signatures = self.sections.get(":predicates", [])
        return {str(signature[0]): _type_sets(signature[1:]) for signature in signatures if signature}

    @cached_property
    def parameters(self) -> Mapping[str, TypeSets]:
        """The types of the parameters of each action."""
        return {name: _type_sets(lists.get(":parameters", [])) for name, lists in self.definitions.items()}

    @cached_property
    def actions(self) -> Mapping[str, Schema]:
        """The action schemas by name.

        Raises:
            UngradedConstruct: a condition or an effect is not a conjunction of literals, or the domain
                has other sections.
            ValueError: a variable is not declared.
        """
        self.check_sections()
        return {name: _schema(name, lists) for name, lists in self.definitions.items()}

    def check_sections(self) -> None:
        """Raise UngradedConstruct if the domain has sections that are not graded."""
        if other := sorted(self.sections.keys() - _SECTIONS):
            raise UngradedConstruct(other[0])

    @cached_property
    def fluents(self) -> frozenset[str]:
        """The predicates that some action changes."""
        effects = (lists.get(":effect", []) for lists in self.definitions.values())
        return frozenset(name for effect in effects for name in _changed(effect))


# Rows of a domain, and replies to one row, are consecutive, so their PDDL is read once.
@lru_cache(maxsize=64)
def read_domain(text: str) -> GradedDomain:
    """Return the domain in ``text``.

    Raises:
        ValueError: the text is not a domain.
    """
    trees = trees_of(lowered(text))
    sections = trees[0][1:] if len(trees) == 1 else []
    if not sections or not all(isinstance(section, list) and section for section in sections):
        raise ValueError("the domain is not written in sections")
    actions = (section for section in sections if section[0] == ":action")
    return GradedDomain(
        {str(section[0]): list(section[1:]) for section in sections},
        {str(action[1]): dict(zip(map(str, action[2::2]), action[3::2], strict=False)) for action in actions},
    )


@lru_cache(maxsize=1024)
def conditions_of(domain: GradedDomain, name: str) -> Schema:
    """Return the schema of an action without its effects, apart from costs; effects may be of any PDDL.

    Raises:
        UngradedConstruct: its precondition is not a conjunction of literals, or the domain has other
            sections.
    """
    domain.check_sections()
    lists = domain.definitions[name]
    return _schema(name, {**lists, ":effect": ["and", *_increases(lists.get(":effect", []))]})


def lowered(text: Any) -> str:
    """Return a text in lower case and without comments; raise ValueError if it is no text."""
    if not isinstance(text, str):
        raise ValueError("the row has no PDDL")
    return _COMMENT.sub("", text).lower()


def trees_of(text: str) -> list[Any]:
    """Return the expressions of a text as nested lists."""
    open_lists: list[list[Any]] = []
    current: list[Any] = []
    for token in _TOKEN.findall(text):
        if token == "(":
            open_lists.append(current)
            current = []
            if len(open_lists) > _DEEPEST:
                raise ValueError("the PDDL is nested too deeply")
        elif token == ")" and open_lists:
            open_lists[-1].append(current)
            current = open_lists.pop()
        else:
            current.append(token)
    if open_lists:
        raise ValueError("the PDDL lacks a closing parenthesis")
    return current


def typed(declared: Iterable[Tree]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield names with their types, from ``a b - t c``."""
    waiting: list[str] = []
    is_after_dash = False
    for item in declared:
        if item == "-":
            is_after_dash = True
        elif is_after_dash:
            types = (item,) if isinstance(item, str) else tuple(map(str, item[1:]))  # after "either"
            yield from ((name, types) for name in waiting)
            waiting, is_after_dash = [], False
        else:
            waiting.append(str(item))
    yield from ((name, (OBJECT,)) for name in waiting)


def _type_sets(declared: Iterable[Tree]) -> TypeSets:
    return tuple(frozenset(types) for _, types in typed(declared))


def _schema(name: str, lists: Mapping[str, Any]) -> Schema:
    """Return the schema of the action with these lists."""
    declared = list(typed(lists.get(":parameters", [])))
    parameters = tuple(variable for variable, _ in declared)
    effect = lists.get(":effect", [])
    effects = tuple(literals_in_tree(effect))
    conditions = list(literals_in_tree(lists.get(":precondition", [])))
    conditions += [(atom, True) for atom in _cost_functions(effect)]
    symbols = {symbol for atom, _ in (*conditions, *effects) for symbol in atom}
    if any(symbol.startswith("?") for symbol in symbols.difference(parameters)):
        raise ValueError(f"action {name!r} uses a variable that it does not declare")
    needs = sorted(conditions, key=lambda literal: not literal[1])
    return Schema(parameters, tuple(frozenset(types) for _, types in declared), tuple(needs), effects)


def literals_in_tree(tree: Tree) -> Iterator[Literal]:
    """Yield the atoms of a conjunction, each with its sign."""
    if tree[:1] == ["and"]:
        for part in tree[1:]:
            yield from literals_in_tree(part)
    elif tree[:1] == ["not"] and len(tree) == 2:
        yield _atom(tree[1]), False
    elif tree and tree[0] != "increase":
        yield _atom(tree), True


def _increases(effect: Tree) -> Iterator[Tree]:
    """Yield the effects ``(increase (total-cost) (toll ?a ?b))`` of a conjunction."""
    if effect[:1] == ["and"]:
        for part in effect[1:]:
            yield from _increases(part)
    elif effect[:1] == ["increase"]:
        yield effect


def _cost_functions(effect: Tree) -> Iterator[Atom]:
    """Yield ``(= toll ?a ?b)`` for each ``(increase (total-cost) (toll ?a ?b))`` of a conjunction."""
    for increase in _increases(effect):
        if isinstance(increase[-1], list):
            yield _atom([EQUAL, *increase[-1]])


def _changed(effect: Tree) -> Iterator[str]:
    """Yield the predicates that an effect changes, also under a condition."""
    head, *parts = list(effect) or ["and"]
    if head not in _OPERATORS:
        yield str(head)
    for part in parts if head in ("and", "not") else parts[-1:] if head in _OPERATORS else ():
        yield from _changed(part)


def _atom(tree: Tree) -> Atom:
    symbols = tree if isinstance(tree, list) and tree else [tree]
    if symbols[0] in _OPERATORS or not all(isinstance(symbol, str) for symbol in symbols):
        raise UngradedConstruct(symbols[0])
    return tuple(map(str, symbols))
