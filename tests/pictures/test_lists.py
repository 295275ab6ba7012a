"""What has no place in a picture is listed, each fact once, in lines that are not too long."""

import pytest

from orrery.model import Problem
from orrery.pictures.lists import listed
from orrery.pictures.svg import document
from orrery.pictures.view import View
from tests.pictures.reading import Picture

DESCRIPTION = {"list": {"held": ["hold", "carry"], "seen": "see"}}
ROOM = 500


def picture(facts):
    given = Problem("p", "d", (), frozenset(facts), frozenset())
    shape = listed(given.init, View(given.init, given, DESCRIPTION), ROOM)
    return Picture(document(shape, "", ""))


def test_captions_stand_before_their_facts_and_others_bear_the_names_of_predicates():
    found = picture(
        {("carry", "r", "b10"), ("carry", "r", "b2"), ("hold", "a"), ("at", "x", "y"), ("empty",)}
    )
    assert found.texts == ["held: a, r b2, r b10", "at: x y", "empty"]
    assert picture(set()).texts == []


def test_what_holds_of_any_two_is_said_so_but_not_of_all_but_one():
    pairs = {("differ", one, other) for one in "abc" for other in "abc" if one != other}
    assert picture(pairs).texts == ["differ: any two of a, b, c"]
    assert picture(pairs).facts[""] == pairs
    assert picture(pairs - {("differ", "a", "c")}).texts == ["differ: a b, b a, b c, c a, c b"]


@pytest.mark.parametrize("length", [1, 40, 200])
def test_long_lists_go_on_in_the_next_line_and_lose_nothing(length):
    facts = {("see", f"{'x' * length}{number}") for number in range(60)}
    found = picture(facts)
    assert len(found.texts) > 3
    assert found.facts[""] == facts
    assert found.words() == {"seen", "", *(fact[1] for fact in facts)}
    assert found.width <= ROOM + 56.1
    assert found.outside() == []
