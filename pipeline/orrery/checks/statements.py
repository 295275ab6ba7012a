"""The statements that a domain in PDDL makes, read by a small reader of the checks' own.

A statement is a tuple: a declaration, a precondition or an effect of an action, or a rule. Two domains with
equal statements differ at most in the order of their parts. Descriptions are read to the same statements.

    ("domain", NAME)                     ("requirement", NAME)
    ("type" or "constant", NAME, TYPES)  ("predicate" or "function", NAME, PARAMETERS)
    ("action", KIND, NAME, PARAMETERS)   ("needs" or "makes", ACTION, FORMULA)
    ("rule", ":derived", FACT, FORMULA, PARAMETERS)             ("rule", ":constraints", FORMULA)
    ("part", KEYWORD, ACTION, FORMULA): of dialects

Parameters are pairs of a name and its types, in order; types are sorted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

Tree: TypeAlias = Any  # a symbol, or a tuple of trees
Typed: TypeAlias = tuple[str, tuple[str, ...]]
Statement: TypeAlias = tuple[Any, ...]

TOKEN = re.compile(r";[^\n]*|[()]|\??[^\s();?]+")
OBJECT = ("object",)
QUANTIFIERS = ("forall", "exists")
PLURALS = {":types": "type", ":constants": "constant", ":predicates": "predicate", ":functions": "function"}
CONDITIONS = {":precondition": "needs", ":condition": "needs", ":effect": "makes"}


def symbols_of(text: str) -> list[str]:
    """Return the symbols and parentheses of a PDDL text in lower case, without comments."""
    return [token.lower() for token in TOKEN.findall(text) if token[0] != ";"]


def tree_of(text: str) -> Tree:
    """Return the only list of a PDDL text as nested tuples.

    Raises:
        ValueError: the parentheses do not match, or something stands outside of the list.
    """
    stack: list[list[Tree]] = [[]]
    for symbol in symbols_of(text):
        if symbol == "(":
            stack.append([])
        elif symbol != ")":
            stack[-1].append(symbol)
        elif len(stack) > 1:
            inner = tuple(stack.pop())
            stack[-1].append(inner)
        else:
            raise ValueError("a parenthesis is closed that is not open")
    if len(stack) > 1 or len(stack[0]) != 1 or isinstance(stack[0][0], str):
        raise ValueError("the text is not one list in parentheses")
    return stack[0][0]


def typed(items: Iterable[Tree]) -> tuple[Typed, ...]:
    """Return the names of a typed list with their types; a type counts for all names since the last one."""
    names: list[Typed] = []
    group: list[str] = []
    rest = iter(items)
    for item in rest:
        if item[0] == "-":
            declared = next(rest) if item == "-" else item[1:]  # "?c -car" occurs
            types = (declared,) if isinstance(declared, str) else tuple(sorted(declared[1:]))
            names += [(name, types) for name in group]
            group = []
        else:
            group.append(item)
    return (*names, *((name, OBJECT) for name in group))


def statements(text: str) -> Counter[Statement]:
    """Return the statements of a domain with the number of times that it makes each.

    Raises:
        ValueError: the text is not a list, or some part of it has another form than PDDL gives it.
    """
    _, (_, name), *sections = tree_of(text)
    return Counter([("domain", name), *(one for section in sections for one in _section(*section))])


def _section(head: str, *parts: Tree) -> Iterator[Statement]:
    if head == ":requirements":
        yield from (("requirement", name) for name in parts)
    elif head in (":types", ":constants"):
        yield from ((PLURALS[head], *pair) for pair in typed(parts) if pair[0] != "object")
    elif head in PLURALS:
        # Types of the values of functions are not declared by Orrery, and are always numbers.
        yield from ((PLURALS[head], part[0], typed(part[1:])) for part in parts if not isinstance(part, str))
    elif head == ":derived":
        fact, condition = parts
        variables = typed(fact[1:])
        derived = (fact[0], *(variable for variable, _ in variables))
        yield ("rule", head, derived, normal(formula(condition)), variables)
    elif head == ":constraints":
        yield from (("rule", head, part) for part in conjuncts(formula(parts[0])))
    else:
        yield from _action(head, *parts)


def _action(kind: str, name: str, *parts: Tree) -> Iterator[Statement]:
    """Yield the statements of an action; ``parts`` are its keywords, each before its value."""
    values = dict(zip(parts[::2], parts[1::2], strict=True))
    yield ("action", kind, name, typed(values.pop(":parameters", ())))
    if ":duration" in values:
        yield from (
            ("needs", name, (":duration", part)) for part in conjuncts(formula(values.pop(":duration")))
        )
    for keyword, value in values.items():
        statement = (CONDITIONS[keyword],) if keyword in CONDITIONS else ("part", keyword)
        yield from ((*statement, name, part) for part in conjuncts(formula(value)))


def formula(tree: Tree) -> Tree:
    """Return a condition or an effect with typed variables of its quantifiers, and one symbol for a time."""
    if isinstance(tree, str) or not tree:
        return tree if isinstance(tree, str) else ("and",)
    head, *parts = tree
    if head in QUANTIFIERS:
        return (head, typed(parts[0]), *map(formula, parts[1:]))
    if head in ("at", "over") and len(parts) == 2 and isinstance(parts[1], tuple):
        return (f"{head} {parts[0]}", formula(parts[1]))
    return (head, *map(formula, parts))


def conjuncts(tree: Tree) -> Sequence[Tree]:
    """Return the parts of a conjunction in normal form."""
    whole = normal(tree)
    return whole[1:] if whole[0] == "and" else (whole,)


def normal(tree: Tree) -> Tree:
    """Return the normal form of a condition or an effect.

    It has no conjunction within another one, or directly within ``forall`` or an effect of ``when``, and no
    double negation. Parts of ``and`` and ``or`` are sorted.
    """
    if isinstance(tree, str):
        return tree
    head, *parts = tree
    if head in QUANTIFIERS:
        variables, (body,) = parts[0], map(normal, parts[1:])
        return _quantified(head, variables, body)
    parts = list(map(normal, parts))
    if head in ("and", "or"):
        flat = [inner for part in parts for inner in (part[1:] if part[0] == head else (part,))]
        return flat[0] if len(flat) == 1 else (head, *sorted(flat, key=repr))
    if head == "not" and parts[0][0] == "not":
        return parts[0][1]
    return _conditional(*parts) if head == "when" else (head, *parts)


def _quantified(head: str, variables: tuple[Typed, ...], body: Tree) -> Tree:
    """Return a quantifier over a normal form."""
    if head == "forall" and body[0] == "and":
        return normal(("and", *(_quantified(head, variables, part) for part in body[1:])))
    if head == "forall" and body[0] == head:
        variables, body = (*variables, *body[1]), body[2]
    return (head, tuple(sorted(variables)), body)


def _conditional(condition: Tree, effect: Tree) -> Tree:
    """Return ``when`` over normal forms, with one effect and inside its quantifier."""
    if condition == ("and",):
        return effect
    if effect[0] == "and":
        return normal(("and", *(_conditional(condition, part) for part in effect[1:])))
    if effect[0] == "forall":
        return _quantified("forall", effect[1], _conditional(condition, effect[2]))
    if effect[0] == "when":
        return ("when", normal(("and", condition, effect[1])), effect[2])
    return ("when", condition, effect)


def compared(title: str, stated: Counter[Statement], expected: Counter[Statement]) -> list[str]:
    """Return a message for each statement that is missing, wrong, or made too often."""
    faults = [f"{title} lacks {shown(one)}" for one in sorted(expected - stated, key=repr)]
    return faults + [f"{title} wrongly has {shown(one)}" for one in sorted(stated - expected, key=repr)]


def shown(tree: Tree) -> str:
    """Return a statement for a message."""
    return tree if isinstance(tree, str) else f"({' '.join(map(shown, tree))})"
