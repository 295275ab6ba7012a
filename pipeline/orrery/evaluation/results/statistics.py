"""Intervals and tests for shares: of several tables together, of two runs on the same rows; and in print.

All intervals hold 95 %. They are built from Wilson's for one share, so that they stay within their limits and
do not shrink to nothing where all replies are right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import mean
from typing import NamedTuple

from orrery.scoring.tally import wilson


class Interval(NamedTuple):
    """A figure with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


class PairedCounts(NamedTuple):
    """How many rows two runs both got right, only the first, only the second, and neither."""

    both: int
    first: int
    second: int
    neither: int


def mean_of_shares(counts: Iterable[tuple[float, float]]) -> Interval | None:
    """Return the unweighted mean of independent shares, each a pair (yes, of how many); None without any.

    The interval is Wilson's (1927), of as many trials as would give the mean its variance if all the shares
    were alike. Where they differ the mean varies less, for x (1 - x) is concave: the interval is then wider
    than it need be. Those put together from intervals of the shares are too narrow where these have few rows.
    """
    shares = [(yes / total, total) for yes, total in counts if total]
    if not shares:
        return None
    trials = len(shares) ** 2 / sum(1 / total for _, total in shares)
    value = mean(share for share, _ in shares)
    return Interval(value, *wilson(value * trials, trials))


def sign_test(first: int, second: int) -> float:
    """Return the p-value of a split ``first`` to ``second`` where both sides are equally likely.

    Twice the smaller tail of the binomial distribution with one half, at most 1. With the rows that only one
    of two runs got right this is the exact form of McNemar's test (McNemar, 1947, Psychometrika 12;
    Fagerland, Lydersen & Laake, 2013, BMC Medical Research Methodology 13:91).
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(first, second), first + second, 0.5)))


def paired_difference(pairs: PairedCounts) -> Interval:
    """Return the share of the first run minus that of the second, on the same rows; 0 without rows.

    The interval is method 10 of Newcombe (1998, "Improved confidence intervals for the difference between
    binomial proportions based on paired data", Statistics in Medicine 17): Wilson's intervals of both shares,
    put together with their correlation.
    """
    total = sum(pairs)
    if not total:
        return Interval(0.0, -1.0, 1.0)
    yes = (pairs.both + pairs.first, pairs.both + pairs.second)
    (low, high), (second_low, second_high) = (wilson(count, total) for count in yes)
    share, second_share = (count / total for count in yes)
    correlation = _correlation(pairs)
    down, second_up = share - low, second_high - second_share
    up, second_down = high - share, second_share - second_low
    below = down**2 - 2 * correlation * down * second_up + second_up**2
    above = second_down**2 - 2 * correlation * second_down * up + up**2
    value = (pairs.first - pairs.second) / total
    return Interval(value, max(-1.0, value - _root(below)), min(1.0, value + _root(above)))


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values corrected for multiple comparisons, in the order given.

    The chance that any of them falls below a level by luck is that level (Holm, 1979, Scandinavian Journal of
    Statistics 6).
    """
    corrected, largest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        corrected[place] = largest
    return corrected


def _root(square: float) -> float:
    """Return the square root of a number that only rounding makes negative."""
    return sqrt(max(0.0, square))


def _correlation(pairs: PairedCounts) -> float:
    """Return the correlation of right and wrong between both runs, with Newcombe's correction."""
    both_right, first, second, neither = pairs
    product = (both_right + first) * (second + neither) * (both_right + second) * (first + neither)
    if not product:
        return 0.0
    agreement = float(both_right * neither - first * second)
    if agreement > 0:
        agreement = max(agreement - sum(pairs) / 2, 0.0)
    return agreement / sqrt(product)


def percent(interval: Interval | None, *, signed: bool = False) -> str:
    """Return ``93.1 (90.2-95.3)`` for a share, in %; ``+2.0 (-1.0 to +5.0)`` for a difference of shares."""
    if interval is None:
        return "-"
    if signed:
        value, low, high = (f"{100 * figure:+.1f}" for figure in interval)
        return f"{value} ({low} to {high})"
    value, low, high = (f"{100 * figure:.1f}" for figure in interval)
    return f"{value} ({low}-{high})"


def aligned(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a line for the names and one for each row: the first column to the left, others to the right."""
    cells = [list(names), *(list(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        ).rstrip()
        for row in cells
    ]


def as_chance(value: float) -> str:
    """Return a p-value with as many digits as are read, such as ``0.031`` or ``<0.0001``."""
    return "<0.0001" if value < 0.0001 else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"
