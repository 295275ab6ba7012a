"""Tests and intervals agree with enumeration, with worked examples, and with what is drawn at random."""

from itertools import product
from math import comb
from random import Random
from statistics import mean

import pytest

from orrery.evaluation.results.statistics import (
    ClusterSums,
    PairedCounts,
    clustered_mean,
    holm,
    mean_of_shares,
    paired_difference,
    sign_test,
)
from orrery.scoring.tally import wilson
from tests.effort import some


def enumerated(first, second):
    """The chance of a split at least as uneven, by counting all sequences of that many coins."""
    total, gap = first + second, abs(first - second)
    uneven = sum(abs(sum(coins) - (total - sum(coins))) >= gap for coins in product((0, 1), repeat=total))
    return uneven / 2**total


def test_the_exact_test_agrees_with_every_sequence_of_coins():
    for first in range(8):
        for second in range(8):
            assert sign_test(first, second) == pytest.approx(enumerated(first, second), abs=1e-12)


@pytest.mark.parametrize(("first", "second"), [(30, 50), (400, 480), (1, 60), (999, 1000), (0, 1000)])
def test_the_exact_test_agrees_with_whole_numbers(first, second):
    total = first + second
    tail = sum(comb(total, count) for count in range(min(first, second) + 1))
    assert sign_test(first, second) == pytest.approx(min(1.0, 2 * tail / 2**total), rel=1e-9)


def test_the_exact_test_of_many_rows_is_quick_and_within_its_limits():
    assert sign_test(500_000, 500_000) == 1.0
    assert 0 < sign_test(499_000, 501_000) < 0.05
    assert sign_test(0, 10**6) == 0.0
    assert sign_test(0, 0) == 1.0


def test_the_paired_interval_is_that_of_a_worked_example():
    # Bentur et al. (2009) in Fagerland, Lydersen & Laake: -0.286 (-0.507 to -0.026).
    interval = paired_difference(PairedCounts(1, 1, 7, 12))
    assert [round(figure, 3) for figure in interval] == [-0.286, -0.507, -0.026]


def test_the_paired_interval_turns_with_the_runs_and_holds_its_value():
    for cells in product((0, 1, 5, 30), repeat=4):
        pairs = PairedCounts(*cells)
        value, low, high = paired_difference(pairs)
        assert -1 <= low <= value <= high <= 1
        swapped = paired_difference(PairedCounts(pairs.both, pairs.second, pairs.first, pairs.neither))
        assert swapped == pytest.approx((-value, -high, -low))


@pytest.mark.parametrize(
    ("shared", "first", "second", "rows"), [(0.5, 0.1, 0.1, 60), (0.6, 0.2, 0.05, 40), (0.9, 0.05, 0.02, 100)]
)
def test_the_paired_interval_holds_the_difference_as_often_as_it_says(shared, first, second, rows):
    rng, held, draws = Random(3), 0, some(5000)
    for _ in range(draws):
        cells = rng.choices(range(4), (shared, first, second, 1 - shared - first - second), k=rows)
        _, low, high = paired_difference(PairedCounts(*(cells.count(cell) for cell in range(4))))
        held += low <= first - second <= high
    assert 0.93 <= held / draws <= 0.995


@pytest.mark.parametrize(
    ("shares", "rows", "most"),
    [
        ((0.7,) * 35, 5, 0.98),
        ((0.9,) * 35, 5, 0.98),
        ((0.95,) * 35, 20, 0.98),
        ((0.9,) * 10, 2, 0.99),
        ((0.95, 0.5, 0.1, 1.0), 30, 1.0),  # where they differ it is wider than it need be
    ],
)
def test_the_mean_of_shares_holds_the_mean_as_often_as_it_says(shares, rows, most):
    rng, draws, above, below = Random(5), some(2000), 0, 0
    for _ in range(draws):
        drawn = [(sum(rng.random() < share for _ in range(rows)), rows) for share in shares]
        _, low, high = mean_of_shares(drawn)
        above += sum(shares) / len(shares) > high
        below += sum(shares) / len(shares) < low
    assert 0.92 <= 1 - (above + below) / draws <= most


def test_the_mean_of_one_share_is_its_own_interval():
    assert mean_of_shares([(7, 9)]) == pytest.approx((7 / 9, *wilson(7, 9)))
    assert mean_of_shares([(0, 0), (7, 9)]) == mean_of_shares([(7, 9)])
    assert mean_of_shares([(0, 0)]) is None
    assert mean_of_shares([(5, 5)] * 3).low < 1


def test_holm_keeps_the_chance_of_any_false_alarm():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    rng, alarms, draws = Random(9), 0, some(5000)
    for _ in range(draws):
        alarms += min(holm([rng.random() for _ in range(20)])) < 0.05
    assert alarms / draws <= 0.065


def drawn(rng, clusters, rows, share, alike):
    """Right and wrong rows of clusters; with the chance ``alike`` a row repeats the first of its cluster."""
    groups = []
    for cluster in range(clusters):
        first = rng.random() < share
        values = [first if rng.random() < alike else rng.random() < share for _ in range(rows)]
        groups.append(ClusterSums(str(cluster), sum(values), rows))
    return groups


def covered(rng, repetitions, share, **drawing):
    """How often the interval of drawn rows contains the share."""
    intervals = [clustered_mean([drawn(rng, share=share, **drawing)]) for _ in range(repetitions)]
    return mean(interval.low <= share <= interval.high for interval in intervals)


def test_the_clustered_interval_covers_the_share_where_rows_depend_on_each_other():
    rng, drawing = Random(1), {"clusters": 30, "rows": 8, "alike": 0.9}
    assert 0.91 < covered(rng, 300, 0.7, **drawing) < 0.985
    samples = [drawn(rng, share=0.7, **drawing) for _ in range(300)]
    naive = [wilson(sum(sums.amount for sums in sample), 240) for sample in samples]
    assert mean(low <= 0.7 <= high for low, high in naive) < 0.7


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [12, 40, 100])
@pytest.mark.parametrize("share", [0.5, 0.8])
@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
def test_the_clustered_interval_covers_the_share_in_19_of_20_draws(clusters, share, alike):
    coverage = covered(Random(2), 4000, share, clusters=clusters, rows=5, alike=alike)
    assert 0.925 < coverage < 0.985


def test_the_clustered_interval_is_no_narrower_than_that_of_independent_rows():
    pairs = [ClusterSums(str(n), 1, 2) for n in range(53)]
    interval = clustered_mean([[*pairs, ClusterSums("both right", 2, 2)]])
    assert interval == pytest.approx((55 / 108, *wilson(55, 108)))
    groups = [
        [ClusterSums("a", 1, 2), ClusterSums("b", 1, 2)],
        [ClusterSums("c", 4, 9), ClusterSums("d", 5, 9)],
    ]
    assert clustered_mean(groups)[1:] == pytest.approx(mean_of_shares([(2, 4), (9, 18)])[1:])


def test_the_clustered_interval_of_a_mean_of_tasks_respects_common_problems():
    def width(names):
        groups = [[ClusterSums(name(n), n % 2, 1) for n in range(40)] for name in names]
        interval = clustered_mean(groups)
        assert interval.value == 0.5
        return interval.high - interval.low

    # The same problems in both tasks give no more information than one of the tasks.
    assert width([str, str]) == pytest.approx(width([str]))
    assert width([str, "other {}".format]) == pytest.approx(width([str]) / 2**0.5, rel=0.1)


def test_the_clustered_interval_is_within_its_limits_and_needs_rows():
    for amounts in ([0], [1], [1, 1, 1], [0, 0, 0], [0.5, 0.5], [0.2, 0.9, 0.4]):
        interval = clustered_mean([[ClusterSums(str(n), amount, 1) for n, amount in enumerate(amounts)]])
        assert 0 <= interval.low <= interval.value <= interval.high <= 1
        assert interval.low < interval.high
    assert clustered_mean([]) is None
    assert clustered_mean([[], [ClusterSums("a", 1, 1)]]) is None
