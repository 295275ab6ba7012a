"""Intervals and tests for shares: of several tables, and of two runs on the same rows; and their formatting.

All intervals are 95 % intervals. They are derived from Wilson's interval for one share. So they stay within 0
to 1 and do not collapse if all replies are right. Rows of one cluster, such as those of one problem, may
depend on each other. An interval has the number of independent rows that gives its figure the same variance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, inf, log, sqrt
from statistics import mean
from typing import Any, NamedTuple

from orrery.scoring.tally import Z, wilson

NO_VARIANCE = 1e-18  # smaller ones are due to rounding
POWER = 0.8416212335729143  # 80 % of the normal distribution is below this many standard deviations


class Interval(NamedTuple):
    """A figure with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


class PairedCounts(NamedTuple):
    """The numbers of rows that both runs got right, only the first, only the second, and neither."""

    both: float
    first: float
    second: float
    neither: float

    @property
    def difference(self) -> float:
        """The share of the first run minus that of the second."""
        return (self.first - self.second) / sum(self)

    @property
    def variance(self) -> float:
        """The variance of the difference on one row."""
        return (self.first + self.second) / sum(self) - self.difference**2


class ClusterSums(NamedTuple):
    """The sums over the rows of a cluster: of a figure, and of its weights (the rows, for a mean)."""

    cluster: str
    amount: float
    weight: float


def clustered_mean(groups: Sequence[Sequence[ClusterSums]], *, bounded: bool = True) -> Interval | None:
    """Return the unweighted mean of the weighted means of groups of rows; None if a group has no weight.

    The rows of a cluster may depend on each other, also across groups. The variance is the sum of the squared
    sums of residuals of each cluster (Miller, 2024, "Adding Error Bars to Evals", arXiv 2411.00640). The
    interval is Wilson's with the number of trials of this variance, corrected for few clusters by Student's t
    (Korn & Graubard, 1998, Survey Methodology 24). Clusters without any residual count as one trial each.
    There are at most as many trials as independent rows give. The weights of a ratio count its units, for
    example actions, which then take the place of rows.

    A ratio that is not ``bounded`` by 1, such as a number of errors per action, has Student's interval.
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
    if not bounded:
        return _unbounded(mean(means), [*residuals.values()])
    value = min(1.0, mean(means))
    independent = len(groups) ** 2 / sum(1 / weight for weight in weights)
    trials = min(independent, _trials(value * (1 - value), [*residuals.values()]))
    return Interval(value, *wilson(value * trials, trials))


def _unbounded(value: float, residuals: Sequence[float]) -> Interval:
    """Return a figure with Student's interval, cut off at 0; it has no upper bound with one cluster."""
    from scipy.special import stdtrit

    clusters, of_mean = len(residuals), sum(residual**2 for residual in residuals)
    if clusters == 1:
        return Interval(value, 0.0, inf)
    spread = float(stdtrit(clusters - 1, 0.975)) * sqrt(of_mean * clusters / (clusters - 1))
    return Interval(value, max(0.0, value - spread), value + spread)


def _trials(variance: float, residuals: Sequence[float]) -> float:
    """Return the number of trials of this variance that give a mean the variance of the clusters.

    It is corrected for few clusters. ``residuals`` are those of the mean, one a cluster.
    """
    from scipy.special import stdtrit

    clusters, of_mean = len(residuals), sum(residual**2 for residual in residuals)
    if of_mean < NO_VARIANCE or clusters == 1:
        return clusters
    correction = (Z / float(stdtrit(clusters - 1, 0.975))) ** 2 * (clusters - 1) / clusters
    return correction * variance / of_mean


def sign_test(differences: Sequence[int]) -> float:
    """Return the p-value of differences of clusters if each is as likely as its opposite.

    A difference is the number of rows that only the first run got right, minus that of the second. The test
    compares the absolute sum with all assignments of signs: an exact randomization test (Fisher, 1935, The
    Design of Experiments). With one row a cluster it is the exact form of McNemar's test (McNemar, 1947,
    Psychometrika 12; Fagerland, Lydersen & Laake, 2013, BMC Medical Research Methodology 13:91).
    """
    sizes = Counter(abs(difference) for difference in differences if difference)
    total, size = abs(sum(differences)), sum(size * count for size, count in sizes.items())
    if not total:
        return 1.0
    # The chances of each sum of the rows of clusters with a negative sign.
    chances = _sum_chances(sizes)[: (size - total) // 2 + 1]
    return min(1.0, 2 * float(chances.sum()))


def _sum_chances(sizes: Mapping[int, int]) -> Any:
    """Return the chances of the sums 0, 1, ... of sizes, each of which is in the sum with a chance of 1/2."""
    import numpy as np
    from scipy.special import gammaln

    chances = np.ones(1)
    for size, count in sizes.items():
        number = np.arange(count + 1)
        of_size = np.zeros(size * count + 1)
        binomial = gammaln(count + 1) - gammaln(number + 1) - gammaln(count - number + 1)
        of_size[::size] = np.exp(binomial - count * log(2))
        chances = np.convolve(chances, of_size)
    return chances


def paired_difference(pairs: PairedCounts) -> Interval:
    """Return the share of the first run minus that of the second on independent rows; 0 without rows.

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
    value = pairs.difference
    return Interval(value, max(-1.0, value - _root(below)), min(1.0, value + _root(above)))


def clustered_difference(clusters: Sequence[PairedCounts]) -> Interval:
    """Return ``paired_difference`` on the rows of clusters, with the number of rows that respects them."""
    pairs = together(clusters)
    if not (rows := sum(pairs)):
        return paired_difference(pairs)
    trials = min(rows, _trials(pairs.variance, _residuals(pairs, clusters)))
    return paired_difference(PairedCounts(*(count * trials / rows for count in pairs)))


def rows_needed(clusters: Sequence[PairedCounts], difference: float) -> int | None:
    """Return the number of rows that detect a difference of two runs with a power of 80 %, at a level of 5 %.

    The variance and the number of rows in a cluster are those of the given clusters. None if all of them
    agree, or if there is only one.
    """
    pairs, count = together(clusters), len(clusters)
    if count < 2 or not pairs.variance:
        return None
    squares = sum(residual**2 for residual in _residuals(pairs, clusters))
    clustered = sum(pairs) * squares * count / (count - 1)
    return ceil((Z + POWER) ** 2 * max(pairs.variance, clustered) / difference**2)


def together(clusters: Sequence[PairedCounts]) -> PairedCounts:
    """Return the counts of all clusters."""
    return PairedCounts(*map(sum, zip(*clusters, strict=True))) if clusters else PairedCounts(0, 0, 0, 0)


def _residuals(pairs: PairedCounts, clusters: Sequence[PairedCounts]) -> list[float]:
    """Return the residual of the difference of each cluster."""
    rows, value = sum(pairs), pairs.difference
    return [(cluster.first - cluster.second - value * sum(cluster)) / rows for cluster in clusters]


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


def rounded(interval: Interval | None) -> dict[str, float] | None:
    """Return a figure and its bounds by name, as JSON values."""
    return interval and {name: round(value, 6) for name, value in interval._asdict().items()}


def percent(interval: Interval | None, *, signed: bool = False) -> str:
    """Format a share as ``93.1 (90.2-95.3)``, in %; a difference of shares as ``+2.0 (-1.0 to +5.0)``."""
    if interval is None:
        return "-"
    if signed:
        value, low, high = (f"{100 * figure:+.1f}" for figure in interval)
        return f"{value} ({low} to {high})"
    value, low, high = (f"{100 * figure:.1f}" for figure in interval)
    return f"{value} ({low}-{high})"


def percent_of(figure: Mapping[str, float] | None, *, signed: bool = False) -> str:
    """Return a share of a summary, or with ``signed`` a difference of shares, in %, with its interval."""
    return percent(None if figure is None else Interval(**figure), signed=signed)


def decimal(interval: Interval) -> str:
    """Format a figure as ``1.25 (0.90-1.60)``."""
    value, low, high = (f"{figure:.2f}" for figure in interval)
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
