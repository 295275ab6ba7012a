"""Grids: cells where their neighbours put them, painted or marked, with those that move over them.

Keys of the description: ``cell``, a type; ``up`` and ``right``, predicates (a is above, right of b), or
``adjacent``; ``mover``, a predicate whose last argument is the mover's cell and whose first, if there
are two, its name; ``carries`` (mover, color); ``painted`` (cell, color); ``marked`` (cell);
``legend``, a predicate whose argument names a color that can be had.

What lies about: ``things``, predicates whose last argument is a cell, with the word to write there (the
name of the thing, if the predicate has two arguments); ``holds``, likewise for what the mover holds;
``free``, a predicate of the cells that can be entered, and ``cover``, predicates of those that cannot,
with a word for each; ``sort``, static predicates (thing or cell, sort) that give it a color; ``tints``,
how colors and sorts look, where their names say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from orrery.model import Problem, State
from orrery.pictures.layout import Spot, by_adjacency, by_direction
from orrery.pictures.svg import FILL, INK, PAPER, STRONG, Scene, box, colour, disc, rule, word

CELL, STEP = 52, 62
MARK = "#a7c957"
COVERS = ("#d8b98f", "#8d8f94", "#b98b73")
ROBOT = "robot"


class Plate(NamedTuple):
    """Something in a cell: a name on a color; a mover that needs no name is a disc."""

    name: str
    fill: str = PAPER
    ink: str = INK


def scene(facts: State, problem: Problem, picture: Mapping[str, Any]) -> Scene:
    """Return the grid with the contents that ``facts`` state.

    The layout comes from the problem's initial facts.
    """
    spots = _spots(problem, picture)
    colors = _colors(problem, facts, picture)
    corners = {cell: (x * STEP, y * STEP) for cell, (x, y) in spots.items()}
    width = max((x for x, _ in corners.values()), default=0) + CELL
    height = max((y for _, y in corners.values()), default=0) + CELL
    shapes = _edges(corners, problem, picture)
    inside = _contents(facts, colors, picture)
    fills = {cell: _fill(cell, facts, colors, picture) for cell in corners}
    for cell, corner in corners.items():
        shapes += _cell(cell, corner, fills[cell])
    for cell, corner in corners.items():
        plates = inside.pop(cell, [])
        for plate, share in zip(plates, _shares(corner, plates, bool(fills[cell][1])), strict=True):
            shapes += _plate(share, plate)
    offered = {fact[-1] for fact in facts if fact[0] in (picture.get("legend"), *picture.get("sort", ()))}
    chips = [Plate(color, _tint(colors, color, picture)) for color in colors if color in offered]
    chips += [plate for plates in inside.values() for plate in plates]
    legend = _legend(chips, height + 14, width)
    shapes += legend.shapes
    return Scene(tuple(shapes), max(width, legend.width), height + 10 + legend.height)


def _spots(problem: Problem, picture: Mapping[str, Any]) -> dict[str, Spot]:
    cells = sorted(each.name for each in problem.objects if picture["cell"] in each.types)
    facts = sorted(problem.init)
    if "adjacent" in picture:
        return by_adjacency(cells, [(f[1], f[2]) for f in facts if f[0] == picture["adjacent"]])
    up = [(f[1], f[2], (0, -1)) for f in facts if f[0] == picture["up"]]
    right = [(f[1], f[2], (1, 0)) for f in facts if f[0] == picture["right"]]
    return by_direction(cells, up + right)


def _colors(problem: Problem, facts: State, picture: Mapping[str, Any]) -> list[str]:
    """Return all names used as a color or sort in the problem, b2 before b10."""
    everything = problem.init | problem.goal_facts | facts
    kinds = (picture.get("painted"), picture.get("carries"), picture.get("legend"), *picture.get("sort", ()))
    return sorted({fact[-1] for fact in everything if fact[0] in kinds}, key=lambda name: (len(name), name))


def _edges(corners: Mapping[str, Spot], problem: Problem, picture: Mapping[str, Any]) -> list[str]:
    """Return a line between neighbours, visible in the gap between their cells."""
    relations = {picture.get(key) for key in ("adjacent", "up", "right")}
    pairs = {tuple(sorted(fact[1:3])) for fact in problem.init if fact[0] in relations}
    middle = CELL / 2
    return [
        rule(x1 + middle, y1 + middle, x2 + middle, y2 + middle)
        for (x1, y1), (x2, y2) in ((corners[one], corners[other]) for one, other in sorted(pairs))
    ]


def _fill(cell: str, facts: State, colors: list[str], picture: Mapping[str, Any]) -> tuple[str, str]:
    """Return the colour and the caption of a cell."""
    painted = sorted(fact[2] for fact in facts if fact[0] == picture.get("painted") and fact[1] == cell)
    if painted:
        return _tint(colors, painted[0], picture), "+".join(painted)
    sorts = _sorts(facts, picture)
    for (kind, said), cover in zip(picture.get("cover", {}).items(), COVERS, strict=False):
        if (kind, cell) in facts:
            return (_tint(colors, sorts[cell], picture), sorts[cell]) if cell in sorts else (cover, said)
    if "free" in picture and (picture["free"], cell) not in facts:
        return FILL, sorts.get(cell, "")
    return (MARK, "") if (picture.get("marked"), cell) in facts else (PAPER, sorts.get(cell, ""))


def _sorts(facts: State, picture: Mapping[str, Any]) -> dict[str, str]:
    return {fact[1]: fact[2] for fact in facts if fact[0] in picture.get("sort", ())}


def _cell(name: str, corner: Spot, fill: tuple[str, str]) -> list[str]:
    x, y = corner
    shapes = [box(x, y, CELL, CELL, fill[0]), word(x + CELL / 2, y + 9, name, 9)]
    return [*shapes, word(x + CELL / 2, y + CELL - 9, fill[1], 10)] if fill[1] else shapes


def _contents(facts: State, colors: list[str], picture: Mapping[str, Any]) -> dict[str, list[Plate]]:
    """Return what to show in each cell, movers last; under "" what is held while no mover has a place."""
    inside: dict[str, list[Plate]] = {}
    sorts, things, holds = _sorts(facts, picture), picture.get("things", {}), picture.get("holds", {})
    carried = {fact[1]: fact[2] for fact in facts if fact[0] == picture.get("carries")}
    for fact in sorted(fact for fact in facts if fact[0] in things):
        name = things[fact[0]] or fact[1]
        inside.setdefault(fact[-1], []).append(Plate(name, _tint(colors, sorts.get(name), picture)))
    held = [holds[fact[0]] or fact[1] for fact in sorted(facts) if fact[0] in holds]
    nameless = f"{ROBOT}: {'+'.join(held)}" if held else ROBOT if holds else ""
    movers = sorted(fact for fact in facts if fact[0] == picture["mover"])
    for fact in movers:
        name = fact[1] if len(fact) > 2 else nameless
        known = Plate(name, _tint(colors, carried.get(name), picture))
        inside.setdefault(fact[-1], []).append(known if name in carried else Plate(name, STRONG, PAPER))
    return inside if movers or not held else {**inside, "": [Plate(nameless, STRONG, PAPER)]}


def _tint(colors: list[str], name: str | None, picture: Mapping[str, Any]) -> str:
    """Return the fill of a color or sort; plain where there is none."""
    return PAPER if name is None else picture.get("tints", {}).get(name) or colour(colors, name)


def _shares(corner: Spot, plates: list[Plate], captioned: bool) -> list[tuple[float, float, float, float]]:
    """Return center, width and height of each of ``plates`` below the name of the cell."""
    if not plates:
        return []
    columns = 1 if len(plates) < 4 else 2
    rows = -(-len(plates) // columns)
    room = 24 if captioned else 34
    longest = max(len(plate.name) for plate in plates)
    width, height = min((CELL - 4) / columns, 6 * longest + 6), min(room - 8, 20, room / rows)
    left, top = corner[0] + (CELL - width * columns) / 2, corner[1] + 16 + (room - height * rows) / 2
    return [
        (left + width * (number % columns + 0.5), top + height * (number // columns + 0.5), width, height)
        for number in range(len(plates))
    ]


def _plate(share: tuple[float, float, float, float], plate: Plate) -> list[str]:
    """Return a plate with a name on it, or a disc where there is no name."""
    x, y, width, height = share
    if not plate.name:
        return [disc(x, y, 11, plate.fill)]
    size = min(9, height - 1.5, 1.7 * (width - 2) / len(plate.name))
    shape = box(x - width / 2 + 0.5, y - height / 2 + 0.5, width - 1, height - 1, plate.fill, INK)
    return [shape, word(x, y, plate.name, size, plate.ink)]


def _legend(chips: list[Plate], top: float, width: float) -> Scene:
    """Return the available colors and all else without a cell, in lines about as wide as the grid."""
    a_row = max(4, int(width // 70))
    shapes: list[str] = []
    for number, chip in enumerate(chips):
        x, y = number % a_row * 70, top + number // a_row * 24
        shapes += [box(x, y, 64, 18, chip.fill), word(x + 32, y + 9, chip.name, 10, chip.ink)]
    return Scene(tuple(shapes), min(a_row, len(chips)) * 70, -(-len(chips) // a_row) * 24)
