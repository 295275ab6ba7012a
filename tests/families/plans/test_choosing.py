"""Which drafts are kept."""

from collections import Counter
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.config import PoseSize
from orrery.families.plans.choosing import DraftPlace, choose, evenly, joined
from orrery.families.plans.posing import CANDIDATES

candidates = st.lists(
    st.builds(
        DraftPlace,
        pieces=st.tuples(st.tuples(st.just(0), st.integers(0, 99), st.integers(1, 3))),
        item=st.sampled_from("abc"),
        stratum=st.sampled_from(["x/0", "x/1", "y/0", "z"]),
        keys=st.just(frozenset()),
    ),
    max_size=40,
)


@pytest.mark.slow
@given(candidates, st.integers(1, 20))
def test_no_more_than_wanted_but_for_one_draft_that_is_too_large(drafts, most):
    picked = evenly(list(drafts), most)
    total = sum(draft.rows for draft in picked)
    assert total <= most or len(picked) == 1
    assert Counter(picked) <= Counter(drafts)
    assert bool(picked) == bool(drafts)


def strata_of(drafts, most, **options):
    """How many drafts of each stratum are chosen."""
    return Counter(draft.stratum for draft in evenly(drafts, most, **options))


@given(st.integers(1, 12))
def test_strata_are_filled_evenly(most):
    drafts = [
        DraftPlace(((0, n, 1),), str(n), s, frozenset())
        for n, s in enumerate(["x/0"] * 20 + ["x/1"] * 20 + ["y"] * 20)
    ]
    strata = strata_of(drafts, most)
    assert abs(strata["x/0"] - strata["x/1"]) <= 1
    assert abs(strata["x/0"] + strata["x/1"] - strata["y"]) <= 1


def test_each_band_of_long_problems_has_its_own_number_of_rows():
    bands = [0] * 5 + [50] * 5 + [100] * 5
    rows = ({"first": n, "item": str(n), "split": "test", "keys": [], "band": b} for n, b in enumerate(bands))
    picked = choose("ferry", [part(*rows)], PoseSize(rows=3, bands={50: 2, 100: 1}), {})
    kept = sorted(picked.rows["plan_generation"][0])
    assert [sum(low <= n < low + 5 for n in kept) for low in (0, 5, 10)] == [3, 2, 1]
    assert picked.counts["plan_generation", "test"] == 3


def drafts_of(counts):
    names = [name for name, count in counts.items() for _ in range(count)]
    return [DraftPlace(((0, n, 1),), str(n), name, frozenset()) for n, name in enumerate(names)]


THIRD = Fraction(1, 3)
distances = st.dictionaries(st.sampled_from(["x/2", "x/3", "x/4", "x/5", "y/2", "y/3"]), st.integers(1, 60))


@given(distances, st.integers(1, 120))
def test_no_stratum_is_a_larger_share_of_its_part_than_is_allowed(counts, most):
    strata = strata_of(drafts_of(counts), most, largest=THIRD)
    for part in "xy":
        mine = {name: count for name, count in strata.items() if name[0] == part}
        assert all(count <= max(1, 1 + THIRD * sum(mine.values())) for count in mine.values())
        assert not mine or len(mine) >= min(most, 1)


def test_rows_of_the_most_frequent_distance_are_left_out_where_the_others_are_few():
    counts = {"x/2": 150, "x/3": 14, "x/4": 12, "x/5": 10}
    assert strata_of(drafts_of(counts), 200) == counts
    strata = strata_of(drafts_of(counts), 200, largest=THIRD)
    assert strata == counts | {"x/2": 18}
    assert 3 * strata["x/2"] <= strata.total()


def chosen_of_causality(names, most):
    """The numbers of the chosen rows of causality, from the strata of all rows."""
    rows = [
        {"table": "plan_causality", "first": n, "keys": [str(n)], "stratum": name}
        for n, name in enumerate(names)
    ]
    return choose("ferry", [part(*rows)], PoseSize(rows=most), {}).rows["plan_causality"][0]


def test_causality_has_a_largest_share_and_choosing_keeps_to_it():
    counts = {"fails hidden/2": 90, "fails hidden/3": 6, "fails hidden/4": 6, "fails hidden/5": 6}
    assert len(chosen_of_causality([*Counter(counts).elements()], 99)) == 27


def test_a_part_that_is_led_has_a_quarter_of_the_rows_at_most():
    counts = {"x seen/2": 90, "x hidden/2": 4, "x hidden/3": 4}
    led = {"x seen": "x hidden"}
    strata = strata_of(drafts_of(counts), 200, led=led)
    assert strata == {"x seen/2": 2, "x hidden/2": 4, "x hidden/3": 4}
    for most in range(1, 11):
        strata = strata_of(drafts_of(counts), most, led=led)
        assert 4 * strata["x seen/2"] <= strata.total() == most
    assert evenly(drafts_of({"x seen/2": 9}), 9, led=led) == []


def test_causality_asks_seldom_what_the_names_suggest():
    counts = {f"fails {look}/{away}": 30 for look in ("seen", "hidden") for away in (2, 3, 4, 5)}
    names = [*Counter(counts).elements()]
    kept = chosen_of_causality(names, 40)
    assert len(kept) == 40
    assert sum("seen" in names[n] for n in kept) == 10


def test_states_take_turns():
    drafts = [DraftPlace(((0, n, 1),), item, "", frozenset()) for n, item in enumerate("aaab")]
    assert {draft.item for draft in evenly(drafts, 2)} == {"a", "b"}


def part(*rows):
    columns = {
        "table": "plan_generation", "first": 0, "rows": 1, "item": "i", "split": "train",
        "vocabulary": "plain", "stratum": "", "half": "", "keys": ["k"], "band": 0,
    }  # fmt: skip
    return pa.Table.from_pylist([{**columns, **row} for row in rows], schema=CANDIDATES)


def test_no_problem_stands_in_two_splits_and_test_goes_first():
    rows = part({"first": 0, "split": "train"}, {"first": 1, "split": "test"})
    picked = choose("ferry", [rows], PoseSize(rows=2), {})
    assert picked.rows["plan_generation"] == {0: [1]}
    assert picked.counts["plan_generation", "test"] == 1
    assert picked.counts["plan_generation", "train"] == 0


def test_drafts_about_problems_of_another_split_are_counted():
    rows = part({"keys": ["k", "other"]}, {"first": 1, "keys": ["undecided"]}, {"first": 2, "keys": ["mine"]})
    picked = choose("ferry", [rows], PoseSize(rows=9), {"other": "test", "mine": "train"})
    assert picked.rows["plan_generation"] == {0: [2]}
    assert picked.left_out["plan_generation", "a problem of another split"] == 2


def test_few_rows_are_kept_of_a_vocabulary():
    rows = part(*({"first": n, "vocabulary": "misleading", "keys": [str(n)]} for n in range(20)))
    size = PoseSize(rows=20, vocabularies={"misleading": 0.25})
    assert len(choose("ferry", [rows], size, {}).rows["plan_generation"][0]) == 5


def test_halves_are_kept_with_the_other_half_alone():
    halves = ["-3", "+4", "-4", "+4", "+5", ""]
    drafts = [
        DraftPlace(((0, n, 1),), str(n), "", frozenset({str(n)}), half) for n, half in enumerate(halves)
    ]
    joined_drafts = joined(drafts)
    assert [draft.pieces for draft in joined_drafts] == [((0, 5, 1),), ((0, 2, 1), (0, 1, 1))]
    assert joined_drafts[1].keys == {"1", "2"}
    assert joined_drafts[1].rows == 2
