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
    problem = Problem("p", "d", (), frozenset(facts), frozenset())
    shape = listed(problem.init, View(problem.init, problem, DESCRIPTION), ROOM)
    return Picture(document(shape, "", ""))


def test_captions_stand_before_their_facts_and_others_bear_the_names_of_predicates():
    drawing = picture(
        {("carry", "r", "b10"), ("carry", "r", "b2"), ("hold", "a"), ("at", "x", "y"), ("empty",)}
    )
    assert drawing.texts == ["held: a, r b2, r b10", "at: x y", "empty"]
    assert picture(set()).texts == []


def test_what_holds_of_any_two_is_said_so_but_not_of_all_but_one():
    pairs = {("differ", first, second) for first in "abc" for second in "abc" if first != second}
    assert picture(pairs).texts == ["differ: any two of a, b, c"]
    assert picture(pairs).facts[""] == pairs
    assert picture(pairs - {("differ", "a", "c")}).texts == ["differ: a b, b a, b c, c a, c b"]


@pytest.mark.parametrize("length", [1, 40, 200])
def test_long_lists_go_on_in_the_next_line_and_lose_nothing(length):
    facts = {("see", f"{'x' * length}{number}") for number in range(60)}
    drawing = picture(facts)
    assert len(drawing.texts) > 3
    assert drawing.facts[""] == facts
    assert drawing.words() == {"seen", "", *(fact[1] for fact in facts)}
    assert drawing.width <= ROOM + 56.1
    assert drawing.outside() == []
