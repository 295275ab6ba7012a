"""Grids: cells where their neighbours put them, painted or marked, with those that move over them.

Keys of the description: ``cell``, a type; ``up`` and ``right``, predicates (a is above, right of b), or
``adjacent``; ``mover``, a predicate whose last argument is the mover's cell and whose first, if there
are two, its name; ``carries`` (mover, color); ``painted`` (cell, color); ``marked`` (cell);
``legend``, a predicate whose argument names a color that can be had.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.model import Problem, State
from pipeline.pictures.layout import Spot, by_adjacency, by_direction
from pipeline.pictures.svg import INK, PAPER, STRONG, Scene, box, colour, disc, rule, word

CELL, STEP = 52, 62
MARK = "#a7c957"


def scene(facts: State, problem: Problem, picture: Mapping[str, Any]) -> Scene:
    """The grid with what ``facts`` say of it; the layout comes from the problem's initial facts."""
    spots = _spots(problem, picture)
    colors = _colors(problem, facts, picture)
    corners = {cell: (x * STEP, y * STEP) for cell, (x, y) in spots.items()}
    width = max((x for x, _ in corners.values()), default=0) + CELL
    height = max((y for _, y in corners.values()), default=0) + CELL
    shapes = _edges(corners, problem, picture)
    for cell, corner in corners.items():
        shapes += _cell(cell, corner, _fill(cell, facts, colors, picture))
    shapes += _movers(corners, facts, colors, picture)
    offered = {fact[1] for fact in facts if fact[0] == picture.get("legend")}
    legend = _legend([color for color in colors if color in offered], colors, height + 14, width)
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
    """All names that stand as a color somewhere in the problem, b2 before b10."""
    everything = problem.init | problem.goal_facts | facts
    kinds = (picture.get("painted"), picture.get("carries"), picture.get("legend"))
    return sorted({fact[-1] for fact in everything if fact[0] in kinds}, key=lambda name: (len(name), name))


def _edges(corners: Mapping[str, Spot], problem: Problem, picture: Mapping[str, Any]) -> list[str]:
    """A line between neighbours, seen in the gap between their cells."""
    relations = {picture.get(key) for key in ("adjacent", "up", "right")}
    pairs = {tuple(sorted(fact[1:3])) for fact in problem.init if fact[0] in relations}
    middle = CELL / 2
    return [
        rule(x1 + middle, y1 + middle, x2 + middle, y2 + middle)
        for (x1, y1), (x2, y2) in ((corners[one], corners[other]) for one, other in sorted(pairs))
    ]


def _fill(cell: str, facts: State, colors: list[str], picture: Mapping[str, Any]) -> tuple[str, str]:
    """Colour and caption of a cell."""
    painted = sorted(fact[2] for fact in facts if fact[0] == picture.get("painted") and fact[1] == cell)
    if painted:
        return colour(colors, painted[0]), "+".join(painted)
    return (MARK, "") if (picture.get("marked"), cell) in facts else (PAPER, "")


def _cell(name: str, corner: Spot, fill: tuple[str, str]) -> list[str]:
    x, y = corner
    shapes = [box(x, y, CELL, CELL, fill[0]), word(x + CELL / 2, y + 9, name, 9)]
    return [*shapes, word(x + CELL / 2, y + CELL - 9, fill[1], 10)] if fill[1] else shapes


def _movers(
    corners: Mapping[str, Spot], facts: State, colors: list[str], picture: Mapping[str, Any]
) -> list[str]:
    """Each mover in the color that it carries; those in one cell share its middle, every name in sight."""
    carried = {fact[1]: fact[2] for fact in facts if fact[0] == picture.get("carries")}
    inside: dict[str, list[str]] = {}
    for fact in sorted(fact for fact in facts if fact[0] == picture["mover"] and fact[-1] in corners):
        inside.setdefault(fact[-1], []).append(fact[1] if len(fact) > 2 else "")
    shapes: list[str] = []
    for cell, names in sorted(inside.items()):
        captioned = bool(_fill(cell, facts, colors, picture)[1])
        for name, share in zip(names, _shares(corners[cell], names, captioned), strict=True):
            fill = colour(colors, carried[name]) if name in carried else STRONG
            shapes += _mover(share, name, fill, INK if name in carried else PAPER)
    return shapes


def _shares(corner: Spot, names: list[str], captioned: bool) -> list[tuple[float, float, float, float]]:
    """Center, width and height of the part that each of ``names`` gets below the name of the cell."""
    columns = 1 if len(names) < 4 else 2
    rows = -(-len(names) // columns)
    room = 24 if captioned else 34
    width, height = min((CELL - 4) / columns, 6 * max(map(len, names)) + 6), min(20, room / rows)
    left, top = corner[0] + (CELL - width * columns) / 2, corner[1] + 16 + (room - height * rows) / 2
    return [
        (left + width * (number % columns + 0.5), top + height * (number // columns + 0.5), width, height)
        for number in range(len(names))
    ]


def _mover(share: tuple[float, float, float, float], name: str, fill: str, ink: str) -> list[str]:
    """A disc, or where there is a name a plate with the name on it."""
    x, y, width, height = share
    if not name:
        return [disc(x, y, 11, fill)]
    size = min(9, height - 1.5, 1.7 * (width - 2) / len(name))
    plate = box(x - width / 2 + 0.5, y - height / 2 + 0.5, width - 1, height - 1, fill, INK)
    return [plate, word(x, y, name, size, ink)]


def _legend(names: list[str], colors: list[str], top: float, width: float) -> Scene:
    """The colors that can be had, in lines about as wide as the grid."""
    a_row = max(4, int(width // 70))
    shapes: list[str] = []
    for number, name in enumerate(names):
        x, y = number % a_row * 70, top + number // a_row * 24
        shapes += [box(x, y, 64, 18, colour(colors, name)), word(x + 32, y + 9, name, 10)]
    return Scene(tuple(shapes), min(a_row, len(names)) * 70, -(-len(names) // a_row) * 24)
