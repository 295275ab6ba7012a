"""Which rows are kept: counts of answers, features and rules of thumb."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.families.questions import balance
from orrery.families.questions.balance import (
    FEATURE_SLACK,
    NO,
    YES,
    RowCandidate,
    choose_bool,
    choose_mcq,
    has_matches,
    shifts_of,
)
from tests.effort import examples

FEATURES = "abcd"


@st.composite
def yes_no_candidates(draw):
    """Candidates of some states: both answers of equal features, of different ones, or one answer."""
    candidates = []
    for state in range(draw(st.integers(0, 40))):
        first, second = draw(st.sampled_from(FEATURES)), draw(st.sampled_from(FEATURES))
        sides = draw(
            st.sampled_from(
                [((YES, first), (NO, first)), ((YES, first), (NO, second)), ((YES, first),), ((NO, first),)]
            )
        )
        candidates += [
            RowCandidate(2 * state + place, state, side, ((candidate, 0),))
            for place, (side, candidate) in enumerate(sides)
        ]
    return candidates


@given(yes_no_candidates(), st.integers(0, 40))
def test_yes_and_no_are_equally_frequent_and_no_state_is_asked_about_twice(candidates, most):
    chosen = choose_bool(candidates, most, random.Random(0))
    counts = Counter(candidate.answer for candidate in chosen)
    assert counts[YES] == counts[NO]
    assert len(chosen) <= most
    assert set(chosen) <= set(candidates)
    states = [candidate.state for candidate in chosen]
    assert states == sorted(set(states))
    for feature in FEATURES:
        answers = Counter(candidate.answer for candidate in chosen if candidate.features == feature)
        assert abs(answers[YES] - answers[NO]) <= 1


@given(st.integers(0, 60), st.integers(0, 60))
def test_where_every_state_has_both_sides_none_is_lost_but_an_odd_one(states, most):
    candidates = [
        RowCandidate(2 * n + k, n, side, (("a", 0),))
        for n in range(states)
        for k, side in enumerate((YES, NO))
    ]
    assert len(choose_bool(candidates, most, random.Random(0))) == min(states, most) // 2 * 2


def test_the_place_of_a_state_does_not_give_its_answer():
    """States of a problem and a difficulty stand at the same places in all tables."""
    yes: Counter[int] = Counter()
    for seed in range(400):
        rng = random.Random(seed)
        features = [rng.choice(FEATURES) for _ in range(8)]
        candidates = [
            RowCandidate(2 * n + k, n, s, ((features[n], 0),))
            for n in range(8)
            for k, s in enumerate((YES, NO))
        ]
        for candidate in choose_bool(candidates, 8, rng):
            yes[candidate.state] += candidate.answer == YES
    assert all(150 < yes[n] < 250 for n in range(8))  # 200 is even; 5 standard deviations are 50


def test_a_side_waits_for_its_match_in_another_state():
    candidates = [
        RowCandidate(0, 0, YES, (("a", 0),)),
        RowCandidate(1, 1, NO, (("b", 0),)),
        RowCandidate(2, 7, NO, (("a", 0),)),
    ]
    assert [candidate.state for candidate in choose_bool(candidates, 9, random.Random(0))] == [
        0,
        7,
    ]
    assert has_matches(candidates)
    assert not has_matches(candidates[:2])
    assert choose_bool(candidates[:2], 9, random.Random(0)) == []


def choice(number, rng, right, matched=True):
    """A choice among features; the right one has the features and the length given."""
    features = [right, *rng.choices(FEATURES, k=3)]
    sizes = [rng.randint(1, 9) for _ in features]
    return RowCandidate(number, number, "", shifts_of(features, {"longest": sizes}), matched)


def test_the_shifts_of_a_row_count_hits_less_chance_in_twelfths():
    shifts = dict(shifts_of(["a", "b", "b", "c"], {"longest": [5, 5, 1, 2], "shortest": [-5, -5, -1, -2]}))
    assert shifts == {"a": 9, "b": -6, "c": -3, "~longest": 3, "~shortest": -3}
    assert all(n == 0 for n in dict(shifts_of("aaaa", {"longest": [1, 1, 1, 1]})).values())


@examples(20)
@given(st.integers(0, 10**6))
def test_no_features_of_options_that_differ_is_right_much_more_often_than_by_chance(seed):
    rng = random.Random(seed)
    candidates = [choice(n, rng, rng.choice("aab"), matched=False) for n in range(200)]
    chosen = choose_mcq(candidates, 200)
    excess = Counter()
    for candidate in chosen:
        excess.update({key: shift for key, shift in candidate.shifts if key in FEATURES})
    assert all(abs(value) <= FEATURE_SLACK for value in excess.values())
    assert chosen


def test_a_rule_of_thumb_that_is_often_right_loses_rows():
    candidates = [
        RowCandidate(n, n, "", shifts_of("aaaa", {"longest": [9, 1, 1, 1] if n % 2 else [1, 9, 1, 1]}))
        for n in range(400)
    ]
    chosen = choose_mcq(candidates, 400)
    hits = sum(dict(candidate.shifts)["~longest"] > 0 for candidate in chosen)
    assert 100 <= len(chosen) < 400
    assert hits / len(chosen) < 0.28
    assert len({candidate.state for candidate in chosen}) == len(chosen)
    assert len(choose_mcq(candidates, 10)) == 10


def choices(*rows):
    """Candidates of open questions: what each needs, and what it does to rules."""
    return [RowCandidate(number, number, needs, shifts) for number, (needs, shifts) in enumerate(rows)]


SHARES = {"none": 0.25, "search": 0.5, "blind": 0.5}


@pytest.mark.parametrize("seed", range(20))
def test_no_share_of_open_answers_is_passed(seed):
    rng = random.Random(seed)
    rows = []
    for _ in range(rng.randint(1, 60)):
        needs = rng.choice(("none", "relaxation", "relaxation", "search"))
        rules = (
            rng.sample(("(a x)", "(a y)", "b t", "b t =1", "(c z)"), rng.randint(1, 3))
            if needs != "none"
            else ()
        )
        rows.append((needs, tuple((rule, rng.choice((300, 700, 1000))) for rule in rules)))
    for most in (1, 3, 10, 25):
        chosen = balance.choose_open(choices(*rows), most, **SHARES)
        assert len(chosen) <= most
        assert [candidate.row for candidate in chosen] == sorted({candidate.row for candidate in chosen})
        assert sum(candidate.answer == "none" for candidate in chosen) <= len(chosen) / 4
        for rule in {rule for candidate in chosen for rule, _ in candidate.shifts}:
            right = sum(dict(candidate.shifts).get(rule, 0) for candidate in chosen)
            assert right <= max(500 * len(chosen), 0 if "=" in rule else 1000)


def test_rows_that_only_search_answers_come_first_and_fill_up():
    hard, easy = (
        [("search", ((f"h{n}", 1000),)) for n in range(9)],
        [("relaxation", ((f"e{n}", 1000),)) for n in range(9)],
    )
    chosen = balance.choose_open(choices(*easy, *hard), 10, **SHARES)
    assert sorted(candidate.answer for candidate in chosen) == ["relaxation"] * 5 + ["search"] * 5
    chosen = balance.choose_open(choices(*easy[:2], *hard), 10, **SHARES)
    assert len(chosen) == 10


def test_where_all_is_in_reach_or_a_repeat_always_right_nothing_is_asked():
    assert balance.choose_open(choices(*[("none", ())] * 30), 10, **SHARES) == []
    assert balance.choose_open(choices(*[("search", (("on block =1", 1000),))] * 30), 10, **SHARES) == []
