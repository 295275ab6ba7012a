"""Component F1 of a predicted domain (Text2World, section 2.3), independent of names.

Actions are aligned by name. In each, literals are compared under the bijection of parameters that matches
most of them. A component's F1 is the sum of the actions' F1 divided by the mean of the numbers of gold and
predicted actions. With the same actions in both, this is the published macro average. A missing action lowers
recall, and an extra one lowers precision.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from orrery.model import Predicate
from orrery.pddl.adl import AdlDomain
from orrery.scoring.domains.alignment import Alignment, MatchCount, align

Signature = tuple[str, tuple[tuple[str, ...], ...]]


@dataclass(frozen=True, slots=True)
class F1Score:
    """Precision, recall and F1, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Components:
    """The components of a domain.

    ``actions`` scores their names. ``alignments`` contains the common actions by name, in gold order,
    with parameters mapped regardless of their types.
    """

    predicates: F1Score
    actions: F1Score
    parameters: F1Score
    preconditions: F1Score
    effects: F1Score
    alignments: Mapping[str, Alignment]

    @property
    def equal(self) -> bool:
        """Whether all predicates and actions are right, each action equal to its gold action."""
        whole = self.predicates.f1 == self.actions.f1 == 1.0
        return whole and all(alignment.equal is True for alignment in self.alignments.values())


def components(predicted: AdlDomain, gold: AdlDomain) -> Components:
    """Return the scores of ``predicted``, which may be partial, against ``gold``."""
    mine, theirs = predicted.action_named, gold.action_named
    alignments = {n: align(mine[n], theirs[n], typed=False) for n in theirs if n in mine}
    aligned = alignments.values()
    sizes = len(mine), len(theirs)
    return Components(
        predicates=score_sets(signatures(predicted.predicates), signatures(gold.predicates)),
        actions=score_sets(mine, theirs),
        parameters=_macro([a.parameters for a in aligned], *sizes),
        preconditions=_macro([a.preconditions for a in aligned], *sizes),
        effects=_macro([a.effects for a in aligned], *sizes),
        alignments=alignments,
    )


def signatures(predicates: Iterable[Predicate]) -> dict[Signature, Predicate]:
    """Return predicates by name and types of their arguments, in order."""
    return {(p.name, tuple(parameter.types for parameter in p.parameters)): p for p in predicates}


def score_sets(predicted: Collection[object], gold: Collection[object]) -> F1Score:
    """Return precision, recall and F1 of two collections without duplicates; 1 if both are empty."""
    matched = len(set(predicted) & set(gold))
    return _score(matched, len(predicted), len(gold))


def _macro(counts: Iterable[MatchCount], predicted: int, gold: int) -> F1Score:
    """Return the scores over all actions. Actions of only one domain match nothing."""
    return _score(sum(count.f1 for count in counts), predicted, gold)


def _score(matched: float, predicted: int, gold: int) -> F1Score:
    if not predicted and not gold:
        return F1Score(1.0, 1.0, 1.0)
    precision = matched / predicted if predicted else 0.0
    recall = matched / gold if gold else 0.0
    return F1Score(precision, recall, 2 * matched / (predicted + gold))
