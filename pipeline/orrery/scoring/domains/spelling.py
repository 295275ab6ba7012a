"""Name-sensitive scores, for comparison: the effect of spelling alone on a prediction.

They follow the definitions of the code released with Text2World. Variables and predicates are compared by
their spelling, predicates only by name and arity. A domain that cannot be parsed sets all four scores to
zero. An action that is missing, or that has no preconditions in gold or prediction, sets all but the
predicates to zero. Additional actions are not penalized.

The figures differ from those that the code prints, and must not be compared with those in papers. The code
uses tarski, whose grammar differs. Here a domain counts as parsed if our reader finds no fault except
undeclared requirements, regardless of the case of keywords and of surrounding text. tarski refuses keywords
in capitals, a comment or a fence around the domain, an empty conjunction and an action without a
precondition, and accepts an additional closing parenthesis. It adds its own predicates (``<`` and others) if
requirements need numbers, and spells increase effects differently.

This also holds for the two ratios called Levenshtein ratio, of the texts. Both are computed bit-parallel by
rapidfuzz (MIT): a gold domain of 5,000 characters and a reply of ten million take less than a second.
If the product of the two lengths exceeds ``MOST_CELLS`` (two texts of half a million characters
each, some seconds), the ratio is not computed and is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rapidfuzz.distance import Indel, Levenshtein

from orrery.pddl.adl import AND, AdlAction, AdlDomain, Formula
from orrery.pddl.faults import DomainErrorClass
from orrery.scoring.domains.component_f1 import score_sets

MOST_CELLS = 250_000_000_000
_COMMENT = re.compile(r";[^\n]*")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class SpelledF1:
    """The four figures, each from 0 to 1."""

    predicates: float = 0.0
    parameters: float = 0.0
    preconditions: float = 0.0
    effects: float = 0.0


def spelled_f1(predicted: AdlDomain, gold: AdlDomain) -> SpelledF1:
    """Return the name-sensitive figures of a prediction."""
    if parses(predicted) is False:
        return SpelledF1()
    predicates = score_sets(_symbols(predicted), _symbols(gold)).f1
    mine, theirs = predicted.action_named, gold.action_named
    without = any(not action.preconditions for action in (*mine.values(), *theirs.values()))
    if without or not theirs or not theirs.keys() <= mine.keys():
        return SpelledF1(predicates)
    pairs = [(mine[name], action) for name, action in theirs.items()]
    return SpelledF1(
        predicates,
        _mean(score_sets(_parameters(ours), _parameters(gold)).f1 for ours, gold in pairs),
        _mean(score_sets(_cut(a.preconditions), _cut(b.preconditions)).f1 for a, b in pairs),
        _mean(score_sets(_spelt(a.effects), _spelt(b.effects)).f1 for a, b in pairs),
    )


def parses(domain: AdlDomain) -> bool:
    """Return whether the domain has no fault except undeclared requirements."""
    return all(fault.kind is DomainErrorClass.MISSING_REQUIREMENTS for fault in domain.faults)


def _symbols(domain: AdlDomain) -> set[tuple[str, int]]:
    return {(predicate.name, predicate.arity) for predicate in domain.predicates}


def _parameters(action: AdlAction) -> set[str]:
    return {typed.name for typed in action.parameters}


def _spelt(formulas: Iterable[Formula]) -> set[str]:
    """Return the texts of the conjuncts of the outermost conjunction."""
    return set(_conjuncts(formulas))


def _conjuncts(formulas: Iterable[Formula]) -> Iterator[str]:
    for formula in formulas:
        if formula.head == AND:
            yield from _conjuncts(formula.formulas)
        else:
            yield str(formula)


def _cut(preconditions: Iterable[Formula]) -> set[str]:
    """Return the preconditions as the published code splits their text: at each "and", with the ends removed.

    So a name such as ``hand-empty`` is split, and a single literal is not a list of conjuncts.
    """
    spelt = list(_conjuncts(preconditions))
    text = " and ".join(spelt) if len(spelt) > 1 else "".join(spelt)[1:-1]
    return {part.strip() for part in text.split("and")}


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def levenshtein_ratio(first: str, second: str) -> float | None:
    """Return one minus the Levenshtein distance over the longer length (Text2World, appendix B.1); 0 to 1.

    The appendix divides only the distance but calls values near 1 similar, so this is its intended meaning.
    The result is None beyond the bound.
    """
    if len(first) * len(second) > MOST_CELLS:
        return None
    return float(Levenshtein.normalized_similarity(first, second))


def indel_ratio(first: str, second: str) -> float | None:
    """Return one minus the insert-delete distance divided by the sum of the lengths; 0 to 1.

    The published code computes this ratio, after removing comments and white space. The result is None beyond
    the bound.
    """
    if len(first) * len(second) > MOST_CELLS:
        return None
    return float(Indel.normalized_similarity(first, second))


def compact(text: str) -> str:
    """Return the text without comments and white space, as the published code compares it."""
    return _SPACE.sub("", _COMMENT.sub("", text))
