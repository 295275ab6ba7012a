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


def mean(rows, rule):
    return fmean(dict(row.leans)[rule] for row in rows)


def squares(chosen, all_rules):
    """How far the means of the measures of true and of false claims lie apart, by a sum of its own."""
    total = 0.0
    for rule in RULES if all_rules else ():
        middle = mean(all_rules, rule)
        values = [dict(candidate.leans)[rule] - middle for candidate in all_rules]
        deviation = fmean(value**2 for value in values) ** 0.5 or 1.0
        sides = [
            (dict(candidate.leans)[rule] - middle) * (1 if candidate.answer == YES else -1)
            for candidate in chosen
        ]
        total += (sum(sides) / deviation) ** 2
    return total


@given(judged(), st.integers(0, 20))
def test_what_is_exchanged_is_of_the_same_sort_and_tells_less(candidates, most):
    before = choose_bool(candidates, most, random.Random(0), repeats=3)
    exchanged_rows = exchanged(before, candidates)
    assert [(candidate.features, candidate.answer) for candidate in exchanged_rows] == [
        (e.features, e.answer) for e in before
    ]
    assert len({candidate.row for candidate in exchanged_rows}) == len(exchanged_rows)
    assert len({(candidate.state, candidate.claim) for candidate in exchanged_rows}) == len(exchanged_rows)
    states = Counter(candidate.state for candidate in before)
    assert all(
        count <= max(states[state], 1) for state, count in Counter(e.state for e in exchanged_rows).items()
    )
    rounding = len(exchanged_rows) / 2  # of twelfths, in each of three measures
    assert squares(exchanged_rows, candidates) <= squares(before, candidates) + rounding


@given(judged().filter(bool))
def test_a_single_row_is_exchanged_for_the_one_that_tells_least_of_all_that_may_stand_in(candidates):
    old = candidates[0]
    [exchanged_row] = exchanged([old], candidates)
    allowed = [
        candidate
        for candidate in candidates
        if (candidate.features, candidate.answer) == (old.features, old.answer)
        and (candidate.state, candidate.claim) != (old.state, old.claim)
    ]
    rounding = 0.5
    least = min(squares([candidate], candidates) for candidate in [old, *allowed])
    assert squares([exchanged_row], candidates) <= least + rounding


def choice(number, rng):
    """A choice of which the right option is the longest more often than not."""
    sizes = [rng.randint(2, 9), *(rng.randint(1, 7) for _ in range(3))]
    values = [rng.randint(1, 9) for _ in range(4)]
    rules = {"longest": sizes, "most objects": values}
    return RowCandidate(number, number, "", shifts_of("aaaa", rules), claim=number, leans=leans_of(rules))


def test_the_right_option_of_choices_measures_what_the_others_do():
    rng = random.Random(1)
    candidates = [choice(number, rng) for number in range(300)]
    assert mean(candidates, "longest") > 2, "the test shows nothing"
    exchanged_rows = exchanged(choose_mcq(candidates, 20), candidates)
    assert len({candidate.row for candidate in exchanged_rows}) == 20
    for rule in ("longest", "most objects"):
        assert abs(mean(exchanged_rows, rule)) < 1
        assert abs(sum(dict(candidate.shifts)[f"~{rule}"] for candidate in exchanged_rows)) <= 24


def test_choices_that_lean_are_dropped_where_there_is_nothing_else():
    rng = random.Random(3)
    rows = [choice(number, rng) for number in range(200)]
    leaning = [row for row in rows if dict(row.leans)["longest"] > 12][:10]
    even = [row for row in rows if abs(dict(row.leans)["longest"]) < 6][:10]
    assert len(level(leaning)) < 5
    assert all(row in leaning for row in level(leaning))
    mixed = level([*leaning[:5], *even])
    for rule in ("longest", "most objects"):
        assert abs(sum(dict(row.leans)[rule] for row in mixed)) <= 18 * len(mixed) ** 0.5
    assert len([row for row in mixed if row in even]) >= 8
    assert level([]) == []


def test_a_choice_that_does_not_match_comes_in_for_none():
    rng = random.Random(2)
    candidates = [choice(number, rng) for number in range(40)]
    apart = [RowCandidate(100 + n, 100 + n, "", shifts_of("aaaa", {}), matched=False) for n in range(40)]
    exchanged_rows = exchanged(candidates[:8], [*candidates, *apart])
    assert all(row.matched for row in exchanged_rows)
    assert exchanged(apart[:3], apart) == apart[:3]


def test_the_lean_of_a_choice_is_how_far_the_right_option_is_above_the_others():
    assert leans_of({"longest": [3, 1, 1, 1], "parts": [2, 2, 2, 2], "objects": [0, 2, 2, 4]}) == (
        ("longest", round(12 * 1.5 / 0.75**0.5)),
        ("parts", 0),
        ("objects", round(12 * -2 / 2**0.5)),
    )
