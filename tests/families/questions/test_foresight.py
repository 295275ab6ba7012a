"""How right options look to a sum of measures."""

from __future__ import annotations

import random
from statistics import fmean

import pytest

from orrery.families.questions.balance import LOOKS_RIGHT
from orrery.families.questions.claims import ClaimCandidate, Offer, plain
from orrery.families.questions.distractors import OPTIONS, Ranks, by_features, options
from orrery.families.questions.foresight import learned


def offer(rng, *, told=True):
    """An offer in which the difference of two measures tells the answer, and neither of them does alone."""
    candidates, measures = [], {}
    for number in range(24):
        common, holds = rng.gauss(0, 9), rng.random() < 0.4
        atoms = (("move", f"t{number}"),)
        gap = rng.gauss(3.0 * (holds if told else rng.random() < 0.4), 2)
        measures[atoms] = (("left", round(common + gap)), ("right", round(common)))
        candidates.append(ClaimCandidate(atoms, holds, ("move", 1), "form", at=(number,)))
    return Offer(candidates, tuple(("move", f"t{n}") for n in range(25)), measure=lambda c: measures[c.atoms])


def gap(offered, name):
    """How often a true candidate has more of a measure than a false one, beyond one half."""
    values = [(candidate.holds, dict(offered.measure(candidate))[name]) for candidate in offered.candidates]
    true, false = ([value for holds, value in values if holds == side] for side in (True, False))
    return fmean((mine > other) + (mine == other) / 2 for mine in true for other in false) - 0.5


@pytest.mark.parametrize("told", [True, False])
def test_a_sum_of_measures_tells_what_no_single_one_does(told):
    rng = random.Random(1)
    foresight = learned([offer(rng, told=told) for _ in range(30)], plain)
    others = [foresight.seen(offer(rng, told=told)) for _ in range(30)]
    assert abs(fmean(gap(one, "right") for one in others)) < 0.1
    assert (fmean(gap(one, LOOKS_RIGHT) for one in others) > 0.25) == told


def test_nothing_is_learned_where_no_true_and_false_candidates_match():
    one_sided = offer(random.Random(2))
    true = [candidate for candidate in one_sided.candidates if candidate.holds]
    assert (
        learned([], plain)
        is learned([Offer(true, one_sided.steps, measure=one_sided.measure)], plain)
        is None
    )


def test_the_right_option_of_a_choice_looks_right_more_and_less_than_the_others():
    rng = random.Random(3)
    foresight = learned([offer(rng) for _ in range(30)], plain)
    ranks = []
    for _ in range(60):
        offered = foresight.seen(offer(rng))
        chosen = options(by_features(offered.candidates, plain), Ranks(0, 0), offered, lambda _: 1, rng)
        right, *others = (dict(offered.measure(option))[LOOKS_RIGHT] for option in chosen)
        ranks.append(sum(right > other for other in others))
    assert set(ranks) == set(range(OPTIONS))
    assert abs(fmean(ranks) - (OPTIONS - 1) / 2) < 0.5
