"""The scores of a trick on every row, and how options are picked or judged by a number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple, TypeAlias

from orrery.dataset.adversary.targets import FoldedTarget
from orrery.families.attack import JUDGE, PICK

Scores: TypeAlias = list[float | None]  # by row; None where the trick does not apply


class TrickScores(NamedTuple):
    """The scores of a trick by row.

    ``writes`` is whether it repeats one reply, such as None, in all rows; ``partial`` whether it reads a part
    of the conditions of a right reply; ``compares`` whether it weighs options by their features. ``chances``
    are the expected scores of random replies by row, if they differ from those of the targets: the limit of
    such a trick is tight, and it is judged on few rows as well.
    """

    rule: str
    scores: Scores
    writes: bool = False
    partial: bool = False
    compares: bool = False
    chances: Sequence[float] | None = None


def by_number(rows: Sequence[FoldedTarget], numbers: Sequence[Sequence[float]]) -> Scores:
    """Return the scores of picking the option with the largest number, or of yes above the domain's median.

    Ties share a row; rows without options have no score.
    """
    middle = _medians(rows, numbers)
    return [
        _pick(row, values)
        if row.target.form == PICK
        else _judge(row, values[0], middle[row.target.domain])
        if row.target.form == JUDGE
        else None
        for row, values in zip(rows, numbers, strict=True)
    ]


def score_choice(row: FoldedTarget, numbers: Sequence[float]) -> float:
    """Return the score of the option with the largest number, or of yes to a claim above one half."""
    return _judge(row, numbers[0], 0.5) if row.target.form == JUDGE else _pick(row, numbers)


def _pick(row: FoldedTarget, numbers: Sequence[float]) -> float:
    best = max(numbers)
    ties = [option.right for option, n in zip(row.target.options, numbers, strict=True) if n == best]
    return sum(ties) / len(ties)


def _judge(row: FoldedTarget, number: float, middle: float) -> float:
    """Return the score of yes above the middle, of no below it, and of either at it."""
    yes = 0.5 + 0.5 * ((number > middle) - (number < middle))
    return yes if row.target.options[0].right else 1 - yes


def _medians(rows: Sequence[FoldedTarget], numbers: Sequence[Sequence[float]]) -> dict[str, float]:
    by_domain: dict[str, list[float]] = defaultdict(list)
    for row, values in zip(rows, numbers, strict=True):
        if row.target.form == JUDGE:
            by_domain[row.target.domain].append(values[0])
    return {domain: median(values) for domain, values in by_domain.items()}
