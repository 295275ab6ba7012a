"""Places: everything is seen in what it is in, and on what it lies."""

import pytest

from orrery.model import Problem, TypedName, literals
from orrery.pictures import places, svg
from orrery.pictures.draw import Panel, easel
from orrery.pictures.svg import document
from orrery.pictures.view import View
from tests.every_domain import entry
from tests.pictures.reading import Picture, within

DESCRIPTION = {
    "kind": "places", "place": "yard",
    "inside": {"at": [1, 2], "in": [1, 2], "lift": [2, 1], "sail": ["boat", 1]},
    "marks": {"free": "free", "full": ["boat", "full"]}, "pile": "on", "base": "pallet",
}  # fmt: skip
KINDS = {"y": "yard", "p": "pallet", "h": "hoist", "t": "truck", "c": "crate"}
FIXED = {("at", "p1", "y1"), ("at", "p2", "y2"), ("at", "h1", "y1"), ("at", "h2", "y2")}
NOW = {("on", "c1", "p1"), ("at", "c1", "y1"), ("on", "c2", "c1"), ("at", "c2", "y1"), ("lift", "h2", "c3")}
NOW |= {("in", "c4", "t1"), ("at", "t1", "y2"), ("free", "h1"), ("sail", "y2"), ("full",)}


def problem(facts):
    names = sorted({name for fact in facts for name in fact[1:]} | {"y1", "y2"})
    typed = tuple(TypedName(name, (KINDS[name[0]],)) for name in names)
    return Problem("p", "d", typed, frozenset(facts), frozenset())


def picture(given, facts=None, *, partial=False):
    view = View(given.init if facts is None else frozenset(facts), given, DESCRIPTION, partial=partial)
    return Picture(document(places.scene(view), "", ""))


def spots(found):
    return {
        e.words: ((e.edges[0] + e.edges[2]) / 2, (e.edges[1] + e.edges[3]) / 2)
        for e in found.elements if e.kind == "text"
    }  # fmt: skip


def around(found, name):
    """The rectangle that has the name at its head."""
    return found.box_around(name).edges


def test_towers_hoists_and_trucks_stand_in_their_places():
    found = picture(problem(FIXED | NOW))
    where = spots(found)
    left, right = around(found, "y1"), around(found, "y2")
    assert all(within(where[name], left) for name in ("p1", "h1", "c1", "c2", "free"))
    assert all(within(where[name], right) for name in ("p2", "h2", "c3", "c4", "t1", "boat", "full"))
    assert where["c2"][1] < where["c1"][1] < where["p1"][1]
    assert within(where["c3"], around(found, "h2"))
    assert within(where["c4"], around(found, "t1"))
    assert not within(where["c4"], around(found, "h2"))
    assert found.facts[""] == FIXED | NOW
    assert found.outside() == []


def test_a_partial_view_shows_what_it_states_and_no_other_place():
    goal = {("on", "c1", "p2"), ("on", "c2", "c3"), ("in", "c4", "t1")}
    found = picture(problem(FIXED | NOW | goal), goal, partial=True)
    where = spots(found)
    assert set(where) == {"c1", "p2", "c2", "c3", "c4", "t1", "..."}
    assert where["c2"][1] < where["c3"][1] < where["..."][1]
    assert where["c1"][1] < where["p2"][1]
    assert found.facts[""] == goal
    assert picture(problem(FIXED | NOW), set(), partial=True).texts == []


def test_a_ring_of_things_is_left_to_the_lists():
    ring = {("in", "t1", "t2"), ("in", "t2", "t1"), ("on", "c1", "c2"), ("on", "c2", "c1")}
    assert picture(problem(ring)).facts[""] <= ring


def test_what_is_in_two_places_is_seen_in_both():
    found = picture(problem({("at", "t1", "y1"), ("at", "t1", "y2"), ("in", "c1", "t1")}))
    assert found.texts.count("t1") == found.texts.count("c1") == 2


@pytest.mark.parametrize("text", ["a", "crate1", "a-very-long-name-of-something"])
def test_a_fitting_text_is_no_wider_than_asked(text):
    shape = svg.fitting(0, 0, text, 48)
    assert shape.width <= 48.001


ROOMS = {
    "alfworld": (("located", "shelf1", "spot1"), "shelf1", "spot1"),
    "logistics": (("in", "p1", "t1"), "p1", "t1"),
    "grippers": (("carry", "r1", "b1", "g1"), "b1", "g1"),
    "gripper": (("carry", "b1", "g1"), "b1", "g1"),
    "satellite": (("on-board", "i1", "s1"), "i1", "s1"),
    "swap": (("assigned", "ann", "cook"), "ann", "cook"),
}


@pytest.mark.parametrize("name", ROOMS)
def test_cargo_rooms_and_instruments_are_boxes_in_boxes(name):
    fact, inner, outer = ROOMS[name]
    here = entry(name)
    objects = tuple(TypedName(each) for each in fact[1:])
    given = Problem("p", name, objects, frozenset({fact}), literals([fact]))
    frame = easel(here.domain, given, here.description.picture)
    found = Picture(frame.document("", [Panel("state", given.init)]))
    assert within(spots(found)[inner], around(found, outer))
    assert not within(spots(found)[outer], around(found, inner))
