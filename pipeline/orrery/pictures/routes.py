"""Routes: a map of places, with lines for travel and sight, and the contents of each place.

Keys of the description:

- ``place``: a type.
- ``travel``: a predicate whose last two arguments are connected places. If there are three arguments, the
  first is the traveller.
- ``sight``: a predicate of two places; one is visible from the other. Moving requires travel and sight.
- ``at``: for each predicate whose last argument is a place, the text to write there, with ``{1}`` for its
  first argument.
- ``inside`` and ``marks``: as in ``places``. They describe things that are in no place; these are drawn in
  boxes below the map.
"""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

from orrery.model import Atom
from orrery.pictures.layout import Spot, by_adjacency, on_ellipse
from orrery.pictures.places import Nest
from orrery.pictures.svg import LETTER, Shape, box, column, disc, group, rows, rule, word
from orrery.pictures.view import View, filled

WIDTH, LINE_HEIGHT, GAP, BESIDE = 116, 22, 44, 7
GO, GO_UNSEEN, SEE = "go", "go, unseen", "see"
DASHES = {GO: "", GO_UNSEEN: "8 3 2 3", SEE: "3 5"}
WORDS = {GO: "way, and sight", GO_UNSEEN: "way without sight", SEE: "sight alone"}


class Way(NamedTuple):
    """A connection between two places: its kind, its travellers, and the facts that state it."""

    kind: str = ""
    who: frozenset[str] = frozenset()
    facts: tuple[Atom, ...] = ()


def scene(view: View) -> Shape:
    """Return the map, if the view states a fact about it, and boxes for all other facts."""
    places = view.objects(view.picture["place"])
    chips = {place: _chips(view, place) for place in places}
    routes = _ways(view)
    below = Nest(view, frozenset(places)).scene()
    on_map = any(chip.facts for place_chips in chips.values() for chip in place_chips)
    if not places or (
        view.partial and not on_map and not any(view.facts.intersection(w.facts) for w in routes.values())
    ):
        return below
    return column([_map(view, places, chips, routes), below], 14)


def _map(
    view: View, places: list[str], chips: dict[str, list[Shape]], routes: dict[tuple[str, str], Way]
) -> Shape:
    """Return the boxes of places with the lines between them, and a legend of the lines."""
    boxes = {place: _box(view, place, chips[place]) for place in places}
    sizes = {place: (box.width, box.height) for place, box in boxes.items()}
    middles = _middles(view, sizes, {pair for pair in routes if pair[0] != pair[1]})
    everyone = frozenset().union(*(way.who for way in routes.values()))
    pairs = sorted({(min(pair), max(pair)) for pair in routes})
    lines = []
    for origin, target in pairs:
        (start, end), free = (middles[origin], middles[target]), _free(middles, sizes, origin, target)
        forth, back = routes.get((origin, target), Way()), routes.get((target, origin), Way())
        lines += _lines(view, start, end, free, forth, back, everyone)
    stand = [
        box.at(middles[place][0] - box.width / 2, middles[place][1] - box.height / 2)
        for place, box in boxes.items()
    ]
    return column([group([*lines, *stand]), _legend(view, routes, everyone)], 10)


def _box(view: View, place: str, chips: list[Shape]) -> Shape:
    """Return the box of a place with its contents. It is pale if the view states no fact about it."""
    inner = column([view.name(0, 0, place, WIDTH - 12, "", 12, "start"), rows(chips, WIDTH - 12, 4)], 3)
    width, height = max(inner.width + 12, 44), inner.height + 10
    look = "ghost" if view.partial and not chips else "paper"
    shapes = [box(0, 0, width, height, "bare"), box(0, 0, width, height, look), inner.at(6, 5)]
    return group(shapes)


def _chips(view: View, place: str) -> list[Shape]:
    """Return a chip for each fact about a thing in the place."""
    chips = []
    for number, (predicate, template) in enumerate(view.picture["at"].items()):
        for fact in view.of(predicate):
            if fact[-1] == place and fact in view.facts:
                text = filled(template, fact)
                width, first = min(WIDTH - 12, LETTER * 10.5 * len(text) + 10), not number
                shapes = [box(0, 0, width, LINE_HEIGHT - 4, "strong" if first else "plain")]
                highlight = " asked" if view.asked.intersection(text.split()) else ""
                look = ("pale" if first else "") + highlight
                shapes.append(view.name(width / 2, LINE_HEIGHT / 2 - 2, text, width - 6, look.strip(), 10.5))
                chips.append(view.mark(shapes, fact))
    return chips


def _ways(view: View) -> dict[tuple[str, str], Way]:
    """Return the connections of each pair of places, in both directions."""
    go: dict[tuple[str, str], list[Atom]] = {}
    for fact in view.of(view.picture["travel"]):
        go.setdefault((fact[-2], fact[-1]), []).append(fact)
    see = {(fact[-2], fact[-1]): fact for fact in view.of(view.picture["sight"])}
    routes = {}
    for pair in sorted(go.keys() | see.keys()):
        facts = go.get(pair, [])
        travellers = frozenset(fact[1] for fact in facts if len(fact) > 3)
        kind = (GO if pair in see else GO_UNSEEN) if facts else SEE
        if pair[0] != pair[1]:
            routes[pair] = Way(kind, travellers, (*facts, *([see[pair]] if pair in see else [])))
    return routes


def _middles(
    view: View, sizes: dict[str, tuple[float, float]], pairs: set[tuple[str, str]]
) -> dict[str, Spot]:
    """Return the centers of the boxes: on a grid if the lines allow it, otherwise on an ellipse."""
    places = list(sizes)
    wide = max(width for width, _ in sizes.values()) + GAP
    high = max(height for _, height in sizes.values()) + GAP
    parts = _parts(places, pairs)
    if len(parts) == 1:
        spots = by_adjacency(places, pairs)
        columns = max(x for x, _ in spots.values()) + 1
        on_grid = all(x == int(x) and y == int(y) for x, y in spots.values())
        if on_grid and len(places) > 1 and columns * wide - GAP <= view.room:
            return {name: (x * wide, y * high) for name, (x, y) in spots.items()}
    order = [name for part in parts for name in part]
    room = min(view.room, 160.0 * len(places))
    return on_ellipse({name: sizes[name] for name in order}, pairs, room, GAP)


def _parts(places: list[str], pairs: set[tuple[str, str]]) -> list[list[str]]:
    """Return the connected components of the places, each in the order of a walk."""
    near: dict[str, list[str]] = {place: [] for place in places}
    for origin, target in sorted(pairs):
        near[origin].append(target)
        near[target].append(origin)
    parts, seen = [], set[str]()
    for start in places:
        part, todo = [], [start]
        while todo:
            if (place := todo.pop()) not in seen:
                seen.add(place)
                part.append(place)
                todo += sorted(near[place], key=lambda name: (len(name), name), reverse=True)
        if part:
            parts.append(part)
    return parts


def _free(
    middles: dict[str, Spot], sizes: dict[str, tuple[float, float]], origin: str, target: str
) -> tuple[float, float]:
    """Return the free part of the line between two boxes: its start and end as fractions of the line."""
    (x1, y1), (x2, y2) = middles[origin], middles[target]
    reach = [
        min(
            width / 2 / abs(x2 - x1) if x1 != x2 else 1.0,
            height / 2 / abs(y2 - y1) if y1 != y2 else 1.0,
        )
        for width, height in (sizes[origin], sizes[target])
    ]
    return min(reach[0], 0.5), max(1 - reach[1], 0.5)


def _lines(
    view: View, start: Spot, end: Spot, free: tuple[float, float], forth: Way, back: Way,
    everyone: frozenset[str],
) -> list[Shape]:  # fmt: skip
    """Return one line if both directions agree; otherwise one per direction, with a dot at its end."""
    (x1, y1), (x2, y2) = start, end
    if (forth.kind, forth.who) == (back.kind, back.who):
        shapes = [rule(x1, y1, x2, y2, 2, "", DASHES[forth.kind])]
        shapes += _who(_between(start, end, sum(free) / 2), forth, everyone)
        return [view.mark(shapes, *forth.facts, *back.facts)]
    long = hypot(x2 - x1, y2 - y1) or 1.0
    apart = BESIDE if forth.kind and back.kind else 0.0
    aside = (-apart * (y2 - y1) / long, apart * (x2 - x1) / long)
    drawn_shapes = []
    for way, turn in ((forth, 1), (back, -1)):
        if way.kind:
            source = x1 + turn * aside[0], y1 + turn * aside[1]
            goal = x2 + turn * aside[0], y2 + turn * aside[1]
            first, last = free if turn > 0 else free[::-1]
            dot = disc(*_between(source, goal, first + 0.8 * (last - first)), 4, "plain edged")
            names = _who(_between(source, goal, first + 0.35 * (last - first)), way, everyone)
            line = rule(*source, *goal, 2, "", DASHES[way.kind])
            drawn_shapes.append(view.mark([line, dot, *names], *way.facts))
    return drawn_shapes


def _between(start: Spot, end: Spot, share: float) -> Spot:
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def _who(middle: Spot, way: Way, everyone: frozenset[str]) -> list[Shape]:
    """Return the names of the travellers of a connection, unless everyone can use it."""
    if not way.who or way.who == everyone:
        return []
    text = " ".join(sorted(way.who))
    x, y = middle
    long = LETTER * 10 * len(text) + 4
    return [box(x - long / 2, y - 6, long, 12, "bare"), word(x, y, text, 10, "dim")]


def _legend(view: View, routes: dict[tuple[str, str], Way], everyone: frozenset[str]) -> Shape:
    """Return a legend of the lines, if there are several kinds, one-way lines, or travellers on some."""
    kinds = {way.kind for way in routes.values()}
    entries = [
        group([rule(0, 0, 30, 0, 2, "", DASHES[kind]), word(36, 0, WORDS[kind], 10, "dim", "start")])
        for kind in WORDS
        if kind in kinds and len(kinds) > 1
    ]
    looks = {pair: (way.kind, way.who) for pair, way in routes.items()}
    if any(looks.get((target, origin)) != look for (origin, target), look in looks.items()):
        dot = disc(4, 0, 4, "plain edged")
        entries.append(group([dot, word(14, 0, "near the end of a one-way line", 10, "dim", "start")]))
    if len({who for _, who in looks.values() if who}) > 1:
        text = f"lines without names: {' '.join(sorted(everyone))}"
        entries.append(word(0, 0, text, 10, "dim", "start"))
    return rows(entries, view.room, 16)
