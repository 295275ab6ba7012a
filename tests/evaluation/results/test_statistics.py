"""Tests and intervals agree with enumeration, with worked examples, and with what is drawn at random."""

from itertools import product
from math import comb
from operator import mul
from random import Random
from statistics import mean

import pytest

from orrery.evaluation.results.statistics import (
    ClusterSums,
    PairedCounts,
    clustered_difference,
    clustered_mean,
    holm,
    paired_difference,
    rows_needed,
    sign_test,
)
from orrery.scoring.tally import wilson
from tests.effort import slow, some


def split(first, second):
    """The differences of clusters of one row each, of which the runs win as many."""
    return [1] * first + [-1] * second


def enumerated(differences):
    """The chance of a sum at least as large, by counting all assignments of signs."""
    sums = [sum(map(mul, signs, differences)) for signs in product((1, -1), repeat=len(differences))]
    return mean(abs(total) >= abs(sum(differences)) for total in sums)


def test_the_exact_test_agrees_with_all_signs():
    for first, second in product(range(6), repeat=2):
        assert sign_test(split(first, second)) == pytest.approx(enumerated(split(first, second)), abs=1e-12)
    for differences in ([3], [2, 2, -1, 0], [5, 1, 1, 1], [4, -2, -2, 3, 1, 1], [6, 3, -3, 2, 2, 1, -1, 4]):
        assert sign_test(differences) == pytest.approx(enumerated(differences), abs=1e-12)


@pytest.mark.parametrize(("first", "second"), [(30, 50), (400, 480), (1, 60), (999, 1000), (0, 1000)])
def test_the_exact_test_agrees_with_whole_numbers(first, second):
    total = first + second
    tail = sum(comb(total, count) for count in range(min(first, second) + 1))
    assert sign_test(split(first, second)) == pytest.approx(min(1.0, 2 * tail / 2**total), rel=1e-9)


@slow
def test_the_exact_test_of_many_rows_is_quick_and_within_its_limits():
    assert sign_test(split(500_000, 500_000)) == 1.0
    assert 0 < sign_test(split(499_000, 501_000)) < 0.05
    assert sign_test(split(0, 10**6)) == 0.0
    assert sign_test([]) == 1.0


def test_rows_of_one_problem_that_agree_are_one_row_for_the_exact_test():
    assert sign_test([5, 5, 5, -5]) == sign_test(split(3, 1))
    assert sign_test([8]) == 1.0


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


@slow
def test_the_clustered_interval_covers_the_share_where_rows_depend_on_each_other():
    rng, drawing = Random(1), {"clusters": 30, "rows": 8, "alike": 0.9}
    assert 0.91 < covered(rng, 300, 0.7, **drawing) < 0.985
    samples = [drawn(rng, share=0.7, **drawing) for _ in range(300)]
    naive = [wilson(sum(sums.amount for sums in sample), 240) for sample in samples]
    assert mean(low <= 0.7 <= high for low, high in naive) < 0.7


@slow
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


def paired(rng, clusters, alike, shares):
    """Pairs of right and wrong rows of clusters; with the chance ``alike`` a row repeats the first one.

    With a chance of 0.6 both runs are right or wrong for the same reason.
    """

    def pair():
        luck = rng.random()
        second = luck if rng.random() < 0.6 else rng.random()
        return luck < shares[0], second < shares[1]

    counts = []
    for rows in clusters:
        first = pair()
        pairs = [first if rng.random() < alike else pair() for _ in range(rows)]
        cells = [(True, True), (True, False), (False, True), (False, False)]
        counts.append(PairedCounts(*map(pairs.count, cells)))
    return counts


def differences(clusters):
    return [cluster.first - cluster.second for cluster in clusters]


def pooled(clusters):
    """The counts of all rows, as if they were independent."""
    return PairedCounts(*map(sum, zip(*clusters, strict=True)))


def test_the_clustered_difference_covers_the_difference_where_the_naive_one_does_not():
    rng, shares = Random(1), (0.8, 0.7)
    samples = [paired(rng, [5] * 60, 1.0, shares) for _ in range(200)]
    clustered = [clustered_difference(sample) for sample in samples]
    naive = [paired_difference(pooled(sample)) for sample in samples]
    assert mean(low <= 0.1 <= high for _, low, high in clustered) > 0.92
    assert mean(low <= 0.1 <= high for _, low, high in naive) < 0.75


@slow
@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("sizes", [[1], [5], [1, 2, 3, 8]])
@pytest.mark.parametrize("shares", [(0.6, 0.6), (0.8, 0.7)])
@pytest.mark.parametrize(("clusters", "most"), [(12, 1.0), (40, 0.995), (200, 0.97)])
def test_the_clustered_difference_covers_the_difference_in_19_of_20_draws(
    clusters, most, sizes, shares, alike
):
    rng, rows, draws = Random(2), (sizes * clusters)[:clusters], 1000
    samples = [paired(rng, rows, alike, shares) for _ in range(draws)]
    intervals = map(clustered_difference, samples)
    assert 0.93 < mean(low <= shares[0] - shares[1] <= high for _, low, high in intervals) <= most
    if shares[0] == shares[1]:
        assert mean(sign_test(differences(sample)) < 0.05 for sample in samples) < 0.065


def test_the_clustered_difference_of_independent_rows_is_nearly_the_paired_one():
    pairs = PairedCounts(300, 60, 40, 200)
    kinds = [PairedCounts(*(int(n == cell) for n in range(4))) for cell in range(4)]
    rows = [kind for kind, count in zip(kinds, pairs, strict=True) for _ in range(count)]
    assert clustered_difference(rows) == pytest.approx(paired_difference(pairs), abs=0.001)
    assert clustered_difference([]) == (0, -1, 1)
    assert clustered_difference([PairedCounts(0, 9, 0, 0)]).low < 0.3


@slow
@pytest.mark.parametrize("alike", [0.0, 0.7])
def test_the_needed_rows_detect_the_difference_in_four_of_five_draws(alike):
    rng, shares, size = Random(3), (0.65, 0.6), 4
    needed = rows_needed(paired(rng, [size] * 20_000, alike, shares), 0.05)
    samples = [paired(rng, [size] * round(needed / size), alike, shares) for _ in range(600)]
    assert 0.75 < mean(sign_test(differences(sample)) < 0.05 for sample in samples) < 0.85


def test_rows_that_agree_or_have_one_problem_do_not_say_how_many_are_needed():
    assert rows_needed([PairedCounts(3, 2, 1, 0)], 0.01) is None
    assert rows_needed([PairedCounts(3, 0, 0, 2)] * 5, 0.01) is None
    # The textbook value: (1.96 + 0.84)^2 times the variance of the difference, over its square.
    independent = [PairedCounts(0, 1, 0, 0), PairedCounts(0, 0, 1, 0), *[PairedCounts(1, 0, 0, 0)] * 8] * 50
    assert rows_needed(independent, 0.05) == pytest.approx(7.849 * 0.2 / 0.05**2, rel=0.005)
