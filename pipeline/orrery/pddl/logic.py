"""Typed lists, atoms, conditions and effects: the parts that domains and problems share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from orrery.model import EQUAL, OBJECT, Atom, Domain, Literal, Predicate, TypedName, did_you_mean
from orrery.pddl.faults import SourceText, SyntaxFault
from orrery.pddl.tree import Node, Tree, flattened, typed_groups

_CONNECTIVES = frozenset({"or", "imply", "forall", "exists", "when", "preference", "oneof", "probabilistic"})
_NUMERIC = frozenset(
    {"assign", "decrease", "scale-up", "scale-down", "<", ">", "<=", ">=", "+", "-", "*", "/"}
)
_WIDER = _CONNECTIVES | _NUMERIC
_RESERVED = frozenset({"and", "not", "or", "imply", "forall", "exists", "when", "increase"})
_DIGITS = 15  # sums of costs stay below 2^63, and each cost exact as a float too
_NAME = re.compile(r"[a-z0-9_][a-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of names at one place: the domain so far, and the types of variables and objects."""

    source: SourceText
    domain: Domain
    types: Mapping[str, tuple[str, ...]]


def symbol(source: SourceText, item: Tree, parent: Node, what: str) -> str:
    """Return ``item`` as a plain symbol; raise an error that says ``what`` was expected otherwise."""
    if isinstance(item, str):
        return item
    raise source.error(item, f"expected {what}, found a list inside '({parent.head} ...)'")


def new_name(source: SourceText, item: Tree, parent: Node, what: str) -> str:
    """Return ``item`` as the name of a new ``what`` (``object``, ``predicate`` ...).

    Names may begin with a digit: PDDL forbids it, but published problems do it.
    """
    name = symbol(source, item, parent, f"the {what}'s name")
    if what == "parameter" and not name.startswith("?"):
        raise source.error(parent, f"parameter '{name}' must begin with '?'")
    if not _NAME.fullmatch(name[1:] if what == "parameter" else name):
        raise source.error(
            parent, f"'{name}' is no sound {what} name", "use the letters a-z, digits, '-' and '_'"
        )
    if what == "predicate" and name in _RESERVED:
        raise source.error(parent, f"'{name}' is a word of PDDL, not a predicate name", "rename it")
    return name


def typed_list(source: SourceText, items: list[Tree], parent: Node, what: str) -> tuple[TypedName, ...]:
    """Return ``a b - t c`` as typed new names in file order, each once; names without a type are objects."""
    found: list[TypedName] = []
    for group, written in typed_groups(items):
        names = [new_name(source, item, parent, what) for item in group]
        if written is None:
            found.extend([TypedName(name) for name in names])
            continue
        if not (names and written != ""):
            raise source.error(parent, "'-' needs names before it and a type after it")
        types = _type(source, written, parent, what)
        found.extend([TypedName(name, types) for name in names])
    unique(source, [typed.name for typed in found], parent, what)
    return tuple(found)


def _type(source: SourceText, item: Tree, parent: Node, what: str) -> tuple[str, ...]:
    """Return a type name, or for a parameter the types of ``(either ...)``."""
    if isinstance(item, str):
        return (item,)
    if item.head != "either" or len(item) < 2:
        raise source.error(item, "expected a type name or '(either ...)'")
    if what != "parameter":
        # PDDL leaves open whether such an object has all of the types or one not known.
        raise source.outside(item, f"(either ...) as the type of a {what}")
    return tuple(symbol(source, part, parent, "a type name") for part in item[1:])


def unique(source: SourceText, names: list[str], parent: Node, what: str) -> None:
    """Raise where a name is declared twice."""
    if len(set(names)) < len(names):
        twice = next(name for name, times in Counter(names).items() if times > 1)
        fault = SyntaxFault.DUPLICATE_OBJECT if what == "object" else SyntaxFault.MALFORMED
        raise source.error(parent, f"{what} '{twice}' is declared twice", "remove one of the two", fault)


def known_types(source: SourceText, domain: Domain, names: tuple[TypedName, ...], parent: Node) -> None:
    """Raise where a type is used that the domain does not declare."""
    for typed in names:
        for name in typed.types:
            if name not in domain.ancestors:
                raise source.error(
                    parent,
                    f"type '{name}' is not declared",
                    f"{_near(name, domain.ancestors)}add '{name}' to (:types ...)",
                    SyntaxFault.UNKNOWN_TYPE,
                )


def _near(name: object, known: Iterable[str]) -> str:
    """Return ``did_you_mean``, to stand before another mend."""
    question = did_you_mean(str(name), known)
    return f"{question} else " if question else ""


def atom(scope: Scope, node: Node) -> Atom:
    """Return a predicate or equality with its arguments, checked for arity, names and types."""
    head = node.head
    if head == EQUAL:
        if any(isinstance(argument, Node) for argument in node):
            raise scope.source.outside(node, "= between numbers")
        expected = Predicate(EQUAL, (TypedName("?x"), TypedName("?y")))
    elif head in scope.domain.predicate_named:
        expected = scope.domain.predicate_named[head]
    elif head in _WIDER:
        raise scope.source.outside(node, head)
    elif not head:
        problem = "expected '(PREDICATE ...)' and found a list that begins with none"
        raise scope.source.error(node, problem, "name the predicate first, within one pair of parentheses")
    elif head in _RESERVED:
        problem = f"'{head}' stands where a predicate is expected"
        raise scope.source.error(node, problem, f"'{head}' is a word of PDDL: write a single atom")
    else:
        raise scope.source.error(
            node,
            f"predicate '{head}' is not declared",
            f"{_near(head, scope.domain.predicate_named)}add it to (:predicates ...)",
            SyntaxFault.UNKNOWN_PREDICATE,
        )
    return _term(scope, node, expected)


def function_term(scope: Scope, item: Tree, parent: Node) -> Atom:
    """Return a numeric function with its arguments."""
    if not isinstance(item, Node):
        raise scope.source.error(parent, f"expected a function term, found '{item}'")
    expected = next((f for f in scope.domain.functions if f.name == item.head), None)
    if expected is None:
        raise scope.source.error(
            item,
            f"function '{item.head}' is not declared",
            "add it to (:functions ...)",
            SyntaxFault.OUTSIDE_SUBSET,
        )
    return _term(scope, item, expected)


def _term(scope: Scope, node: Node, expected: Predicate) -> Atom:
    """Return the arguments of ``node``, checked against the parameters of ``expected``."""
    if len(node) - 1 != expected.arity:
        raise scope.source.error(
            node,
            f"'{expected.name}' takes {expected.arity} arguments, found {len(node) - 1}",
            fault=SyntaxFault.WRONG_ARITY,
        )
    for item, parameter in zip(node[1:], expected.parameters, strict=True):
        name = symbol(scope.source, item, node, "an argument")
        types = scope.types.get(name)
        if types is None:
            kind = "variable" if name.startswith("?") else "object"
            problem = f"{kind} '{name}' is not declared"
            mend = f"{_near(name, scope.types)}declare it, or write the name of another"
            raise scope.source.error(node, problem, mend, SyntaxFault.UNKNOWN_OBJECT)
        if parameter.types != (OBJECT,):
            _check_fit(scope, node, TypedName(name, types), parameter)
    return tuple(node)  # type: ignore[arg-type]  # the loop above has checked that all are symbols


def _check_fit(scope: Scope, node: Node, argument: TypedName, parameter: TypedName) -> None:
    """Raise where an argument's type is not below the parameter's."""
    if not all(scope.domain.fits((name,), parameter.types) for name in argument.types):
        raise scope.source.error(
            node,
            f"'{argument.name}' is of type {'/'.join(argument.types)}"
            f" where '{node.head}' takes {'/'.join(parameter.types)}",
            fault=SyntaxFault.WRONG_TYPE,
        )


def conjuncts(node: Node) -> Iterator[Tree]:
    """Yield the parts of a conjunction; ``()`` has none."""
    return (item for item in flattened(node) if item != [])


def literals_of(scope: Scope, node: Node) -> frozenset[Literal]:
    """Return a conjunction of literals of both signs."""
    return frozenset(_literal(scope, part, node) for part in conjuncts(node))


def _literal(scope: Scope, part: Tree, parent: Node) -> Literal:
    """Return an atom or a negated atom."""
    if isinstance(part, str):
        raise scope.source.error(parent, f"'{part}' stands where a literal is expected", "add parentheses")
    if part.head != "not":
        return Literal(atom(scope, part))
    inner = part[1] if len(part) == 2 else None
    if not isinstance(inner, Node):
        raise scope.source.error(part, "'not' takes one atom")
    if inner.head in {"and", "not"}:
        raise scope.source.outside(inner, f"not ({inner.head} ...)")
    return Literal(atom(scope, inner), positive=False)


def natural(source: SourceText, text: str, node: Node) -> int:
    """Return ``text`` as a number of the form that costs have: 0, 1, 2 ..."""
    if not (text.isascii() and text.isdecimal()):
        raise source.error(node, f"'{text}' is not a non-negative integer")
    if len(text) > _DIGITS:
        raise source.error(node, f"a number of {len(text)} digits", f"use at most {_DIGITS} digits")
    return int(text)
