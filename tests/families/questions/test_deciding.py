"""Which problems are asked about: so many of a split, spread over its problems, and none too large."""

import random

import pytest

from orrery.families.questions.deciding import SHARE, TRIES, choose


def chosen(splits, facts, most=10, count=3, fits=lambda _: True, difficulties=None):
    levels = zip(splits, difficulties or ["easy"] * len(splits), strict=True)
    return choose(levels, facts, most, count, fits)


@pytest.mark.parametrize("seed", range(30))
def test_of_each_split_as_many_as_there_are_up_to_the_count(seed):
    rng = random.Random(seed)
    splits = [rng.choice(["train", "test"]) for _ in range(rng.randint(0, 40))]
    facts = [rng.randint(5, 15) for _ in splits]
    found = chosen(splits, facts)
    assert found == sorted(set(found))
    assert all(facts[number] <= 10 for number in found)
    for split in ("train", "test"):
        fitting = [n for n, each in enumerate(splits) if each == split and facts[n] <= 10]
        assert len(set(found) & set(fitting)) == min(3, len(fitting))


def test_they_are_spread_over_the_difficulties():
    assert chosen(["train"] * 100, [5] * 100, count=25) == list(range(0, 100, 4))
    assert chosen(["train"] * 3, [5] * 3, count=4) == [0, 1, 2]
    few = ["easy"] * 8 + ["medium"] * 2
    assert chosen(["test"] * 10, [5] * 10, count=5, difficulties=few) == [0, 2, 4, 6, 8]


def test_a_difficulty_with_very_many_leaves_room_for_the_others():
    difficulties = ["easy"] * 10 + ["medium"] * 100 + ["hard"] * 1_000 + ["huge"] * 50
    found = chosen(["test"] * 1_160, [5] * 1_160, count=6, difficulties=difficulties)
    assert [difficulties[number] for number in found] == [*["easy"] * 2, *["medium"] * 2, *["hard"] * 2]


def test_what_was_not_grounded_is_looked_at_and_its_neighbours_stand_in():
    asked = []
    found = chosen(["test"] * 8, [None] * 8, count=2, fits=lambda n: asked.append(n) or n in (2, 4))
    assert found == [2, 4]
    assert asked == [0, 1, 2, 4]
    assert chosen(["test"] * 20, [None] * 20, count=2, fits=lambda _: False) == []


def test_a_place_is_given_up_after_some_tries():
    asked = []
    chosen(["test"] * 1000, [None] * 1000, count=2, fits=lambda number: asked.append(number))
    assert len(asked) == 2 * min(TRIES, SHARE)
