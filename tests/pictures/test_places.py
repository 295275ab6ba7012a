"""Places: everything is seen in what it is in, and on what it lies."""

import pytest

from orrery.model import Problem, TypedName, literals
from orrery.pictures import places, svg
from orrery.pictures.draw import easel
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


def picture(shown, facts=None, *, partial=False):
    view = View(shown.init if facts is None else frozenset(facts), shown, DESCRIPTION, partial=partial)
    return Picture(document(places.scene(view), "", ""))


def test_towers_hoists_and_trucks_stand_in_their_places():
    drawing = picture(problem(FIXED | NOW))
    places = drawing.spots
    first, right = drawing.box_around("y1").edges, drawing.box_around("y2").edges
    assert all(within(places[name], first) for name in ("p1", "h1", "c1", "c2", "free"))
    assert all(within(places[name], right) for name in ("p2", "h2", "c3", "c4", "t1", "boat", "full"))
    assert places["c2"][1] < places["c1"][1] < places["p1"][1]
    assert within(places["c3"], drawing.box_around("h2").edges)
    assert within(places["c4"], drawing.box_around("t1").edges)
    assert not within(places["c4"], drawing.box_around("h2").edges)
    assert drawing.facts[""] == FIXED | NOW
    assert drawing.outside() == []


def test_a_partial_view_shows_what_it_states_and_no_other_place():
    goal = {("on", "c1", "p2"), ("on", "c2", "c3"), ("in", "c4", "t1")}
    drawing = picture(problem(FIXED | NOW | goal), goal, partial=True)
    places = drawing.spots
    assert set(places) == {"c1", "p2", "c2", "c3", "c4", "t1", "..."}
    assert places["c2"][1] < places["c3"][1] < places["..."][1]
    assert places["c1"][1] < places["p2"][1]
    assert drawing.facts[""] == goal
    assert picture(problem(FIXED | NOW), set(), partial=True).texts == []


def test_a_ring_of_things_is_left_to_the_lists():
    ring = {("in", "t1", "t2"), ("in", "t2", "t1"), ("on", "c1", "c2"), ("on", "c2", "c1")}
    assert picture(problem(ring)).facts[""] <= ring


def test_what_is_in_two_places_is_seen_in_both():
    drawing = picture(problem({("at", "t1", "y1"), ("at", "t1", "y2"), ("in", "c1", "t1")}))
    assert drawing.texts.count("t1") == drawing.texts.count("c1") == 2


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
    place = entry(name)
    objects = tuple(TypedName(name) for name in fact[1:])
    shown = Problem("p", name, objects, frozenset({fact}), literals([fact]))
    frame = easel(place.domain, shown, place.description.picture)
    drawing = Picture(frame.document("", [frame.panel("state", shown.init)]))
    assert within(drawing.spots[inner], drawing.box_around(outer).edges)
    assert not within(drawing.spots[outer], drawing.box_around(inner).edges)
