"""Choices that no measure tells on average."""

import random
from collections import Counter
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.families.attack import ReplyOption
from orrery.families.drafts import Draft
from orrery.library.calibration import calibrated, leans_of_choice, leans_of_claims

LEANS = st.integers(-12, 12)


@given(
    st.lists(st.fixed_dictionaries({"longest": LEANS, "latest": LEANS}), max_size=30),
    st.integers(1, 9),
    st.integers(0, 99),
)
def test_chosen_are_at_most_one_of_a_state_and_the_same_for_the_same_seed(leans, count, seed):
    states = [number % count for number in range(len(leans))]
    chosen = calibrated(leans, states, random.Random(seed))
    assert len({states[place] for place in chosen}) == len(chosen)
    assert chosen == calibrated(leans, states, random.Random(seed))


@pytest.mark.parametrize(("up", "down"), [(20, 5), (8, 8), (3, 30), (9, 0)])
def test_the_rarer_direction_is_always_chosen_and_the_other_one_as_often_on_average(up, down):
    leans = [{"latest": 12}] * up + [{"latest": -12}] * down
    draws = [
        Counter(
            leans[place]["latest"]
            for place in calibrated(leans, range(up + down), random.Random(seed), telling=0)
        )
        for seed in range(300)
    ]
    rarer, other = (12, -12) if up < down else (-12, 12)
    assert {draw[rarer] for draw in draws} == {min(up, down)}
    assert fmean(draw[other] for draw in draws) == pytest.approx(min(up, down), abs=0.5)


def test_a_rare_measure_that_always_tells_excludes_its_choices():
    rng = random.Random(4)
    leans = [{"latest": rng.choice((-12, 12)), "rare": 12 * (number % 5 == 0)} for number in range(60)]
    chosen = calibrated(leans, range(60), rng, telling=0)
    assert len(chosen) > 20
    assert not any(leans[place]["rare"] for place in chosen)


@given(st.integers(0, 50))
def test_of_many_measures_that_lean_one_way_none_tells_on_average(seed):
    rng = random.Random(seed)
    names = [f"measure {number}" for number in range(6)]
    leans = [{name: round(rng.gauss(6, 12)) for name in names} for _ in range(400)]
    states = [number // 8 for number in range(400)]
    drawn = [place for _ in range(20) for place in calibrated(leans, states, rng)]
    assert len(drawn) > 200
    for name in names:
        before = fmean(lean[name] for lean in leans)
        assert abs(fmean(leans[place][name] for place in drawn)) < before / 2


def test_of_nothing_nothing_is_chosen_and_of_what_tells_nothing_all():
    assert calibrated([], [], random.Random(0)) == []
    assert calibrated([{}, {"latest": 0}], [3, 5], random.Random(0)) == [0, 1]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from("ab")), min_size=4, max_size=4)
)
def test_if_each_option_is_right_once_the_leans_of_a_choice_cancel(drawn):
    total, at_most = Counter(), Counter()
    for right in range(4):
        options = [
            ReplyOption(f"{place}", place == right, {"longest": length, "latest": late}, (mark,))
            for place, (length, late, mark) in enumerate(drawn)
        ]
        leans = dict(leans_of_choice(options))
        assert {"longest", "latest", drawn[right][2], f"option {right}"} <= leans.keys()
        total.update(leans)
        at_most.update(leans.keys())
    assert all(abs(total[name]) <= 0.5 * count for name, count in at_most.items())


def claim(answer, **measures):
    return Draft(({},), answer, leans=tuple(measures.items()))


def test_of_claims_that_a_measure_tells_the_exceptions_are_chosen_and_as_many_others():
    told = [claim(answer, length=5000 + 1000 * (answer == "yes")) for answer in ("yes", "no") * 20]
    exceptions = [claim(answer, length=5000 + 1000 * (answer == "no")) for answer in ("yes", "no") * 3]
    claims = [*told, *exceptions]
    leans = leans_of_claims([(0, draft) for draft in claims])
    counts = Counter()
    for seed in range(100):
        chosen = calibrated(leans, range(len(claims)), random.Random(seed), telling=0)
        assert set(range(40, 46)) <= set(chosen)
        counts.update((claims[place].stratum, place < 40) for place in chosen)
    assert {key: count / 100 for key, count in counts.items()} == {
        ("yes", True): pytest.approx(3, abs=0.6),
        ("no", True): pytest.approx(3, abs=0.6),
        ("yes", False): 3,
        ("no", False): 3,
    }


def test_both_answers_are_equally_likely_on_each_state_and_one_sided_states_have_no_claims():
    answers = ["yes"] * 3 + ["no"] + ["yes"] + ["no"] * 2 + ["yes"] * 2
    states = [0] * 4 + [1] * 3 + [2] * 2
    leans, counts = leans_of_claims(list(zip(states, map(claim, answers), strict=True))), Counter()
    for seed in range(400):
        chosen = calibrated(leans, states, random.Random(seed), telling=0)
        assert len(chosen) == 2
        counts.update((states[place], answers[place]) for place in chosen)
    assert counts.keys() == {(state, answer) for state in (0, 1) for answer in ("yes", "no")}
    assert all(count == pytest.approx(200, abs=40) for count in counts.values())


def test_of_claims_with_one_answer_nothing_is_chosen():
    states = [number // 3 for number in range(30)]
    leans = leans_of_claims([(state, claim("yes")) for state in states])
    assert calibrated(leans, states, random.Random(1)) == []
    assert leans_of_claims([]) == []
