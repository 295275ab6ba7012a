"""Which compositions are kept, and in which split they are."""

from collections import Counter
from itertools import combinations

import pytest

from orrery.composition.compose import is_held_out, split_of_composition
from orrery.composition.theme import read_theme
from orrery.families.modelling.composed import Sieve, seen_in_train
from tests.composition.compositions import MECHANICS, SEED, THEMES
from tests.every_domain import ROOT


def key(number, mechanics="ab", name=None, theme="bakery", split="train"):
    return {
        "number": str(number),
        "key": name or f"key {number}",
        "mechanics": list(mechanics),
        "theme": theme,
        "split": split,
    }


def test_a_domain_is_kept_once():
    sieve = Sieve(20, {"known"})
    for row in (key(0), key(1, "cd", "key 0"), key(2, "ef", "known"), key(3, "gh")):
        sieve.add(row)
    assert [one.number for one in sieve.kept] == [0, 3]
    assert [(row["item"], row["reason"]) for row in sieve.rejects] == [
        (number, "equal to another domain up to names") for number in ("1", "2")
    ]


def test_few_domains_share_their_set_of_mechanics():
    sieve = Sieve(20, set())
    for number in range(30):
        sieve.add(key(number, "ab" if number % 2 else ("c", str(number))))
    assert sum(one.mechanics == ("a", "b") for one in sieve.kept) == 1 + 20 // 10
    assert {row["reason"] for row in sieve.rejects} == {"many domains have its set of mechanics"}
    assert not sieve.is_full


def test_a_sieve_is_full_with_as_many_as_are_wanted():
    sieve = Sieve(2, set())
    assert not sieve.is_full
    sieve.add(key(0))
    sieve.add(key(1, "cd"))
    assert sieve.is_full


@pytest.mark.parametrize(
    ("mechanics", "theme", "expected"),
    [
        ("ab", "bakery", "both"),
        ("ab", "farm", "mechanics"),
        ("ac", "bakery", "theme"),
        ("ac", "farm", "neither"),
    ],
)
def test_what_train_has_too(mechanics, theme, expected):
    sieve = Sieve(20, set())
    sieve.add(key(0, "ab"))
    sieve.add(key(1, mechanics, theme=theme, split="test"))
    train, one = sieve.kept
    assert seen_in_train([train, one]) == {train: "both", one: expected}
    assert seen_in_train([one]) == {one: "neither"}


def test_the_set_of_mechanics_decides_and_what_is_held_out_is_for_testing():
    counted = Counter()
    for mechanics in combinations(MECHANICS, 2):
        split = split_of_composition(mechanics, SEED, test_only=False)
        assert split == split_of_composition(mechanics[::-1], SEED, test_only=False)
        assert split_of_composition(mechanics, SEED, test_only=True) == "test"
        if any(is_held_out(SEED, name) for name in mechanics):
            assert split == "test"
        else:
            counted[split] += 1
    total = sum(counted.values())
    assert 0.7 < counted["train"] / total < 0.8
    assert 0.07 < counted["validation"] / total < 0.13
    assert counted["test"]


def test_some_mechanics_and_themes_are_held_out():
    held_out = sum(is_held_out(seed, name) for seed in range(30) for name in MECHANICS)
    assert 0.08 < held_out / (30 * len(MECHANICS)) < 0.17
    themes = [read_theme(ROOT, name, frozenset()) for name in THEMES]
    assert 0 < sum(theme.content.test_only for theme in themes) < len(themes) / 4
