"""Read the domain and the problem of a row from PDDL, for the symbols of replies and for simulation.

Supported: STRIPS with types (``either`` too), constants, equality and negative preconditions. Action costs
are ignored, but a function that is a step's cost must have a value: ``(= toll a b)`` is then a static fact.
Other constructs are refused by name when a plan is executed. Each section is read when it is used, so a
question needs only declarations. The atoms of an action schema store argument positions, so a
step is grounded by look-up, and only when it is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from .row import Atom

Tree: TypeAlias = "str | list[Tree]"
# Returns a fact, given the arguments of a step followed by the constants of its action.
Ground: TypeAlias = Callable[[Atom], Atom]
TypeSets: TypeAlias = tuple[frozenset[str], ...]

OBJECT = "object"
EQUAL = "="
_COMMENT = re.compile(r";[^\n]*")
_TOKEN = re.compile(r"[()]|\??[^\s()?]+|\?")
_FACT = re.compile(r"\(([^()]*)\)")
_OTHER_FACT = re.compile(r"\(\s*([^\s()]*)[^()]*\(")
_NUMERIC = re.compile(r"\(\s*=\s*\(([^()]*)\)[^()]*\)")
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
    """An action schema: the types of its parameters, and its conditions and effects over positions.

    Positions count the parameters, followed by ``constants``: the predicate symbols, and the names of objects
    in the definition. ``atoms`` are those that must hold, must not hold, are added, and are deleted.
    """

    types: TypeSets
    constants: Atom
    atoms: tuple[tuple[Ground, ...], ...]


@dataclass(frozen=True, eq=False)
class GradedDomain:
    """The domain with these sections, by keyword, and these lists of its actions, by name and keyword."""

    sections: Mapping[str, list[Tree]]
    definitions: Mapping[str, Mapping[str, Any]]

    @cached_property
    def supertypes(self) -> Mapping[str, frozenset[str]]:
        """All supertypes of each type, including itself and ``object``."""
        parents = dict(_typed(self.sections.get(":types", [])))
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


@dataclass(frozen=True, eq=False)
class GradedProblem:
    """The problem with this text, in lower case and without comments."""

    domain: GradedDomain
    text: str

    @cached_property
    def objects(self) -> Mapping[str, frozenset[str]]:
        """The objects and the constants of the domain, with all their types."""
        section = _trees(self._section(":objects", "()"))[0][1:]
        declared = dict(_typed([*self.domain.sections.get(":constants", []), *section]))
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
    def goal(self) -> tuple[tuple[Atom, bool], ...]:
        """The literals of the goal.

        Raises:
            UngradedConstruct: it is not a conjunction of literals, or there are constraints on plans.
        """
        if "(:constraints" in self.text:
            raise UngradedConstruct(":constraints")
        return tuple(_literals(["and", *_trees(self._section(":goal"))[0][1:]]))

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


# Rows of a domain, and replies to one row, are consecutive, so their PDDL is read once.
@lru_cache(maxsize=64)
def read_domain(text: str) -> GradedDomain:
    """Return the domain in ``text``.

    Raises:
        ValueError: the text is not a domain.
    """
    trees = _trees(_lowered(text))
    sections = trees[0][1:] if len(trees) == 1 else []
    if not sections or not all(isinstance(section, list) and section for section in sections):
        raise ValueError("the domain is not written in sections")
    actions = (section for section in sections if section[0] == ":action")
    return GradedDomain(
        {str(section[0]): list(section[1:]) for section in sections},
        {str(action[1]): dict(zip(map(str, action[2::2]), action[3::2], strict=False)) for action in actions},
    )


@lru_cache(maxsize=64)
def read_problem(domain: str, problem: str) -> GradedProblem:
    """Return the problem given by the texts of a domain and a problem.

    Raises:
        ValueError: one of the texts is not in PDDL.
    """
    return GradedProblem(read_domain(domain), _lowered(problem))


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


def _lowered(text: Any) -> str:
    if not isinstance(text, str):
        raise ValueError("the row has no PDDL")
    return _COMMENT.sub("", text).lower()


def _trees(text: str) -> list[Any]:
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


def _typed(declared: Iterable[Tree]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield names with their types, from ``a b - t c``."""
    waiting: list[str] = []
    typed = False
    for item in declared:
        if item == "-":
            typed = True
        elif typed:
            types = (item,) if isinstance(item, str) else tuple(map(str, item[1:]))  # after "either"
            yield from ((name, types) for name in waiting)
            waiting, typed = [], False
        else:
            waiting.append(str(item))
    yield from ((name, (OBJECT,)) for name in waiting)


def _type_sets(declared: Iterable[Tree]) -> TypeSets:
    return tuple(frozenset(types) for _, types in _typed(declared))


def _schema(name: str, lists: Mapping[str, Any]) -> Schema:
    """Return the schema of the action with these lists."""
    parameters = list(_typed(lists.get(":parameters", [])))
    literals = [
        tuple(atom for atom, positive in _literals(lists.get(keyword, [])) if positive == wanted)
        for keyword in (":precondition", ":effect")
        for wanted in (True, False)
    ]
    literals[0] += tuple(_cost_functions(lists.get(":effect", [])))
    places = {variable: place for place, (variable, _) in enumerate(parameters)}
    for symbol in (symbol for atoms in literals for atom in atoms for symbol in atom):
        places.setdefault(symbol, len(places))
    constants = tuple(places)[len(parameters) :]
    if any(symbol.startswith("?") for symbol in constants):
        raise ValueError(f"action {name!r} uses a variable that it does not declare")
    grounds = (tuple(_ground([places[symbol] for symbol in atom]) for atom in atoms) for atoms in literals)
    return Schema(tuple(frozenset(types) for _, types in parameters), constants, tuple(grounds))


def _ground(places: list[int]) -> Ground:
    if len(places) > 1:
        return itemgetter(*places)
    return lambda values: (values[places[0]],)


def _literals(tree: Tree) -> Iterator[tuple[Atom, bool]]:
    """Yield the atoms of a conjunction, each with its sign."""
    if tree[:1] == ["and"]:
        for part in tree[1:]:
            yield from _literals(part)
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
