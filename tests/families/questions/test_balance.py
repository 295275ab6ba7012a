"""Which rows are kept: counts of answers, looks and rules of thumb."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orrery.families.questions import balance
from orrery.families.questions.balance import NO, YES, RowCandidate, shifts_of

LOOKS = "abcd"


@st.composite
def yes_no_drafts(draw):
    """Drafts of some states: both sides of one look, of two looks, or one side."""
    drafts = []
    for state in range(draw(st.integers(0, 40))):
        one, other = draw(st.sampled_from(LOOKS)), draw(st.sampled_from(LOOKS))
        sides = draw(
            st.sampled_from([((YES, one), (NO, one)), ((YES, one), (NO, other)), ((YES, one),), ((NO, one),)])
        )
        drafts += [
            RowCandidate(2 * state + place, state, side, ((look, 0),))
            for place, (side, look) in enumerate(sides)
        ]
    return drafts


@given(yes_no_drafts(), st.integers(0, 40), st.booleans())
def test_yes_and_no_are_equally_frequent_and_no_state_is_asked_about_twice(drafts, most, strict):
    kept = balance.yes_no(drafts, most, random.Random(0), strict=strict)
    counts = Counter(draft.answer for draft in kept)
    assert counts[YES] == counts[NO]
    assert len(kept) <= most
    assert set(kept) <= set(drafts)
    states = [draft.state for draft in kept]
    assert states == sorted(set(states))
    if strict:
        for look in LOOKS:
            answers = Counter(draft.answer for draft in kept if draft.look == look)
            assert abs(answers[YES] - answers[NO]) <= 1


@given(st.integers(0, 60), st.integers(0, 60))
def test_where_every_state_has_both_sides_none_is_lost_but_an_odd_one(states, most):
    drafts = [
        RowCandidate(2 * n + k, n, side, (("a", 0),))
        for n in range(states)
        for k, side in enumerate((YES, NO))
    ]
    assert len(balance.yes_no(drafts, most, random.Random(0), strict=True)) == min(states, most) // 2 * 2


@pytest.mark.parametrize("strict", [True, False])
def test_the_place_of_a_state_does_not_tell_its_answer(strict):
    """States of a problem and a difficulty stand at the same places in all tables."""
    yes: Counter[int] = Counter()
    for seed in range(400):
        rng = random.Random(seed)
        looks = [rng.choice(LOOKS) for _ in range(8)]
        drafts = [
            RowCandidate(2 * n + k, n, s, ((looks[n], 0),)) for n in range(8) for k, s in enumerate((YES, NO))
        ]
        for draft in balance.yes_no(drafts, 8, rng, strict=strict):
            yes[draft.state] += draft.answer == YES
    assert all(150 < yes[n] < 250 for n in range(8))  # 200 is even; 5 standard deviations are 50


def test_a_side_waits_for_its_match_in_another_state():
    drafts = [
        RowCandidate(0, 0, YES, (("a", 0),)),
        RowCandidate(1, 1, NO, (("b", 0),)),
        RowCandidate(2, 7, NO, (("a", 0),)),
    ]
    assert [draft.state for draft in balance.yes_no(drafts, 9, random.Random(0), strict=True)] == [0, 7]
    assert balance.has_matches(drafts)
    assert not balance.has_matches(drafts[:2])
    assert len(balance.yes_no(drafts[:2], 9, random.Random(0), strict=False)) == 2


def choice(number, rng, right, alike=True):
    """A choice among looks; the right one has the look and the length given."""
    looks = [right, *rng.choices(LOOKS, k=3)]
    sizes = [rng.randint(1, 9) for _ in looks]
    return RowCandidate(number, number, "", shifts_of(looks, {"longest": sizes}), alike)


def test_the_shifts_of_a_row_count_hits_less_chance_in_twelfths():
    shifts = dict(shifts_of(["a", "b", "b", "c"], {"longest": [5, 5, 1, 2], "shortest": [-5, -5, -1, -2]}))
    assert shifts == {"a": 9, "b": -6, "c": -3, "~longest": 3, "~shortest": -3}
    assert all(n == 0 for n in dict(shifts_of("aaaa", {"longest": [1, 1, 1, 1]})).values())


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_no_look_of_options_that_differ_is_right_much_more_often_than_by_chance(seed):
    rng = random.Random(seed)
    drafts = [choice(n, rng, rng.choice("aab"), alike=False) for n in range(200)]
    kept = balance.choices(drafts, 200, strict=True)
    excess = Counter()
    for draft in kept:
        excess.update({key: shift for key, shift in draft.shifts if key in LOOKS})
    assert all(abs(value) <= balance.LOOK_SLACK for value in excess.values())
    assert kept


@pytest.mark.parametrize("strict", [True, False])
def test_a_rule_of_thumb_that_is_often_right_loses_rows(strict):
    drafts = [
        RowCandidate(n, n, "", shifts_of("aaaa", {"longest": [9, 1, 1, 1] if n % 2 else [1, 9, 1, 1]}))
        for n in range(400)
    ]
    kept = balance.choices(drafts, 400, strict=strict)
    hits = sum(dict(draft.shifts)["~longest"] > 0 for draft in kept)
    assert len(kept) == 400 or strict
    assert (hits / len(kept) < 0.28) == strict
    assert [draft.state for draft in kept] == sorted(draft.state for draft in kept)
    assert len(balance.choices(drafts, 10, strict=strict)) == 10
