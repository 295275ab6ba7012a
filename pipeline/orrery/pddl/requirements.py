"""The requirements that a domain uses, declared or not."""

from __future__ import annotations

from collections.abc import Iterator

from orrery.model import OBJECT
from orrery.pddl.adl import (
    ASSIGNMENTS,
    COMPARISONS,
    EXISTS,
    FORALL,
    IMPLY,
    NOT,
    OR,
    QUANTIFIERS,
    WHEN,
    AdlDomain,
    Formula,
)

# Further requirements implied by a requirement (PDDL 1.2 and 2.1; Kovacs, "BNF definition of PDDL 3.1").
_IMPLIED = {
    ":adl": (
        ":strips",
        ":typing",
        ":negative-preconditions",
        ":disjunctive-preconditions",
        ":equality",
        ":existential-preconditions",
        ":universal-preconditions",
        ":conditional-effects",
    ),
    ":ucpop": (":adl",),
    ":quantified-preconditions": (":existential-preconditions", ":universal-preconditions"),
    ":fluents": (":numeric-fluents", ":object-fluents", ":action-costs"),
    ":numeric-fluents": (":action-costs",),
    ":durative-actions": (":numeric-fluents",),
}
_OTHERS = (
    ":derived-predicates",
    ":domain-axioms",
    ":timed-initial-literals",
    ":preferences",
    ":constraints",
    ":duration-inequalities",
    ":continuous-effects",
    ":time",
    ":non-deterministic",
    ":probabilistic-effects",
    ":rewards",
    ":mdp",
    ":goal-utilities",
    ":hierarchy",
    ":multi-agent",
    ":disjunctive-goals",
    ":contingent",
    ":partial-observability",
)
KNOWN = frozenset({*_IMPLIED, *_OTHERS, *(name for names in _IMPLIED.values() for name in names)})

_OF_HEAD = {
    OR: ":disjunctive-preconditions",
    IMPLY: ":disjunctive-preconditions",
    WHEN: ":conditional-effects",
    "oneof": ":non-deterministic",
    "probabilistic": ":probabilistic-effects",
    "preference": ":preferences",
    ":derived": ":derived-predicates",
    ":constraints": ":constraints",
}
_OF_KIND = {":durative-action": ":durative-actions", ":process": ":time", ":event": ":time"}


def used(domain: AdlDomain) -> dict[str, int]:
    """Return the requirements that the domain uses, each with the offset of its first use.

    The requirement ``:strips`` is omitted.
    """
    offsets: dict[str, int] = {}
    if domain.types or _has_types(domain):
        offsets[":typing"] = 0
    for action in domain.actions:
        if action.kind in _OF_KIND:
            offsets.setdefault(_OF_KIND[action.kind], action.at)
        for formula in action.preconditions:
            for name, at in _of_formula(formula, False):
                offsets.setdefault(name, at)
        for formula in action.effects:
            for name, at in _of_formula(formula, True):
                offsets.setdefault(name, at)
    for formula in domain.other:
        for name, at in _of_formula(formula, False):
            offsets.setdefault(name, at)
    return offsets


def missing(domain: AdlDomain) -> list[tuple[str, int]]:
    """Return requirements used but neither declared nor implied, with the offset of their first use.

    The result is sorted.
    """
    declared = set(domain.requirements)
    todo = list(declared)
    while todo:
        implied = [name for name in _IMPLIED.get(todo.pop(), ()) if name not in declared]
        declared.update(implied)
        todo.extend(implied)
    return sorted((name, at) for name, at in used(domain).items() if name not in declared)


def _has_types(domain: AdlDomain) -> bool:
    typed = [*domain.constants]
    for predicate in (*domain.predicates, *domain.functions):
        typed.extend(predicate.parameters)
    for action in domain.actions:
        typed.extend(action.parameters)
    return any(name.types != (OBJECT,) for name in typed)


def _of_formula(formula: Formula, effect: bool) -> Iterator[tuple[str, int]]:
    """Yield the requirements of one formula; ``effect`` is true for an effect."""
    if formula.head == ":duration":
        return  # durative actions imply everything that the formula needs
    if (requirement := _of_head(formula, effect)) is not None:
        yield requirement, formula.at
    for number, part in enumerate(formula.formulas):
        yield from _of_formula(part, effect and not (formula.head == WHEN and number == 0))


def _of_head(formula: Formula, effect: bool) -> str | None:
    head = formula.head
    if head in QUANTIFIERS and effect:
        return ":conditional-effects"
    if head == FORALL:
        return ":universal-preconditions"
    if head == EXISTS:
        return ":existential-preconditions"
    if head == NOT:
        equality = any(part.head == "=" for part in formula.formulas)
        return None if effect or equality else ":negative-preconditions"
    if head == "increase" and Formula("total-cost") in formula.parts:
        return ":action-costs"
    if head in COMPARISONS:
        terms = any(isinstance(part, Formula) for part in formula.parts)
        return ":numeric-fluents" if head != "=" or terms else ":equality"
    return ":numeric-fluents" if head in ASSIGNMENTS else _OF_HEAD.get(head)
