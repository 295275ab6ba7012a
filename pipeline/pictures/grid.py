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
from pipeline.pictures.svg import FILL, INK, LINE, PAPER, STRONG, Scene, box, colour, disc, rule, word

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
    legend = _legend(facts, colors, picture, height + 14)
    return Scene((*shapes, *legend), max(width, 70 * len(legend) / 2), height + (34 if legend else 4))


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
    """Each mover in the color that it carries; several in a cell overlap side by side."""
    carried = {fact[1]: fact[2] for fact in facts if fact[0] == picture.get("carries")}
    shapes: list[str] = []
    inside: dict[str, int] = {}
    for fact in sorted(fact for fact in facts if fact[0] == picture["mover"] and fact[-1] in corners):
        x, y = corners[fact[-1]]
        x += CELL / 2 + 12 * inside.get(fact[-1], 0)
        inside[fact[-1]] = inside.get(fact[-1], 0) + 1
        name = fact[1] if len(fact) > 2 else ""
        fill = colour(colors, carried[name]) if name in carried else STRONG
        shapes += _mover(x, y + CELL / 2 + 2, name, fill, INK if name in carried else PAPER)
    return shapes


def _mover(x: float, y: float, name: str, fill: str, ink: str) -> list[str]:
    """A disc, or where there is a name a plate wide enough for it."""
    if not name:
        return [disc(x, y, 11, fill)]
    width = max(22, 6 * len(name) + 4)
    return [box(x - width / 2, y - 9, width, 18, fill, INK), word(x, y, name, 9, ink)]


def _legend(facts: State, colors: list[str], picture: Mapping[str, Any], y: float) -> list[str]:
    """The colors that can be had."""
    names = sorted(fact[1] for fact in facts if fact[0] == picture.get("legend"))
    shapes: list[str] = []
    for number, name in enumerate(names):
        shapes.append(box(number * 70, y, 64, 18, colour(colors, name) or FILL, LINE))
        shapes.append(word(number * 70 + 32, y + 9, name, 10))
    return shapes
