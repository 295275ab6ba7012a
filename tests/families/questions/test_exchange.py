"""Rows exchanged for others: as many, of the same sort, and measures that tell less."""

from __future__ import annotations

import random
from collections import Counter
from statistics import fmean

from hypothesis import given
from hypothesis import strategies as st

from orrery.families.questions.balance import NO, YES, RowCandidate, choose_bool, choose_mcq, shifts_of
from orrery.families.questions.exchange import exchanged, leans_of, level

RULES = ("longest", "most objects", "facts that hold")


@st.composite
def judged(draw):
    """Yes/no candidates of some states, with measures; some rows of a state claim the same."""
    return [
        RowCandidate(
            number, draw(st.integers(0, 12)), draw(st.sampled_from((YES, NO))),
            ((draw(st.sampled_from("ab")), 0),), claim=draw(st.integers(0, 3)),
            leans=tuple((rule, draw(st.integers(0, 5))) for rule in RULES),
        )
        for number in range(draw(st.integers(0, 40)))
    ]  # fmt: skip


def squares(kept, every):
    """How far the means of the measures of true and of false claims lie apart, by a sum of its own."""
    found = 0.0
    for rule in RULES if every else ():
        middle = fmean(dict(each.leans)[rule] for each in every)
        values = [dict(each.leans)[rule] - middle for each in every]
        deviation = fmean(value**2 for value in values) ** 0.5 or 1.0
        sides = [(dict(each.leans)[rule] - middle) * (1 if each.answer == YES else -1) for each in kept]
        found += (sum(sides) / deviation) ** 2
    return found


@given(judged(), st.integers(0, 20))
def test_what_is_exchanged_is_of_the_same_sort_and_tells_less(candidates, most):
    before = choose_bool(candidates, most, random.Random(0), repeats=3)
    kept = exchanged(before, candidates)
    assert [(each.features, each.answer) for each in kept] == [(e.features, e.answer) for e in before]
    assert len({each.row for each in kept}) == len(kept)
    assert len({(each.state, each.claim) for each in kept}) == len(kept)
    states = Counter(each.state for each in before)
    assert all(count <= max(states[state], 1) for state, count in Counter(e.state for e in kept).items())
    rounding = len(kept) / 2  # of twelfths, in each of three measures
    assert squares(kept, candidates) <= squares(before, candidates) + rounding


@given(judged().filter(bool))
def test_a_single_row_is_exchanged_for_the_one_that_tells_least_of_all_that_may_stand_in(candidates):
    old = candidates[0]
    [kept] = exchanged([old], candidates)
    allowed = [
        each
        for each in candidates
        if (each.features, each.answer) == (old.features, old.answer)
        and (each.state, each.claim) != (old.state, old.claim)
    ]
    rounding = 0.5
    least = min(squares([each], candidates) for each in [old, *allowed])
    assert squares([kept], candidates) <= least + rounding


def choice(number, rng):
    """A choice of which the right option is the longest more often than not."""
    sizes = [rng.randint(2, 9), *(rng.randint(1, 7) for _ in range(3))]
    others = [rng.randint(1, 9) for _ in range(4)]
    rules = {"longest": sizes, "most objects": others}
    return RowCandidate(number, number, "", shifts_of("aaaa", rules), claim=number, leans=leans_of(rules))


def test_the_right_option_of_choices_measures_what_the_others_do():
    rng = random.Random(1)
    candidates = [choice(number, rng) for number in range(300)]
    assert fmean(dict(each.leans)["longest"] for each in candidates) > 2, "the test shows nothing"
    kept = exchanged(choose_mcq(candidates, 20), candidates)
    assert len({each.row for each in kept}) == 20
    for rule in ("longest", "most objects"):
        assert abs(fmean(dict(each.leans)[rule] for each in kept)) < 1
        assert abs(sum(dict(each.shifts)[f"~{rule}"] for each in kept)) <= 24


def test_choices_that_lean_are_dropped_where_there_is_nothing_else():
    rng = random.Random(3)
    rows = [choice(number, rng) for number in range(200)]
    leaning = [each for each in rows if dict(each.leans)["longest"] > 12][:10]
    even = [each for each in rows if abs(dict(each.leans)["longest"]) < 6][:10]
    assert len(level(leaning)) < 5
    assert all(each in leaning for each in level(leaning))
    mixed = level([*leaning[:5], *even])
    for rule in ("longest", "most objects"):
        assert abs(sum(dict(each.leans)[rule] for each in mixed)) <= 18 * len(mixed) ** 0.5
    assert len([each for each in mixed if each in even]) >= 8
    assert level([]) == []


def test_a_choice_that_does_not_match_comes_in_for_none():
    rng = random.Random(2)
    candidates = [choice(number, rng) for number in range(40)]
    apart = [RowCandidate(100 + n, 100 + n, "", shifts_of("aaaa", {}), matched=False) for n in range(40)]
    kept = exchanged(candidates[:8], [*candidates, *apart])
    assert all(each.matched for each in kept)
    assert exchanged(apart[:3], apart) == apart[:3]


def test_the_lean_of_a_choice_is_how_far_the_right_option_is_above_the_others():
    assert leans_of({"longest": [3, 1, 1, 1], "parts": [2, 2, 2, 2], "objects": [0, 2, 2, 4]}) == (
        ("longest", round(12 * 1.5 / 0.75**0.5)),
        ("parts", 0),
        ("objects", round(12 * -2 / 2**0.5)),
    )
