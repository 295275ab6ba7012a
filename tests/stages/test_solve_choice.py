"""Which problems are asked about: so many of a split, spread over its problems, and none too large."""

import random

import pytest

from pipeline.stages.solve_choice import TRIES, choose


def chosen(splits, facts, most=10, count=3, fits=lambda _: True):
    return choose(splits, facts, most, count, fits)


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
    assert chosen(["train"] * 100, [5] * 100, count=4) == [0, 25, 50, 75]
    assert chosen(["train"] * 3, [5] * 3, count=4) == [0, 1, 2]


def test_what_was_not_grounded_is_looked_at_and_its_neighbours_stand_in():
    asked = []
    found = chosen(["test"] * 20, [None] * 20, count=2, fits=lambda n: asked.append(n) or n in (2, 10))
    assert found == [2, 10]
    assert asked == [0, 1, 2, 10]
    assert chosen(["test"] * 20, [None] * 20, count=2, fits=lambda _: False) == []


def test_a_place_is_given_up_after_some_tries():
    asked = []
    chosen(["test"] * 1000, [None] * 1000, count=2, fits=lambda number: asked.append(number))
    assert len(asked) == 2 * TRIES
