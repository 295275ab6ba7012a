"""Routes: every place and thing is seen, lines are those that can be driven, nothing covers anything."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import combinations, permutations

import pytest

from orrery.model import Problem, TypedName
from orrery.pictures import routes

PICTURE = {
    "kind": "routes", "place": "stop", "link": ["road", "view"], "at": {"bus": "here", "stall": "shop"},
    "list": {"bought": ["have", "has"]},
}  # fmt: skip


def problem(places, ways, *facts):
    init = {(kind, *way) for way in ways for kind in ("road", "view")} | set(facts)
    return Problem(
        "p", "d", tuple(TypedName(name, ("stop",)) for name in places), frozenset(init), frozenset()
    )


def shapes(given, kind, facts=None):
    scene = routes.scene(given.init if facts is None else facts, given, PICTURE)
    return list(ET.fromstring(f"<svg>{''.join(scene.shapes)}</svg>").iter(kind))


def boxes(given):
    """The rectangles of places and chips: x, y, width, height."""
    return [tuple(float(r.get(key)) for key in ("x", "y", "width", "height")) for r in shapes(given, "rect")]


def words(given, facts=None):
    return [text.text for text in shapes(given, "text", facts)]


def both(*ways):
    return {*ways, *((b, a) for a, b in ways)}


MAPS = {
    "none": (["a"], set()),
    "line": ("abcde", both(*zip("abcd", "bcde", strict=True))),
    "ring of five": ("abcde", both(*zip("abcde", "bcdea", strict=True))),
    "star": ("abcdefg", both(*(("d", other) for other in "abcefg"))),
    "all": ("abcd", set(permutations("abcd", 2))),
    "parts": ("abcdef", both(("a", "c"), ("c", "e"), ("b", "d"))),
}


@pytest.mark.parametrize("name", MAPS)
def test_every_place_is_seen_and_none_covers_another(name):
    places, ways = MAPS[name]
    given = problem(places, ways)
    assert sorted(words(given)) == sorted(places)
    found = boxes(given)
    assert len(found) == len(places)
    for (x1, y1, w1, h1), (x2, y2, w2, h2) in combinations(found, 2):
        assert x1 + w1 <= x2 + 0.01 or x2 + w2 <= x1 + 0.01 or y1 + h1 <= y2 + 0.01 or y2 + h2 <= y1 + 0.01
    assert len(shapes(given, "line")) == len(ways) / 2
    assert shapes(given, "circle") == []
    scene = routes.scene(given.init, given, PICTURE)
    assert all(x + w <= scene.width + 0.01 and y + h <= scene.height for x, y, w, h in found)
    assert min(x for x, *_ in found) == min(y for _, y, *_ in found) == pytest.approx(0, abs=0.01)


def test_a_way_without_return_has_a_dot_and_half_a_way_is_none():
    given = problem("abc", {("a", "b"), ("b", "b")}, ("road", "b", "c"))
    assert len(shapes(given, "line")) == len(shapes(given, "circle")) == 1
    dot, (a, b, _) = shapes(given, "circle")[0], boxes(given)
    middles = [box[0] + box[2] / 2 for box in (a, b)]
    assert middles[0] != middles[1]
    assert abs(float(dot.get("cx")) - middles[1]) < abs(float(dot.get("cx")) - middles[0])


def test_things_stand_in_their_places_and_lists_below():
    goods = [("shop", f"s{number}", "b") for number in range(7)]
    given = problem("ab", both(("a", "b")), ("here", "a"), *goods, ("have", "tea", "hot"), ("has", "cup"))
    stated = words(given)
    assert {"bus", "bought: tea hot, cup", *(f"s{number}" for number in range(7))} <= set(stated)
    chips = [box for box in boxes(given) if box[2] < routes.WIDTH]
    (ax, ay, aw, ah), (bx, by, bw, bh) = (box for box in boxes(given) if box[2] == routes.WIDTH)
    inside = [bx <= x and x + w <= bx + bw and by <= y and y + h <= by + bh for x, y, w, h in chips]
    assert inside.count(True) == 7
    bus = chips[inside.index(False)]
    assert ax <= bus[0]
    assert bus[0] + bus[2] <= ax + aw
    assert ay <= bus[1]
    assert bus[1] + bus[3] <= ay + ah


def test_the_layout_is_that_of_the_problem_whatever_the_state():
    given = problem("ab", both(("a", "b")), ("here", "a"))
    assert words(given, facts=frozenset()) == ["a", "b"]
    assert len(shapes(given, "line", facts=frozenset())) == 1
