"""Preconditions and effects as sets of conjuncts that can be compared up to variable names.

Conjunctions are flattened everywhere, also inside ``forall`` and the effects of ``when``, so that every
conditional or quantified effect contains one literal. The conjuncts are compared by *keys*, which ignore the
order within ``and`` and ``or``, the order of the two sides of ``=``, and the names of bound variables.

In the negation normal form, conditions that are equal by De Morgan's laws are the same: ``(imply a b)`` is
``(or (not a) b)``, and only atoms are negated. Nested conjunctions are flattened, and so are nested
disjunctions. Nothing is distributed, so the result is no larger than the condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby, permutations, product
from math import factorial, prod
from typing import Any, TypeAlias

from orrery.model import TypedName
from orrery.pddl.adl import AND, EXISTS, FORALL, IMPLY, NOT, OR, QUANTIFIERS, WHEN, Formula, Part, is_number

Key: TypeAlias = tuple[Any, ...]
Names: TypeAlias = Mapping[str, str]

_MOST_ORDERS = 720  # maximum orders of bound variables, over nested quantifiers; beyond it, names count
_SHADOW = "'"
_JOINING = frozenset({AND, OR, NOT, WHEN, "imply"}) | QUANTIFIERS


def conjuncts(formulas: Iterable[Formula]) -> list[Formula]:
    """Return the conjuncts of a conjunction in order, with duplicates."""
    return [part for formula in formulas for part in _split(formula)]


def _split(formula: Formula) -> Iterator[Formula]:
    head, parts = formula.head, formula.formulas
    if head == AND:
        yield from conjuncts(parts)
    elif head == OR and len(parts) == 1:
        yield from _split(parts[0])
    elif head == NOT and parts and parts[0].head == NOT and parts[0].formulas:
        yield from _split(parts[0].formulas[0])
    elif head == FORALL and parts:
        for part in conjuncts(parts):
            yield _quantified(formula.variables, part, formula.at)
    elif head == WHEN and len(parts) == 2:
        for part in _split(parts[1]):
            yield _conditional(parts[0], part, formula.at)
    else:
        yield formula


def _quantified(variables: tuple[TypedName, ...], body: Formula, at: int) -> Formula:
    """Return ``forall`` over one conjunct; two nested quantifiers are merged."""
    if body.head != FORALL:
        return Formula(FORALL, (body,), variables, at)
    inner = {typed.name for typed in body.variables}
    # A variable that the inner quantifier rebinds has no occurrence, so it gets a new name.
    outer = tuple(TypedName(v.name + _SHADOW, v.types) if v.name in inner else v for v in variables)
    return Formula(FORALL, body.parts, (*outer, *body.variables), at)


def _conditional(condition: Formula, effect: Formula, at: int) -> Formula:
    """Return ``when`` with one effect, inside the effect's quantifier.

    Without a condition, return the effect alone.
    """
    if condition.head == AND and not conjuncts([condition]):
        return effect
    if effect.head == FORALL and free_names(condition).isdisjoint(v.name for v in effect.variables):
        return _quantified(effect.variables, Formula(WHEN, (condition, *effect.parts), (), at), at)
    if effect.head == WHEN:
        conjunction = Formula(AND, (condition, effect.parts[0]), (), at)
        return Formula(WHEN, (conjunction, *effect.parts[1:]), (), at)
    return Formula(WHEN, (condition, effect), (), at)


def free_names(formula: Formula) -> frozenset[str]:
    """Return the free names of a formula."""
    names: set[str] = set()
    for part in formula.parts:
        names.update(free_names(part) if isinstance(part, Formula) else (part,))
    return frozenset(names.difference(typed.name for typed in formula.variables))


def is_plain(formula: Formula) -> bool:
    """Return whether a formula is a predicate with names as arguments, or the negation of one."""
    inner = formula.parts[0] if formula.head == NOT and len(formula.parts) == 1 else formula
    if not isinstance(inner, Formula) or inner.head == "=" or inner.variables:
        return False
    return inner.head not in _JOINING and not any(isinstance(part, Formula) for part in inner.parts)


def key_of(formula: Formula, names: Names, depth: int = 0, room: int = _MOST_ORDERS) -> Key:
    """Return a key that is equal for formulas that are equal after ``names`` replaces their names.

    ``depth`` is the number of enclosing quantifiers; ``room`` the number of orders of bound variables left to
    try.
    """
    head = formula.head
    if head in QUANTIFIERS:
        return _quantifier_key(formula, names, depth, room)
    if head == AND:
        parts = _sorted(key_of(part, names, depth, room) for part in conjuncts([formula]))
        return parts[0] if len(parts) == 1 else (AND, *parts)
    keys = [_part_key(part, names, depth, room) for part in formula.parts]
    if head == OR or (head == "=" and len(keys) == 2):
        keys = _sorted(keys)
    return (head, *keys)


def rule_key(formula: Formula) -> Key:
    """Return the key of a derived predicate, up to names of its variables, or of a constraint."""
    if formula.head != ":derived":
        return key_of(formula, {})
    return key_of(Formula(FORALL, (Formula("imply", formula.parts),), formula.variables), {})


def _part_key(part: Part, names: Names, depth: int, room: int) -> Any:
    if isinstance(part, Formula):
        return key_of(part, names, depth, room)
    return names.get(part) or number_text(part)


def _sorted(keys: Iterable[Any]) -> list[Any]:
    """Return keys without duplicates, in an order that depends only on the keys."""
    return sorted(dict.fromkeys(keys), key=repr)


@lru_cache(maxsize=4096)
def number_text(name: str) -> str:
    """Return the same text for equal numbers; other names are unchanged."""
    if not is_number(name) or len(name) > 300:
        return name
    return repr(float(name))


def _quantifier_key(formula: Formula, names: Names, depth: int, room: int) -> Key:
    """Return the smallest key over all orders of indistinguishable bound variables."""
    marked = sorted((typed.types, _uses(formula, typed.name), typed.name) for typed in formula.variables)
    groups = [tuple(name for *_, name in same) for _, same in groupby(marked, key=lambda m: m[:2])]
    count = prod(factorial(min(len(group), 20)) for group in groups)
    orders = product(*map(permutations, groups)) if count <= room else iter([tuple(groups)])
    parts = conjuncts(formula.formulas)
    bodies = []
    for order in orders:
        flat = [name for group in order for name in group]
        inner = {**names, **{name: f"\0{depth}.{number}" for number, name in enumerate(flat)}}
        bodies.append(_sorted(key_of(part, inner, depth + 1, room // count) for part in parts))
    return (formula.head, tuple(types for types, *_ in marked), *min(bodies, key=repr))


def _uses(formula: Formula, name: str) -> tuple[str, ...]:
    """Return the occurrences of a bound variable: heads and positions, sorted."""
    names: list[str] = []
    for position, part in enumerate(formula.parts):
        if isinstance(part, Formula):
            if all(typed.name != name for typed in part.variables):
                names.extend(f"{formula.head} {use}" for use in _uses(part, name))
        elif part == name:
            names.append(formula.head if formula.head == "=" else f"{formula.head} {position}")
    return tuple(sorted(set(names)))


_DUAL = {AND: OR, OR: AND, FORALL: EXISTS, EXISTS: FORALL}


def with_inner_negations(condition: Formula, positive: bool = True) -> Formula:
    """Return a condition, or its negation if not ``positive``, in which only atoms are negated.

    Malformed parts are unchanged.
    """
    head, parts = condition.head, condition.formulas
    if len(parts) == len(condition.parts):
        if head == NOT and len(parts) == 1:
            return with_inner_negations(parts[0], not positive)
        if head == IMPLY and len(parts) == 2:
            sides = (with_inner_negations(parts[0], not positive), with_inner_negations(parts[1], positive))
            return _joined(OR if positive else AND, sides, condition.at)
        if head in (AND, OR):
            inner = [with_inner_negations(part, positive) for part in parts]
            return _joined(head if positive else _DUAL[head], inner, condition.at)
        if head in QUANTIFIERS:
            body = tuple([with_inner_negations(part, positive) for part in parts])
            return Formula(head if positive else _DUAL[head], body, condition.variables, condition.at)
    return condition if positive else Formula(NOT, (condition,), (), condition.at)


def effect_with_inner_negations(effect: Formula) -> Formula:
    """Return an effect in which the conditions of ``when`` have their negations moved inwards."""
    parts = effect.formulas
    if len(parts) == len(effect.parts) and effect.head in (AND, FORALL):
        inner = tuple([effect_with_inner_negations(part) for part in parts])
        return Formula(effect.head, inner, effect.variables, effect.at)
    if effect.head == WHEN and len(parts) == len(effect.parts) == 2:
        inner_parts = (with_inner_negations(parts[0]), effect_with_inner_negations(parts[1]))
        return Formula(WHEN, inner_parts, effect.variables, effect.at)
    return effect


def _joined(head: str, parts: Iterable[Formula], at: int) -> Formula:
    """Return a conjunction or disjunction; with a single part, return the part."""
    flat = tuple(_flattened(head, parts))
    return flat[0] if len(flat) == 1 else Formula(head, flat, (), at)


def _flattened(head: str, parts: Iterable[Formula]) -> Iterator[Formula]:
    for part in parts:
        if part.head == head and len(part.formulas) == len(part.parts):
            yield from part.formulas
        else:
            yield part
