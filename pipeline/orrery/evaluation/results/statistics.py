"""Intervals and tests for shares: of several tables, and of two runs on the same rows; and their formatting.

All intervals are 95 % intervals. They are derived from Wilson's interval for one share. So they stay within 0
to 1 and do not collapse if all replies are right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import mean
from typing import NamedTuple

from orrery.scoring.tally import Z, wilson

NO_VARIANCE = 1e-18  # smaller ones are due to rounding


class Interval(NamedTuple):
    """A figure with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


class PairedCounts(NamedTuple):
    """The numbers of rows that both runs got right, only the first, only the second, and neither."""

    both: int
    first: int
    second: int
    neither: int


def mean_of_shares(counts: Iterable[tuple[float, float]]) -> Interval | None:
    """Return the unweighted mean of independent shares, given as pairs (yes, total); None without shares.

    The interval is Wilson's (1927), with the number of trials that gives the mean its variance if all shares
    were equal. If they differ, the mean varies less, because x (1 - x) is concave, and the interval is wider
    than necessary. Intervals combined from those of the shares would be too narrow for shares with few rows.
    """
    shares = [(yes / total, total) for yes, total in counts if total]
    if not shares:
        return None
    trials = len(shares) ** 2 / sum(1 / total for _, total in shares)
    value = mean(share for share, _ in shares)
    return Interval(value, *wilson(value * trials, trials))


class ClusterSums(NamedTuple):
    """The sums over the rows of a cluster: of a figure, and of its weights (the rows, for a mean)."""

    cluster: str
    amount: float
    weight: float


def clustered_mean(groups: Sequence[Sequence[ClusterSums]]) -> Interval | None:
    """Return the unweighted mean of the weighted means of groups of rows; None if a group has no weight.

    The rows of a cluster may depend on each other, also across groups. The variance is the sum of the squared
    sums of residuals of each cluster (Miller, 2024, "Adding Error Bars to Evals", arXiv 2411.00640). The
    interval is Wilson's with the number of trials of this variance, corrected for few clusters by Student's t
    (Korn & Graubard, 1998, Survey Methodology 24). Clusters without any residual count as one trial each.
    There are at most as many trials as independent rows give. The weights of a ratio count its units, for
    example actions, which then take the place of rows.
    """
    weights = [sum(sums.weight for sums in group) for group in groups]
    if not weights or not all(weights):
        return None
    residuals: dict[str, float] = {}
    means = [
        sum(sums.amount for sums in group) / weight for group, weight in zip(groups, weights, strict=True)
    ]
    for group, weight, value in zip(groups, weights, means, strict=True):
        for cluster, amount, part in group:
            residual = (amount - value * part) / weight / len(groups)
            residuals[cluster] = residuals.get(cluster, 0.0) + residual
    value, variance = min(1.0, mean(means)), sum(residual**2 for residual in residuals.values())
    independent = len(groups) ** 2 / sum(1 / weight for weight in weights)
    trials = min(independent, _trials(value, variance, len(residuals)))
    return Interval(value, *wilson(value * trials, trials))


def _trials(value: float, variance: float, clusters: int) -> float:
    """Return the number of trials that gives a share this variance, corrected for few clusters."""
    from scipy.special import stdtrit

    if variance < NO_VARIANCE or clusters == 1:
        return clusters
    correction = (Z / float(stdtrit(clusters - 1, 0.975))) ** 2 * (clusters - 1) / clusters
    return correction * value * (1 - value) / variance


def sign_test(first: int, second: int) -> float:
    """Return the p-value of a split ``first`` to ``second`` if both sides are equally likely.

    It is twice the smaller tail of the binomial distribution with one half, at most 1. Applied to the rows
    that only one of two runs got right, it is the exact form of McNemar's test (McNemar, 1947, Psychometrika
    12; Fagerland, Lydersen & Laake, 2013, BMC Medical Research Methodology 13:91).
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(first, second), first + second, 0.5)))


def paired_difference(pairs: PairedCounts) -> Interval:
    """Return the share of the first run minus that of the second, on the same rows; 0 without rows.

    The interval is method 10 of Newcombe (1998, "Improved confidence intervals for the difference between
    binomial proportions based on paired data", Statistics in Medicine 17): Wilson's intervals of both shares,
    combined with their correlation.
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
    """Return p-values corrected for multiple comparisons, in the given order.

    The probability that any of them falls below a level by chance is at most this level (Holm, 1979,
    Scandinavian Journal of Statistics 6).
    """
    corrected, largest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        corrected[place] = largest
    return corrected


def _root(square: float) -> float:
    """Return the square root of a number; a number below 0, which only rounding gives, counts as 0."""
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
    """Format a share as ``93.1 (90.2-95.3)``, in %; a difference of shares as ``+2.0 (-1.0 to +5.0)``."""
    if interval is None:
        return "-"
    if signed:
        value, low, high = (f"{100 * figure:+.1f}" for figure in interval)
        return f"{value} ({low} to {high})"
    value, low, high = (f"{100 * figure:.1f}" for figure in interval)
    return f"{value} ({low}-{high})"


def aligned(lines: Sequence[Sequence[str]], right: Sequence[bool] = ()) -> list[str]:
    """Return lines of cells as text, each column as wide as its widest cell.

    Args:
        lines: the cells of each line.
        right: whether a column is right-aligned (default: all but the first).
    """
    sides = right or [place > 0 for place in range(len(lines[0]))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if side else cell.ljust(width)
            for cell, width, side in zip(line, widths, sides, strict=True)
        ).rstrip()
        for line in lines
    ]


def as_chance(value: float) -> str:
    """Format a p-value, for example ``0.031`` or ``<0.0001``."""
    return "<0.0001" if value < 0.0001 else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"
