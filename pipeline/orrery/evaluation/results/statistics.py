"""Intervals and tests for shares: of several tables together, and of two runs on the same rows.

All intervals hold 95 %. They are built from Wilson's for one share, so that they stay within their limits and
do not shrink to nothing where all replies are right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, lgamma, log, sqrt
from statistics import mean
from typing import NamedTuple

from orrery.scoring.tally import wilson

_Z = 1.959963984540054  # the normal distribution holds 95 % within so many deviations
_NEGLIGIBLE = 1e-17  # of a sum, the terms that double precision would drop


class Interval(NamedTuple):
    """A figure with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


class Pairs(NamedTuple):
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
    """Return how likely a split at least as uneven as ``first`` to ``second`` is if both are as likely.

    Twice the smaller tail of the binomial distribution with one half, at most 1. With the rows that only one
    of two runs got right this is the exact form of McNemar's test (McNemar, 1947, Psychometrika 12;
    Fagerland, Lydersen & Laake, 2013, BMC Medical Research Methodology 13:91).
    """
    total, fewer = first + second, min(first, second)
    if not total:
        return 1.0
    # From the largest term of the tail down, each from the one before: no number grows large.
    term = exp(lgamma(total + 1) - lgamma(fewer + 1) - lgamma(total - fewer + 1) - total * log(2))
    tail = 0.0
    for count in range(fewer, -1, -1):
        tail += term
        term *= count / (total - count + 1)
        if term < tail * _NEGLIGIBLE:
            break
    return min(1.0, 2 * tail)


def paired_difference(pairs: Pairs) -> Interval:
    """Return the share of the first run minus that of the second, on the same rows; 0 without rows.

    The interval is method 10 of Newcombe (1998, "Improved confidence intervals for the difference between
    binomial proportions based on paired data", Statistics in Medicine 17): Wilson's intervals of both shares,
    put together with their correlation.
    """
    total = sum(pairs)
    if not total:
        return Interval(0.0, -1.0, 1.0)
    yes = (pairs.both + pairs.first, pairs.both + pairs.second)
    (low, high), (other_low, other_high) = (wilson(count, total) for count in yes)
    share, other = (count / total for count in yes)
    correlation = _correlation(pairs)
    down, other_up = share - low, other_high - other
    up, other_down = high - share, other - other_low
    below = down**2 - 2 * correlation * down * other_up + other_up**2
    above = other_down**2 - 2 * correlation * other_down * up + up**2
    value = (pairs.first - pairs.second) / total
    return Interval(value, max(-1.0, value - _root(below)), min(1.0, value + _root(above)))


def mean_difference(differences: Sequence[float]) -> Interval:
    """Return the mean of differences of rows, each from -1 to 1, with the normal interval of a mean.

    For rows that were asked several times, whose shares are no longer right or wrong alone.
    """
    count = len(differences)
    if not count:
        return Interval(0.0, -1.0, 1.0)
    value = mean(differences)
    if count == 1:
        return Interval(value, -1.0, 1.0)
    spread = _Z * sqrt(sum((each - value) ** 2 for each in differences) / (count - 1) / count)
    return Interval(value, max(-1.0, value - spread), min(1.0, value + spread))


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values made fit for being read side by side, in the order given.

    The chance that any of them falls below a level by luck is that level (Holm, 1979, Scandinavian Journal of
    Statistics 6).
    """
    found, largest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        found[place] = largest
    return found


def _root(square: float) -> float:
    """Return the square root of what is no less than 0 but for rounding."""
    return sqrt(max(0.0, square))


def _correlation(pairs: Pairs) -> float:
    """Return the correlation of right and wrong between both runs, with Newcombe's correction."""
    both, first, second, neither = pairs
    product = (both + first) * (second + neither) * (both + second) * (first + neither)
    if not product:
        return 0.0
    agreement = float(both * neither - first * second)
    if agreement > 0:
        agreement = max(agreement - sum(pairs) / 2, 0.0)
    return agreement / sqrt(product)
