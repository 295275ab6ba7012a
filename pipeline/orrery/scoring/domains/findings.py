"""The faults of a predicted domain, computed from the comparison.

The classes are those that both papers assign manually (Text2World, appendix C.3; Proc2PDDL, table 4), as far
as the two domains and plans determine them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from orrery.model import Predicate, TypedName
from orrery.pddl.adl import NOT, AdlAction, AdlDomain, Formula
from orrery.pddl.conjuncts import rule_key
from orrery.pddl.write import write_type
from orrery.scoring.domains.alignment import Alignment, Conjunct
from orrery.scoring.domains.component_f1 import Components, signatures
from orrery.scoring.domains.domain_equality import same_but_for_names


class Flaw(StrEnum):
    """Classes of findings: errors, and two verdicts on plans."""

    UNPARSABLE = "unparsable"
    MISSING_PRECONDITION = "missing precondition"
    REDUNDANT_PRECONDITION = "redundant precondition"
    WRONG_PRECONDITION = "wrong precondition"
    MISSING_EFFECT = "missing effect"
    REDUNDANT_EFFECT = "redundant effect"
    WRONG_EFFECT = "wrong effect"
    MISSING_PREDICATE = "missing predicate"
    EXTRA_PREDICATE = "extra predicate"
    MISSING_ACTION = "missing action"
    EXTRA_ACTION = "extra action"
    MISSING_PARAMETER = "missing parameter"
    EXTRA_PARAMETER = "extra parameter"
    MISSING_TYPE = "missing type"
    EXTRA_TYPE = "extra type"
    MISSING_CONSTANT = "missing constant"
    EXTRA_CONSTANT = "extra constant"
    MISSING_FUNCTION = "missing function"
    EXTRA_FUNCTION = "extra function"
    SURFACE_DIVERGENCE = "surface divergence"
    GOOD_PLAN = "good plan"
    BAD_PLAN = "bad plan"


@dataclass(frozen=True, slots=True)
class DomainFinding:
    """One error: its class, its action (empty for the domain), and the details."""

    kind: Flaw
    action: str
    detail: str


def findings(predicted: AdlDomain, gold: AdlDomain, scores: Components) -> tuple[DomainFinding, ...]:
    """Return all errors of ``predicted``, first those of the domain, then those of the actions in gold order.

    If the domain differs from gold only in names of types, predicates, functions, constants and actions, the
    only error is the surface divergence.
    """
    if predicted.empty and not gold.empty:
        return (DomainFinding(Flaw.UNPARSABLE, "", "nothing of a domain could be read"),)
    errors = [*_of_declarations(predicted, gold), *_of_actions(predicted, gold, scores)]
    if errors and same_but_for_names(predicted, gold):
        return (DomainFinding(Flaw.SURFACE_DIVERGENCE, "", "equal but for names"),)
    return tuple(errors)


def action_findings(
    name: str, predicted: AdlAction, gold: AdlAction, alignment: Alignment
) -> Iterator[DomainFinding]:
    """Yield the errors of one action: its parameters, then its preconditions, then its effects."""
    yield from _of_parameters(name, predicted, gold)
    for effect, missing, redundant, wrong in (
        (False, Flaw.MISSING_PRECONDITION, Flaw.REDUNDANT_PRECONDITION, Flaw.WRONG_PRECONDITION),
        (True, Flaw.MISSING_EFFECT, Flaw.REDUNDANT_EFFECT, Flaw.WRONG_EFFECT),
    ):
        pairs, lacking, extra = _paired(_side(alignment.missing, effect), _side(alignment.redundant, effect))
        for gold_formula, formula in pairs:
            yield DomainFinding(wrong, name, f"{formula} for {gold_formula}")
        yield from (DomainFinding(missing, name, str(formula)) for formula in lacking)
        yield from (DomainFinding(redundant, name, str(formula)) for formula in extra)


def _of_declarations(predicted: AdlDomain, gold: AdlDomain) -> Iterator[DomainFinding]:
    """Yield the declarations of only one of the two domains, types with their supertypes."""
    for missing, extra, mine, theirs in (
        (Flaw.MISSING_TYPE, Flaw.EXTRA_TYPE, _typed(predicted.types), _typed(gold.types)),
        (Flaw.MISSING_CONSTANT, Flaw.EXTRA_CONSTANT, _typed(predicted.constants), _typed(gold.constants)),
        (
            Flaw.MISSING_PREDICATE,
            Flaw.EXTRA_PREDICATE,
            _signed(predicted.predicates),
            _signed(gold.predicates),
        ),
        (Flaw.MISSING_FUNCTION, Flaw.EXTRA_FUNCTION, _signed(predicted.functions), _signed(gold.functions)),
    ):
        yield from (DomainFinding(missing, "", text) for text in theirs if text not in mine)
        yield from (DomainFinding(extra, "", text) for text in mine if text not in theirs)
    rules, gold_rules = ({rule_key(f): str(f) for f in domain.other} for domain in (predicted, gold))
    yield from (
        DomainFinding(Flaw.MISSING_PREDICATE, "", gold_rules[key]) for key in gold_rules if key not in rules
    )
    yield from (DomainFinding(Flaw.EXTRA_PREDICATE, "", rules[key]) for key in rules if key not in gold_rules)


def _typed(names: Iterable[TypedName]) -> list[str]:
    return [f"{typed.name} - {write_type(typed.types)}" for typed in names]


def _signed(predicates: Iterable[Predicate]) -> list[str]:
    """Return signatures by name and types."""
    return [f"({' '.join([name, *map(write_type, types)])})" for name, types in signatures(predicates)]


def _of_actions(predicted: AdlDomain, gold: AdlDomain, scores: Components) -> Iterator[DomainFinding]:
    mine, theirs = predicted.action_named, gold.action_named
    for name, action in theirs.items():
        if name not in mine:
            yield DomainFinding(Flaw.MISSING_ACTION, name, name)
        else:
            yield from action_findings(name, mine[name], action, scores.alignments[name])
    yield from (DomainFinding(Flaw.EXTRA_ACTION, name, name) for name in mine if name not in theirs)


def _of_parameters(name: str, predicted: AdlAction, gold: AdlAction) -> Iterator[DomainFinding]:
    """Yield the types for which one of the two actions has more parameters."""
    wanted = Counter(typed.types for typed in gold.parameters)
    counts = Counter(typed.types for typed in predicted.parameters)
    for kind, difference in (
        (Flaw.MISSING_PARAMETER, wanted - counts),
        (Flaw.EXTRA_PARAMETER, counts - wanted),
    ):
        for types, count in sorted(difference.items()):
            yield from (DomainFinding(kind, name, write_type(types)) for _ in range(count))


def _side(conjuncts: Iterable[Conjunct], effect: bool) -> list[Formula]:
    return [formula for side, formula in conjuncts if side is effect]


def _paired(
    missing: list[Formula], redundant: list[Formula]
) -> tuple[list[tuple[Formula, Formula]], list[Formula], list[Formula]]:
    """Return pairs of gold and predicted conjuncts with the same predicate, in gold order, then the rest."""
    remaining = list(redundant)
    pairs, lacking = [], []
    for formula in missing:
        match = next((candidate for candidate in remaining if _symbol(candidate) == _symbol(formula)), None)
        if match is None:
            lacking.append(formula)
        else:
            remaining.remove(match)
            pairs.append((formula, match))
    return pairs, lacking, remaining


def _symbol(formula: Formula) -> str:
    """Return the predicate of a literal, or the connective of another formula."""
    inner = formula.formulas
    return inner[0].head if formula.head == NOT and inner else formula.head
