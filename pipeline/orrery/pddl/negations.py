"""Negation normal form of conditions: conditions equal by De Morgan's laws get one form.

``(imply a b)`` is ``(or (not a) b)``, and only atoms are negated. A conjunction within a conjunction, or a
disjunction within a disjunction, is part of the outer one. Nothing is multiplied out, so that the result is
no larger than the condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from orrery.pddl.adl import AND, EXISTS, FORALL, IMPLY, NOT, OR, QUANTIFIERS, WHEN, Formula

_DUAL: Mapping[str, str] = MappingProxyType({AND: OR, OR: AND, FORALL: EXISTS, EXISTS: FORALL})


def with_inner_negations(condition: Formula, positive: bool = True) -> Formula:
    """Return a condition, or where not ``positive`` its negation, in which only atoms are negated.

    What is not well-formed stays as it is.
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
    """Return an effect whose conditions, those of ``when``, have their negations moved inwards."""
    parts = effect.formulas
    if len(parts) == len(effect.parts) and effect.head in (AND, FORALL):
        inner = tuple([effect_with_inner_negations(part) for part in parts])
        return Formula(effect.head, inner, effect.variables, effect.at)
    if effect.head == WHEN and len(parts) == len(effect.parts) == 2:
        inner_parts = (with_inner_negations(parts[0]), effect_with_inner_negations(parts[1]))
        return Formula(WHEN, inner_parts, effect.variables, effect.at)
    return effect


def _joined(head: str, parts: Iterable[Formula], at: int) -> Formula:
    """Return a conjunction or disjunction; one of a single part is that part."""
    flat = tuple(_flattened(head, parts))
    return flat[0] if len(flat) == 1 else Formula(head, flat, (), at)


def _flattened(head: str, parts: Iterable[Formula]) -> Iterator[Formula]:
    for part in parts:
        if part.head == head and len(part.formulas) == len(part.parts):
            yield from part.formulas
        else:
            yield part
