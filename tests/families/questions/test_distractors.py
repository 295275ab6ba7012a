"""Options and pairs drawn from candidates: no surface feature is bound up with the answer."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from orrery.families.questions.claims import ClaimCandidate, Offer, coarse, features_of, measured_by
from orrery.families.questions.distractors import (
    OPTIONS,
    Ranks,
    by_features,
    matched_pair,
    missed_rank,
    opposites,
    options,
    rules_of_thumb,
)

DRAWS = 400


def candidates(name, yes, no, rng):
    """Facts of one predicate on objects of names long and short."""
    facts = [(name, "x" * rng.randint(1, 9) + str(n)) for n in range(yes + no)]
    return [ClaimCandidate((fact,), n < yes, features_of(fact), "made") for n, fact in enumerate(facts)]


def length(candidate):
    return sum(len(name) for atom in candidate.atoms for name in atom)


def drawn(claims, count=DRAWS):
    grouped = by_features(claims)
    for seed in range(count):
        ranks = Ranks(seed % OPTIONS, seed // OPTIONS % OPTIONS)
        yield ranks, options(grouped, ranks, Offer([]), length, random.Random(seed))


def test_one_of_four_options_is_right_and_no_two_are_the_same():
    claims = candidates("at", 3, 5, random.Random(0)) + candidates("on", 1, 4, random.Random(1))
    for _, four in drawn(claims, 100):
        assert [candidate.holds for candidate in four] == [True, False, False, False]
        assert len({candidate.atoms for candidate in four}) == OPTIONS


def test_features_are_right_as_often_as_they_are_of_an_option():
    """Though one of the predicates has many true facts and few false ones, the other the reverse."""
    claims = candidates("at", 9, 3, random.Random(0)) + candidates("on", 2, 9, random.Random(1))
    right, seen = Counter(), Counter()
    for _, four in drawn(claims):
        if len({candidate.features for candidate in four}) > 1:
            right[four[0].features] += 1
            seen.update(candidate.features for candidate in four)
    assert right.total() > DRAWS // 3
    for features in seen:
        assert right[features] / seen[features] == pytest.approx(0.25, abs=0.05)


def test_the_right_option_has_the_length_wanted():
    claims = candidates("at", 9, 20, random.Random(0))
    ranks = Counter()
    for wanted, four in drawn(claims):
        ranks[missed_rank([length(candidate) for candidate in four], wanted.length) == 0] += 1
    assert ranks[True] >= 0.95 * DRAWS


def test_a_rank_among_equals_is_the_one_wanted_if_it_may_be():
    assert missed_rank([5, 5, 5, 5], 2) == 0
    assert missed_rank([5, 1, 5, 9], 3) == 1
    assert missed_rank([5, 6, 7, 9], 2) == 2
    assert missed_rank([9, 1, 1, 1], 0) == 3
    assert missed_rank([9, 1, 1, 1], 3) == 0


def test_too_few_candidates_make_no_choice():
    rng = random.Random(0)
    ranks = Ranks(0, 0)
    for yes, no in ((0, 9), (9, 0), (9, 2)):
        assert not options(by_features(candidates("at", yes, no, rng)), ranks, Offer([]), length, rng)
    unlike = candidates("at", 3, 0, rng) + candidates("on", 0, 9, rng)
    assert not options(by_features(unlike), ranks, Offer([]), length, rng)
    assert options(by_features(unlike, coarse), ranks, Offer([]), length, rng)


def test_a_pair_matches_and_is_of_nearly_one_length():
    claims = candidates("at", 9, 9, random.Random(0)) + candidates("on", 9, 9, random.Random(1))
    grouped, gaps = by_features(claims), []
    for seed in range(DRAWS):
        yes, no = matched_pair(grouped, Offer([]), length, random.Random(seed))
        assert (yes.holds, no.holds) == (True, False)
        assert yes.features == no.features
        gaps.append(length(yes) - length(no))
    assert sum(map(abs, gaps)) / DRAWS < 1
    assert abs(sum(gaps)) / DRAWS < 0.5


def test_claims_that_do_not_match_are_offered_apart():
    claims = candidates("at", 2, 0, random.Random(0)) + candidates("on", 0, 2, random.Random(1))
    for offered, answers in ((claims, [True, False]), (claims[2:], [False]), ([], [])):
        pair = matched_pair(by_features(offered), Offer([]), length, random.Random(0))
        assert [claim.holds for claim in pair] == answers


def test_of_options_on_one_action_those_that_name_its_objects_are_counted():
    atoms = [("at", "b1", "r1"), ("at", "b1", "r2"), ("at", "b2", "r3"), ("at", "b1", "r9")]
    claims = [ClaimCandidate((atom,), not place, (), "", "") for place, atom in enumerate(atoms)]
    rules = rules_of_thumb(claims, Offer([], (("move", "b1", "r1"),)), length)
    assert rules["most like the question"] == [2, 1, 0, 1]
    assert opposites(rules)["not most like the question"] == [-2, -1, 0, -1]
    two_steps = Offer([], (("move", "b1"), ("move", "b2")))
    assert "most like the question" not in rules_of_thumb(claims, two_steps, length)


def test_of_parts_of_a_plan_their_place_is_measured():
    steps = tuple(("move", f"b{n}", "r1") for n in range(5))
    parts = ((0, 1), (2, 1), (1, 2), (4, 1))  # start and length
    claims = [
        ClaimCandidate(steps[start : start + size], start == 0, (), "", at=(start,)) for start, size in parts
    ]
    rules = rules_of_thumb(claims, Offer([], steps), length)
    assert rules["in the middle"] == [-4, 0, -1, -4]  # in half steps
    assert rules["at the end"] == [False, False, False, True]
    assert rules["latest"] == [1, 3, 3, 5]


def test_measures_are_taken_once_and_joined():
    taken_claims = []

    def count(atoms):
        taken_claims.append(atoms)
        return (("parts", len(atoms)),)

    measure = measured_by(count, lambda atoms: (("first", len(atoms[0])),))
    claim = ClaimCandidate((("at", "b1", "r1"), ("free",)), True, (), "")
    assert measure(claim) == measure(claim) == (("parts", 2), ("first", 3))
    assert taken_claims == [claim.atoms]
