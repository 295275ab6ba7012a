"""Routes: places on a map, lines where one can go, and in each place what lies or stands there.

Keys of the description: ``place``, a type; ``link``, predicates whose last two arguments are places, all of
which take to go from one to the other; ``at``, a caption for each predicate whose last argument is the place
of something, and whose first argument is its name if there are two; ``list``, a caption for each predicate
whose facts are listed below the map.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi, sin
from typing import Any

from orrery.model import Problem, State
from orrery.pictures.layout import Spot, by_adjacency
from orrery.pictures.lists import with_lists
from orrery.pictures.svg import INK, LINE, PAPER, STRONG, Scene, box, colour, disc, fitting, rule, word

CHIP, LINE_HEIGHT, A_ROW, GAP = 46, 22, 2, 44
WIDTH = A_ROW * (CHIP + 4) + 8
Near = Mapping[str, frozenset[str]]


def scene(facts: State, problem: Problem, picture: Mapping[str, Any]) -> Scene:
    """Return the map with the contents that ``facts`` state; its layout comes from the initial facts."""
    places = sorted((o.name for o in problem.objects if picture["place"] in o.types), key=_natural)
    routes = _routes(problem, picture)
    near = {
        one: frozenset(b for a, b in routes | {(b, a) for a, b in routes} if a == one != b) for one in places
    }
    things = {place: _things(facts, place, picture) for place in places}
    height = 28 + LINE_HEIGHT * max((-(-len(found) // A_ROW) for found in things.values()), default=0)
    corners = {name: (x * (WIDTH + GAP), y * (height + GAP)) for name, (x, y) in _spots(places, near).items()}
    middles = {name: (x + WIDTH / 2, y + height / 2) for name, (x, y) in corners.items()}
    shapes = [shape for route in sorted(routes) for shape in _line(route, routes, middles)]
    captions = list(picture["at"])
    for place, (x, y) in corners.items():
        shapes += [box(x, y, WIDTH, height, PAPER), word(x + 8, y + 14, place, 12, anchor="start")]
        shapes += _chips(x, y + 26, things[place], captions)
    below = max((y for _, y in corners.values()), default=0.0) + height
    right = max((x for x, _ in corners.values()), default=0.0) + WIDTH
    return with_lists(Scene(tuple(shapes), right, below), facts, picture)


def _natural(name: str) -> tuple[int, str]:
    return len(name), name


def _routes(problem: Problem, picture: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Return the pairs of places between which all conditions of a route hold."""
    links = picture["link"] if isinstance(picture["link"], list) else [picture["link"]]
    found = [{(fact[-2], fact[-1]) for fact in problem.init if fact[0] == link} for link in links]
    return set.intersection(*found)


def _things(facts: State, place: str, picture: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return caption and name of what is in the place, in the order of the description."""
    return [
        (caption, name)
        for caption, predicate in picture["at"].items()
        for name in sorted(
            (_called(f, caption) for f in facts if f[0] == predicate and f[-1] == place), key=_natural
        )
    ]


def _called(fact: tuple[str, ...], caption: str) -> str:
    return fact[1] if len(fact) > 2 else caption


def _spots(places: list[str], near: Near) -> dict[str, Spot]:
    """Return columns and rows; parts of the map that nothing connects are side by side."""
    found: dict[str, Spot] = {}
    left = 0.0
    for place in places:
        if place not in found:
            part = _laid(_part(place, near), near)
            west, north = (min(spot[axis] for spot in part.values()) for axis in (0, 1))
            found |= {name: (x - west + left, y - north) for name, (x, y) in part.items()}
            left = max(x for x, _ in found.values()) + 1.5
    return found


def _part(start: str, near: Near) -> list[str]:
    """Return all that is connected with ``start``, in the order of a walk along the lines."""
    found, todo = dict[str, None](), [start]
    while todo:
        if (place := todo.pop()) not in found:
            found[place] = None
            todo += sorted(near[place], key=_natural, reverse=True)
    return list(found)


def _laid(part: list[str], near: Near) -> dict[str, Spot]:
    """Return a ring around the place that all others adjoin, or else a layout along the lines."""
    hubs = [place for place in part if len(near[place]) > 2]
    if len(hubs) != 1 or len(near[hubs[0]]) < len(part) - 1:
        return by_adjacency(part, [(one, other) for one in part for other in near[one]])
    around, radius = [place for place in part if place != hubs[0]], max(1.0, len(part) / 6)
    turns = {name: 2 * pi * number / len(around) for number, name in enumerate(around)}
    ring = {name: (radius * (1 + cos(turn)), radius * (1 + sin(turn))) for name, turn in turns.items()}
    return ring | {hubs[0]: (radius, radius)}


def _line(route: tuple[str, str], routes: set[tuple[str, str]], middles: Mapping[str, Spot]) -> list[str]:
    """Return a line for each pair, one for both directions; a dot near its end marks a one-way line."""
    one, other = route
    if one == other or (route > (other, one) and (other, one) in routes):
        return []
    (x1, y1), (x2, y2) = middles[one], middles[other]
    line = rule(x1, y1, x2, y2)
    if (other, one) in routes:
        return [line]
    # Between the boxes, beyond the middle: a dot in a box would be hidden.
    return [line, disc(x1 + 0.58 * (x2 - x1), y1 + 0.58 * (y2 - y1), 4, LINE, INK)]


def _chips(x: float, y: float, things: list[tuple[str, str]], captions: list[str]) -> list[str]:
    """Return a chip for each thing, in the color of its caption."""
    shapes = []
    for number, (caption, name) in enumerate(things):
        left, top = x + 6 + number % A_ROW * (CHIP + 4), y + number // A_ROW * LINE_HEIGHT
        first = caption == captions[0]
        fill = STRONG if first else colour(captions[1:], caption)
        shapes.append(box(left, top, CHIP, LINE_HEIGHT - 4, fill))
        ink = PAPER if first else INK
        shapes.append(fitting(left + CHIP / 2, top + LINE_HEIGHT / 2 - 2, name, CHIP, ink, 11))
    return shapes
