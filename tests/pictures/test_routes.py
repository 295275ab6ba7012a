"""Routes: every place and thing is seen, lines are those that there are, nothing covers anything."""

from itertools import combinations, permutations
from math import dist

import pytest

from orrery.model import Problem, TypedName
from orrery.pictures import routes
from orrery.pictures.svg import document
from orrery.pictures.view import View
from tests.pictures.reading import Picture, middle, within

DESCRIPTION = {
    "kind": "routes", "place": "stop", "travel": "road", "sight": "view",
    "at": {"here": "bus", "shop": "{1}"}, "marks": {"have": "has {2}"},
}  # fmt: skip


def problem(places, facts):
    return Problem(
        "p", "d", tuple(TypedName(name, ("stop",)) for name in places), frozenset(facts), frozenset()
    )


def picture(shown, facts=None):
    view = View(shown.init if facts is None else frozenset(facts), shown, DESCRIPTION, 572)
    return Picture(document(routes.scene(view), "", ""))


def seen(drawing, kind):
    return [element for element in drawing.elements if element.kind == kind]


def stops(drawing, places):
    return {place: drawing.box_around(place).edges for place in places}


def both(*roads_one_way):
    return {*roads_one_way, *((b, a) for a, b in roads_one_way)}


def roads(pairs):
    return {(kind, *way) for way in pairs for kind in ("road", "view")}


MAPS = {
    "none": ("a", set()),
    "line": ("abcde", both(*zip("abcd", "bcde", strict=True))),
    "ring of five": ("abcde", both(*zip("abcde", "bcdea", strict=True))),
    "star": ("abcdefg", both(*(("d", end) for end in "abcefg"))),
    "all": ("abcd", set(permutations("abcd", 2))),
    "long line": ("abcdefghijklmnop", both(*zip("abcdefghijklmno", "bcdefghijklmnop", strict=True))),
    "parts": ("abcdef", both(("a", "c"), ("c", "e"), ("b", "d"))),
}


@pytest.mark.parametrize("name", MAPS)
def test_every_place_is_seen_none_covers_another_and_each_line_ends_in_its_places(name):
    places, ways = MAPS[name]
    drawing = picture(problem(places, roads(ways)))
    assert sorted(drawing.texts) == sorted(places)
    boxes = stops(drawing, places)
    for (x1, y1, x2, y2), (x3, y3, x4, y4) in combinations(boxes.values(), 2):
        assert x2 <= x3 or x4 <= x1 or y2 <= y3 or y4 <= y1
    lines = seen(drawing, "line")
    assert len(lines) == len(ways) / 2
    assert drawing.facts[""] == roads(ways)
    assert seen(drawing, "circle") == []
    for line in lines:
        (first, second), *_ = {tuple(sorted(fact[1:])) for fact in line.facts}
        xs, ys = zip(middle(boxes[first]), middle(boxes[second]), strict=True)
        assert line.edges == pytest.approx((min(xs), min(ys), max(xs), max(ys)), abs=0.1)


def test_ways_to_go_and_to_see_look_different_and_one_way_lines_have_a_dot():
    facts = {*roads(both(("a", "b"))), ("road", "b", "c"), ("view", "a", "c"), ("view", "c", "a")}
    drawing = picture(problem("abc", facts))
    assert drawing.facts[""] == facts
    dashes = {element.facts: element for element in seen(drawing, "line") if element.facts}
    assert {len(dash) for dash in dashes} == {4, 1, 2}
    assert {"way, and sight", "way without sight", "sight alone"} <= set(drawing.texts)
    (dot,), boxes = [dash for dash in seen(drawing, "circle") if dash.facts], stops(drawing, "abc")
    assert "near the end of a one-way line" in drawing.texts
    assert dot.facts == {("road", "b", "c")}

    far = {place: dist(middle(boxes[place]), middle(dot.edges)) for place in "bc"}
    assert far["c"] < far["b"]


def test_ways_that_only_some_can_take_name_them():
    roads_of = {("road", who, *way) for who in ("r1", "r2") for way in both(("a", "b"))}
    roads_of |= {("road", "r2", *way) for way in both(("b", "c"))}
    drawing = picture(problem("abc", roads_of))
    assert sorted(drawing.texts) == ["a", "b", "c", "lines without names: r1 r2", "r2"]
    assert drawing.facts[""] == roads_of


def test_things_stand_in_their_places_and_boxes_below():
    goods = [("shop", f"s{number}", "b") for number in range(7)]
    shown = problem("ab", roads(both(("a", "b"))) | {("here", "a"), ("have", "me", "tea"), *goods})
    drawing = picture(shown)
    boxes = stops(drawing, "ab")
    spots = drawing.spots
    assert all(within(spots[f"s{number}"], boxes["b"]) for number in range(7))
    assert within(spots["bus"], boxes["a"])
    assert spots["me"][1] > max(box[3] for box in boxes.values())
    assert "has tea" in drawing.texts
    assert drawing.facts[""] == shown.init


def test_the_layout_is_that_of_the_problem_whatever_the_state():
    shown = problem("ab", roads(both(("a", "b"))) | {("here", "a")})
    without = picture(shown, roads(both(("a", "b"))))
    assert without.texts == ["a", "b"]
    assert len(seen(without, "line")) == 1
