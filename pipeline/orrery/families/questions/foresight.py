"""How right an option looks: the sum of measures that tells true candidates from false ones best.

Rules that are right no more often than chance, one by one, may tell the answer together. If correct options
look right to this sum no more often than others, little is left to a classifier that adds measures: for
normal measures, a choice of rows that takes the mean of the discriminant to zero takes all means there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from orrery.families.questions.balance import LOOKS_RIGHT
from orrery.families.questions.claims import ClaimCandidate, Features, Measures, Offer
from orrery.families.questions.distractors import by_features, end_of, nearness

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

RIDGE = 0.1  # is added to the variance of each measure, in units of that within an offer
UNIT = 100  # of how right an option looks: measures are integers


@dataclass(frozen=True, eq=False)
class Foresight:
    """Fisher's linear discriminant (1936) of true and false candidates.

    ``look`` gives the features by which candidates match, ``rates`` the shares of true ones by features.
    """

    look: Callable[[ClaimCandidate], Features]
    rates: Mapping[Features, float]
    weights: NDArray[float64]

    def seen(self, offer: Offer) -> Offer:
        """Return the offer with a further measure of its candidates: how right they look."""
        matched = _matched(offer, self.look)
        sums = _standardized(offer, matched, self.look, self.rates) @ self.weights if matched else ()
        scores = {one.atoms: round(UNIT * float(score)) for one, score in zip(matched, sums, strict=True)}

        def measure(candidate: ClaimCandidate) -> Measures:
            return (*offer.measure(candidate), (LOOKS_RIGHT, scores.get(candidate.atoms, 0)))

        return replace(offer, measure=measure)


def learned(offers: Sequence[Offer], look: Callable[[ClaimCandidate], Features]) -> Foresight | None:
    """Return the discriminant of the candidates that match in some offers; None if there are none."""
    import numpy as np

    by_offer = [(offer, matched) for offer in offers if (matched := _matched(offer, look))]
    if not by_offer:
        return None
    candidates = [candidate for _, matched in by_offer for candidate in matched]
    true = Counter(look(candidate) for candidate in candidates if candidate.holds)
    rates = {
        features: (true[features] + 1) / (count + 2)
        for features, count in Counter(map(look, candidates)).items()
    }
    values = np.concatenate([_standardized(offer, matched, look, rates) for offer, matched in by_offer])
    holds = np.array([candidate.holds for candidate in candidates])
    means = values[holds].mean(axis=0), values[~holds].mean(axis=0)
    inner = values - np.where(holds[:, None], *means)
    variances = inner.T @ inner / len(values) + RIDGE * np.eye(len(means[0]))
    return Foresight(look, rates, np.linalg.solve(variances, means[0] - means[1]).round(6))


def _matched(offer: Offer, look: Callable[[ClaimCandidate], Features]) -> list[ClaimCandidate]:
    """Return the candidates with features that both true and false ones have."""
    sides = by_features(offer.candidates, look).values()
    return [candidate for true, false in sides if true and false for candidate in (*true, *false)]


def _standardized(
    offer: Offer, candidates: Sequence[ClaimCandidate], look: Callable[[ClaimCandidate], Features],
    rates: Mapping[Features, float],
) -> NDArray[float64]:  # fmt: skip
    """Return the places, rates and measures of candidates, in deviations of the offer."""
    import numpy as np

    steps, rows = len(offer.steps), []
    for candidate in candidates:
        end = end_of(candidate)
        placed = (end, end == steps, nearness(candidate, steps), rates.get(look(candidate), 0.5))
        rows.append([*placed, *(value for _, value in offer.measure(candidate))])
    values: NDArray[float64] = np.array(rows, np.float64)
    deviations = values.std(axis=0)
    values = (values - values.mean(axis=0)) / np.where(deviations > 0, deviations, 1)
    return values
