"""Grids with things in them: keys, locks, rocks and paint are seen, and what the robot holds."""

import xml.etree.ElementTree as ET

from orrery.model import Problem, TypedName, literals
from orrery.pictures.draw import draw, draw_problem
from tests.every_domain import entry

TEXT, RECT = "{http://www.w3.org/2000/svg}text", "{http://www.w3.org/2000/svg}rect"
PLACES = [TypedName(name, ("place",)) for name in ("p1", "p2")]
KEYS = [TypedName(name, ("key",)) for name in ("k1", "k2")]
SHAPES = [TypedName(name, ("shape",)) for name in ("star", "cross")]
STATIC = {("conn", "p1", "p2"), ("conn", "p2", "p1"), ("lock-shape", "p2", "star")}
STATIC |= {("key-shape", "k1", "star"), ("key-shape", "k2", "cross")}


def pictured(name, objects, facts, goal):
    here = entry(name)
    problem = Problem("p", name, tuple(objects), frozenset(facts), literals(goal))
    return [
        ET.fromstring(svg)
        for svg in (
            draw(here.domain, problem, problem.init, here.description.picture),
            draw_problem(here.domain, problem, here.description.picture),
        )
    ]


def words_in(picture):
    return [element.text or "" for element in picture.iter(TEXT)]


def fill_behind(picture, text):
    """The color of the shape drawn last before a text."""
    fill = None
    for element in picture.iter():
        if element.tag == RECT:
            fill = element.get("fill")
        if element.tag == TEXT and element.text == text:
            return fill
    raise AssertionError(text)


def keys(state, goal=(("open", "p2"),)):
    return pictured("grid", [*PLACES, *KEYS, *SHAPES], STATIC | set(state), goal)[0]


def test_a_key_has_the_color_of_the_lock_that_it_fits_until_that_is_open():
    init = {("at-robot", "p1"), ("at", "k1", "p1"), ("at", "k2", "p1"), ("arm-empty",), ("open", "p1")}
    closed, opened = keys(init | {("locked", "p2")}), keys(init | {("open", "p2")})
    assert fill_behind(closed, "k1") == fill_behind(closed, "p2") == fill_behind(opened, "k1")
    assert fill_behind(closed, "k2") not in (fill_behind(closed, "k1"), fill_behind(closed, "p1"))
    assert fill_behind(opened, "p2") == fill_behind(opened, "p1") == fill_behind(closed, "p1")
    assert {"k1", "k2", "robot", "star", "cross"} <= set(words_in(closed))


def test_what_the_robot_holds_is_said_with_it():
    held = keys({("at-robot", "p1"), ("holding", "k1"), ("at", "k2", "p2"), ("open", "p1"), ("open", "p2")})
    assert "robot: k1" in words_in(held)
    assert "k1" not in words_in(held)


def test_rock_bombs_and_gold_are_seen_and_gold_that_is_to_be_held_wherever():
    facts = {("connected", "c1", "c2"), ("connected", "c2", "c1"), ("clear", "c1"), ("robot-at", "c1")}
    facts |= {
        ("bomb-at", "c1"),
        ("laser-at", "c1"),
        ("gold-at", "c2"),
        ("soft-rock-at", "c2"),
        ("arm-empty",),
    }
    locations = [TypedName(name, ("loc",)) for name in ("c1", "c2")]
    state, both = pictured("goldminer", locations, facts, [("holds-gold",)])
    assert sorted(words_in(state)) == sorted(["", "c1", "c2", "bombs", "laser", "robot", "gold", "soft"])
    assert fill_behind(state, "c1") != fill_behind(state, "c2")
    assert "robot: gold" in words_in(both)


def test_colors_look_as_they_are_called():
    tiles = [TypedName(name, ("tile",)) for name in ("t1", "t2")]
    colors = [TypedName(name, ("color",)) for name in ("red", "white")]
    facts = {("up", "t1", "t2"), ("down", "t2", "t1"), ("clear", "t1"), ("robot-at", "r1", "t2")}
    facts |= {("robot-has", "r1", "red"), ("available-color", "red"), ("available-color", "white")}
    both = pictured(
        "floortile", [*tiles, *colors, TypedName("r1", ("robot",))], facts, [("painted", "t1", "red")]
    )
    tints = entry("floortile").description.picture["tints"]
    assert fill_behind(both[0], "r1") == tints["red"]
    assert fill_behind(both[0], "white") == tints["white"]
    assert len(set(tints.values())) == len(tints)
