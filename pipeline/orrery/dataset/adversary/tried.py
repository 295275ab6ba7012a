"""A rule with what it scores on every row, and how candidates are picked or judged by a number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple, TypeAlias

from orrery.dataset.adversary.targets import Trial
from orrery.families.attack import JUDGE, PICK

Scores: TypeAlias = list[float | None]  # by trial; None where the rule was not tried


class Tried(NamedTuple):
    """The scores of a rule by trial.

    ``writes`` if it may repeat one reply, such as None, in all rows; ``partial`` if it reads a part of what
    makes a reply right; ``compares`` if it weighs candidates by what is said of them.
    """

    rule: str
    scores: Scores
    writes: bool = False
    partial: bool = False
    compares: bool = False


def by_number(trials: Sequence[Trial], numbers: Sequence[Sequence[float]]) -> Scores:
    """Return what picking the candidate of the largest number scores, or saying yes above the median.

    The median is that of the domain. Ties share a row; rows without candidates are not tried.
    """
    middle = _medians(trials, numbers)
    return [
        _picked(trial, some)
        if trial.target.form == PICK
        else _said(trial, some[0], middle[trial.target.domain])
        if trial.target.form == JUDGE
        else None
        for trial, some in zip(trials, numbers, strict=True)
    ]


def _picked(trial: Trial, numbers: Sequence[float]) -> float:
    best = max(numbers)
    ties = [each.right for each, n in zip(trial.target.candidates, numbers, strict=True) if n == best]
    return sum(ties) / len(ties)


def _said(trial: Trial, number: float, middle: float) -> float:
    """Return the score of yes above the middle, no below, and either at it."""
    yes = 0.5 + 0.5 * ((number > middle) - (number < middle))
    return yes if trial.target.candidates[0].right else 1 - yes


def judged(trial: Trial, yes: float) -> float:
    """Return the score of yes where ``yes`` is over a half."""
    return _said(trial, yes, 0.5)


def picked(trial: Trial, numbers: Sequence[float]) -> float:
    """Return the score of the candidate with the largest number, or of yes to one over a half."""
    return judged(trial, numbers[0]) if trial.target.form == JUDGE else _picked(trial, numbers)


def _medians(trials: Sequence[Trial], numbers: Sequence[Sequence[float]]) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for trial, some in zip(trials, numbers, strict=True):
        if trial.target.form == JUDGE:
            found[trial.target.domain].append(some[0])
    return {domain: median(some) for domain, some in found.items()}
