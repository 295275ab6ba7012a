"""Stacks in several places and places with spots: everything is seen where it is, within its box."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from orrery.model import Problem, TypedName, literals
from orrery.pictures import places, stacks, svg

YARD = {
    "kind": "stacks", "on": "on", "base": "pallet", "holding": "lifting", "holder": "hoist", "place": "at",
    "vehicle": "truck", "aboard": "in",
}  # fmt: skip
FIXED = {("at", "p1", "a"), ("at", "p2", "b"), ("at", "h1", "a"), ("at", "h2", "b")}
NOW = {("on", "c1", "p1"), ("on", "c2", "c1"), ("lifting", "h2", "c3"), ("in", "c4", "t1"), ("at", "t1", "b")}


def problem(facts, goal=()):
    kinds = {"p": "pallet", "h": "hoist", "t": "truck", "c": "crate"}
    names = sorted({name for fact in facts for name in fact[1:] if len(name) > 1})
    typed = tuple(TypedName(name, (kinds[name[0]],)) for name in names)
    return Problem("p", "d", typed, frozenset(facts), literals(goal))


def shapes(scene, kind):
    return list(ET.fromstring(f"<svg>{''.join(scene.shapes)}</svg>").iter(kind))


def boxes(scene):
    return [tuple(float(r.get(key)) for key in ("x", "y", "width", "height")) for r in shapes(scene, "rect")]


def spots(scene):
    """Where the middle of each word is."""
    return {text.text: (float(text.get("x")), float(text.get("y"))) for text in shapes(scene, "text")}


def within(spot, box):
    return box[0] <= spot[0] <= box[0] + box[2] and box[1] <= spot[1] <= box[1] + box[3]


def test_towers_hoists_and_trucks_stand_in_their_places():
    given = problem(FIXED | NOW)
    scene = stacks.scene(given.init, given, YARD)
    found, yards = spots(scene), sorted(boxes(scene), key=lambda box: -box[2] * box[3])[:2]
    left, right = sorted(yards)
    assert set(found) == {"a", "b", "p1", "p2", "h1", "h2", "c1", "c2", "c3", "c4", "t1"}
    assert all(within(found[name], left) for name in ("a", "p1", "h1", "c1", "c2"))
    assert all(within(found[name], right) for name in ("b", "p2", "h2", "c3", "c4", "t1"))
    assert found["c2"][1] < found["c1"][1] < found["p1"][1]
    assert found["h2"][1] < found["c3"][1] < found["p2"][1] < found["t1"][1] < found["c4"][1]
    assert all(x + w <= scene.width and y + h <= scene.height for x, y, w, h in boxes(scene))


def test_a_goal_shows_bases_where_they_stay_and_the_rest_anywhere():
    goal = {("on", "c1", "p2"), ("on", "c2", "c3"), ("in", "c4", "t1")}
    given = problem(FIXED | NOW, goal)
    scene = stacks.scene(given.goal_facts, given, YARD)
    found, right = spots(scene), max(boxes(scene), key=lambda box: (box[2] * box[3], box[0]))
    assert {"anywhere", "...", "c4", "t1"} <= set(found)
    assert found["c1"][0] == found["p2"][0]
    assert found["c2"][0] == found["c3"][0] == found["..."][0]
    assert right[2] >= 2 * stacks.WIDTH
    empty = stacks.scene(frozenset(), given, YARD)
    assert {"anywhere", "t1"}.isdisjoint(spots(empty))


def test_many_loads_stay_within_their_truck():
    loads = {("in", f"c{number}", "t1") for number in range(9)}
    given = problem(FIXED | {("at", "t1", "a")} | loads)
    scene = stacks.scene(given.init, given, YARD)
    found = spots(scene)
    truck = next(box for box in boxes(scene) if within(found["t1"], box) and box[2] < 2.1 * 64)
    assert all(within(found[f"c{number}"], truck) for number in range(9))


@pytest.mark.parametrize("text", ["a", "crate1", "a-very-long-name-of-something"])
def test_a_fitting_text_is_no_wider_than_asked(text):
    size = float(ET.fromstring(svg.fitting(0, 0, text, 48)).get("font-size"))
    assert size <= 13
    assert len(text) * size * 0.57 <= 48


def test_a_place_shows_its_spot_and_who_is_there():
    picture = {"place": "shelf", "at": "in", "spot": "located", "here": "at", "vehicle": "robot"}
    names = [TypedName("s1", ("shelf",)), TypedName("s2", ("shelf",))]
    facts = {
        ("located", "s1", "x"),
        ("located", "s2", "y"),
        ("at", "me", "y"),
        ("in", "somethinglong1", "s2"),
    }
    given = Problem("p", "d", tuple(names), frozenset(facts), frozenset())
    scene = places.scene(given.init, given, picture)
    found = spots(scene)
    assert set(found) == {"s1 (x)", "s2 (y)", "robot", "somethinglong1"}
    first, second = sorted(box for box in boxes(scene) if box[2] == places.WIDTH)
    assert within(found["robot"], second)
    assert not within(found["robot"], first)
    assert all(x >= second[0] for x, *_ in boxes(scene) if x > first[0])
