"""The planning subset of full PDDL: STRIPS, types, negative preconditions, equality, action costs."""

from __future__ import annotations

from collections.abc import Iterable

from orrery.model import EQUAL, Action, Atom, Domain, Literal
from orrery.pddl.adl import AND, CONNECTIVES, NOT, NUMERIC, AdlAction, AdlDomain, Formula, Part, is_number
from orrery.pddl.faults import SourceText
from orrery.pddl.recover import ACTIONS
from orrery.pddl.tree import Node

TOTAL_COST = "total-cost"
_WIDER_SECTIONS = frozenset({":derived", ":constraints", *ACTIONS} - {":action"})
_DIGITS = 15  # maximum cost, so that sums stay below 2^63 and costs are exact as floats


def refuse_wider_sections(sections: Iterable[Node], source: SourceText) -> None:
    """Raise OutsideSubset for derived predicates, constraints, durative actions, processes and events.

    The sections are not read yet, so that this cause is reported before any fault within them.
    """
    for node in sections:
        if node.head in _WIDER_SECTIONS:
            raise source.outside(node.at, node.head)
        if node.head == ":action" and ":duration" in node:
            raise source.outside(node.at, ":duration of an action")


def narrowed(domain: AdlDomain, source: SourceText) -> Domain:
    """Convert a sound domain without wider sections to the subset.

    Raises:
        OutsideSubset: quantifiers, disjunctions, conditional or numeric effects.
        PddlError: a malformed equality or cost.
    """
    predicates = frozenset(predicate.name for predicate in domain.predicates)
    narrowing = _Narrowing(source, predicates)
    return Domain(
        domain.name,
        domain.requirements,
        domain.types,
        domain.constants,
        domain.predicates,
        tuple(narrowing.action(action) for action in domain.actions),
        domain.functions,
    )


class _Narrowing:
    """Converts formulas to literals and costs."""

    def __init__(self, source: SourceText, predicates: frozenset[str]) -> None:
        self.source = source
        self.wider = (CONNECTIVES | NUMERIC) - {EQUAL} - predicates

    def action(self, action: AdlAction) -> Action:
        """Return an action of the subset."""
        costs = [formula for formula in action.effects if self._is_cost(formula)]
        effects = self._literals(formula for formula in action.effects if not self._is_cost(formula))
        if any(effect.atom[0] == EQUAL for effect in effects):
            raise self.source.error(action.effects[0].at, "'=' cannot be an effect")
        amounts = [self._cost(formula) for formula in costs]
        if len(costs) > 1:
            raise self.source.error(costs[1].at, "an action has at most one cost")
        return Action(
            action.name,
            action.parameters,
            self._literals(action.preconditions),
            frozenset(effect.atom for effect in effects if effect.positive),
            frozenset(effect.atom for effect in effects if not effect.positive),
            amounts[0] if amounts else None,
        )

    def _is_cost(self, formula: Formula) -> bool:
        return formula.head == "increase"

    def _literals(self, formulas: Iterable[Formula]) -> frozenset[Literal]:
        return frozenset(map(self._literal, formulas))

    def _literal(self, formula: Formula) -> Literal:
        """Return an atom or a negated atom."""
        if formula.head != NOT:
            return Literal(self._atom(formula))
        (inner,) = formula.formulas
        if inner.head in (AND, NOT):
            raise self.source.outside(inner.at, f"not ({inner.head} ...)")
        return Literal(self._atom(inner), positive=False)

    def _atom(self, formula: Formula) -> Atom:
        """Return a predicate or an equality of objects with its arguments."""
        if formula.head in self.wider:
            raise self.source.outside(formula.at, formula.head)
        if formula.formulas:
            raise self.source.outside(formula.at, f"{formula.head} between numbers")
        return _atom(formula)

    def _cost(self, formula: Formula) -> int | Atom:
        """Return the number added by ``(increase (total-cost) x)``."""
        match formula.parts:
            case (Formula(head="total-cost"), amount):
                return self._amount(formula, amount)
            case (Formula(), _):
                raise self.source.outside(formula.at, "increase of anything but (total-cost)")
        raise self.source.error(formula.at, "expected '(increase (total-cost) AMOUNT)'")

    def _amount(self, formula: Formula, amount: Part) -> int | Atom:
        if isinstance(amount, str):
            return natural(self.source, amount, formula.at)
        if amount.head in NUMERIC:
            raise self.source.outside(amount.at, amount.head)
        return _atom(amount)


def _atom(formula: Formula) -> Atom:
    return (formula.head, *map(str, formula.parts))


def natural(source: SourceText, text: str, at: int) -> int:
    """Return ``text`` as a cost: a natural number 0, 1, 2 ... Other numbers are outside the subset."""
    if not (text.isascii() and text.isdecimal()):
        if is_number(text):
            raise source.outside(at, f"a number other than 0, 1, 2 ... ({text})")
        raise source.error(at, f"'{text}' is not a non-negative integer")
    if len(text) > _DIGITS:
        raise source.error(at, f"a number of {len(text)} digits", f"use at most {_DIGITS} digits")
    return int(text)
