"""Grids with things in them: keys, locks, rocks and paint are seen, and what the robot holds."""

from orrery.model import Problem, TypedName, literals
from orrery.pictures.draw import draw, draw_problem
from tests.every_domain import entry
from tests.pictures.reading import Picture

PLACES = [TypedName(name, ("place",)) for name in ("p1", "p2")]
KEYS = [TypedName(name, ("key",)) for name in ("k1", "k2")]
SHAPES = [TypedName(name, ("shape",)) for name in ("star", "cross")]
STATIC = {("conn", "p1", "p2"), ("conn", "p2", "p1"), ("lock-shape", "p2", "star")}
STATIC |= {("key-shape", "k1", "star"), ("key-shape", "k2", "cross")}


def pictured(name, objects, facts, goal):
    place = entry(name)
    problem = Problem("p", name, tuple(objects), frozenset(facts), literals(goal))
    return [
        Picture(svg)
        for svg in (
            draw(place.domain, problem, problem.init, place.description.picture),
            draw_problem(place.domain, problem, place.description.picture),
        )
    ]


def behind(picture, text):
    """The look of the shape behind a text: its color or class."""
    box = picture.box_around(text)
    return box.style or box.look


def in_goal(picture, cell):
    """The look of a cell in the goal."""
    goal_elements = [e for e in picture.elements if e.panel == "goal" and e.kind in ("rect", "text")]
    return goal_elements[next(n for n, e in enumerate(goal_elements) if e.words == cell) - 1].look


def keys(state, goal=(("open", "p2"),)):
    return pictured("grid", [*PLACES, *KEYS, *SHAPES], STATIC | set(state), goal)


def test_a_key_has_the_color_of_the_lock_that_it_fits_until_that_is_open():
    init = {("at-robot", "p1"), ("at", "k1", "p1"), ("at", "k2", "p1"), ("arm-empty",), ("open", "p1")}
    closed, opened = keys(init | {("locked", "p2")})[0], keys(init | {("open", "p2")})[0]
    assert behind(closed, "k1 star") == behind(closed, "p2") == behind(opened, "k1 star")
    assert behind(closed, "k2 cross") not in (behind(closed, "k1 star"), behind(closed, "p1"))
    assert behind(opened, "p2") == behind(opened, "p1") == behind(closed, "p1") == "paper"
    assert {"robot", "locked", "star", "cross"} <= set(closed.texts)


def test_a_cell_that_the_goal_does_not_mention_is_neither_blocked_nor_open_in_it():
    init = {("at-robot", "p1"), ("locked", "p2"), ("open", "p1"), ("arm-empty",)}
    drawings = keys(init, [("open", "p2")])[1]
    assert in_goal(drawings, "p1") == "ghost"
    assert in_goal(drawings, "p2") == "paper"
    assert drawings.facts["goal"] == {("open", "p2")}


def test_a_cell_that_cannot_be_entered_is_shaded_and_told():
    state = keys({("at-robot", "p1"), ("open", "p1")})[0]
    assert behind(state, "p2") == "shade"
    assert "not open" in state.texts


def test_what_the_robot_holds_is_said_with_it():
    state = {("at-robot", "p1"), ("holding", "k1"), ("at", "k2", "p2"), ("open", "p1"), ("open", "p2")}
    held = keys(state)[0]
    assert "robot: k1" in held.texts
    assert "k1" not in held.texts


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
    state, drawings = pictured("goldminer", locations, facts, [("holds-gold",)])
    words = ["state", "c1", "c2", "bombs", "laser", "robot", "gold", "soft", "arm-empty"]
    assert sorted(state.texts) == sorted(words)
    assert behind(state, "c1") != behind(state, "c2")
    assert "robot: gold" in drawings.texts
    assert {in_goal(drawings, "c1"), in_goal(drawings, "c2")} == {"ghost"}


def test_colors_look_as_they_are_called():
    tiles = [TypedName(name, ("tile",)) for name in ("t1", "t2")]
    colors = [TypedName(name, ("color",)) for name in ("red", "white")]
    facts = {("up", "t1", "t2"), ("down", "t2", "t1"), ("clear", "t1"), ("robot-at", "r1", "t2")}
    facts |= {("robot-has", "r1", "red"), ("available-color", "red"), ("available-color", "white")}
    drawings = pictured(
        "floortile", [*tiles, *colors, TypedName("r1", ("robot",))], facts, [("painted", "t1", "red")]
    )
    tints = entry("floortile").description.picture["tints"]
    assert behind(drawings[0], "r1 red") == f"fill:{tints['red']}"
    assert behind(drawings[0], "white") == f"fill:{tints['white']}"
    assert len(set(tints.values())) == len(tints)
