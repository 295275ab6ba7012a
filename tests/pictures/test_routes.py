"""Routes: every place and thing is seen, lines are those that there are, nothing covers anything."""

from itertools import combinations, permutations

import pytest

from orrery.model import Problem, TypedName
from orrery.pictures import routes
from orrery.pictures.svg import document
from orrery.pictures.view import View
from tests.pictures.reading import Picture, within

DESCRIPTION = {
    "kind": "routes", "place": "stop", "travel": "road", "sight": "view",
    "at": {"here": "bus", "shop": "{1}"}, "marks": {"have": "has {2}"},
}  # fmt: skip


def problem(places, facts):
    return Problem(
        "p", "d", tuple(TypedName(name, ("stop",)) for name in places), frozenset(facts), frozenset()
    )


def picture(given, facts=None):
    view = View(given.init if facts is None else frozenset(facts), given, DESCRIPTION, 572)
    return Picture(document(routes.scene(view), "", ""))


def seen(found, kind):
    return [each for each in found.elements if each.kind == kind]


def stops(found, places):
    return {place: found.box_around(place).edges for place in places}


def both(*ways):
    return {*ways, *((b, a) for a, b in ways)}


def roads(ways):
    return {(kind, *way) for way in ways for kind in ("road", "view")}


MAPS = {
    "none": ("a", set()),
    "line": ("abcde", both(*zip("abcd", "bcde", strict=True))),
    "ring of five": ("abcde", both(*zip("abcde", "bcdea", strict=True))),
    "star": ("abcdefg", both(*(("d", other) for other in "abcefg"))),
    "all": ("abcd", set(permutations("abcd", 2))),
    "long line": ("abcdefghijklmnop", both(*zip("abcdefghijklmno", "bcdefghijklmnop", strict=True))),
    "parts": ("abcdef", both(("a", "c"), ("c", "e"), ("b", "d"))),
}


@pytest.mark.parametrize("name", MAPS)
def test_every_place_is_seen_none_covers_another_and_each_line_ends_in_its_places(name):
    places, ways = MAPS[name]
    found = picture(problem(places, roads(ways)))
    assert sorted(found.texts) == sorted(places)
    boxes = stops(found, places)
    for (x1, y1, x2, y2), (x3, y3, x4, y4) in combinations(boxes.values(), 2):
        assert x2 <= x3 or x4 <= x1 or y2 <= y3 or y4 <= y1
    lines = seen(found, "line")
    assert len(lines) == len(ways) / 2
    assert found.facts[""] == roads(ways)
    assert seen(found, "circle") == []
    for line in lines:
        (one, other), *_ = {tuple(sorted(fact[1:])) for fact in line.facts}
        middles = [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in (boxes[one], boxes[other])]
        xs, ys = zip(*middles, strict=True)
        assert line.edges == pytest.approx((min(xs), min(ys), max(xs), max(ys)), abs=0.1)


def test_ways_to_go_and_to_see_look_different_and_one_way_lines_have_a_dot():
    facts = {*roads(both(("a", "b"))), ("road", "b", "c"), ("view", "a", "c"), ("view", "c", "a")}
    found = picture(problem("abc", facts))
    assert found.facts[""] == facts
    dashes = {element.facts: element for element in seen(found, "line") if element.facts}
    assert {len(each) for each in dashes} == {4, 1, 2}
    assert {"way, and sight", "way without sight", "sight alone"} <= set(found.texts)
    (dot,), boxes = [each for each in seen(found, "circle") if each.facts], stops(found, "abc")
    assert "near the end of a one-way line" in found.texts
    assert dot.facts == {("road", "b", "c")}

    def far(box):
        ends = [(each[0] + each[2]) / 2 - (dot.edges[0] + dot.edges[2]) / 2 for each in (box,)]
        return abs(ends[0]) + abs((box[1] + box[3]) / 2 - (dot.edges[1] + dot.edges[3]) / 2)

    assert far(boxes["c"]) < far(boxes["b"])


def test_ways_that_only_some_can_take_name_them():
    ways = {("road", who, *way) for who in ("r1", "r2") for way in both(("a", "b"))}
    ways |= {("road", "r2", *way) for way in both(("b", "c"))}
    found = picture(problem("abc", ways))
    assert sorted(found.texts) == ["a", "b", "c", "lines without names: r1 r2", "r2"]
    assert found.facts[""] == ways


def test_things_stand_in_their_places_and_boxes_below():
    goods = [("shop", f"s{number}", "b") for number in range(7)]
    given = problem("ab", roads(both(("a", "b"))) | {("here", "a"), ("have", "me", "tea"), *goods})
    found = picture(given)
    boxes = stops(found, "ab")
    spots = {
        e.words: ((e.edges[0] + e.edges[2]) / 2, (e.edges[1] + e.edges[3]) / 2) for e in seen(found, "text")
    }
    assert all(within(spots[f"s{number}"], boxes["b"]) for number in range(7))
    assert within(spots["bus"], boxes["a"])
    assert spots["me"][1] > max(box[3] for box in boxes.values())
    assert "has tea" in found.texts
    assert found.facts[""] == given.init


def test_the_layout_is_that_of_the_problem_whatever_the_state():
    given = problem("ab", roads(both(("a", "b"))) | {("here", "a")})
    without = picture(given, roads(both(("a", "b"))))
    assert without.texts == ["a", "b"]
    assert len(seen(without, "line")) == 1
