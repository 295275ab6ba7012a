"""Grids: cells placed by their adjacency, with their colors, marks and contents, and the agents that move.

Keys of the description:

- ``cell``: a type.
- ``up`` and ``right``: predicates (a is above b, a is right of b), optionally with ``down`` and ``left``. Or
  ``adjacent``: one predicate for all directions.
- ``mover``: a predicate with the agent's cell as its last argument. If there are two arguments, the first is
  the agent's name.
- ``carries``: a predicate (agent, color).
- ``painted``: a predicate (cell, color).
- ``marked``: a predicate (cell).
- ``legend``: a predicate whose argument is an available color.
- ``things``: predicates whose last argument is a cell, each with a word to write there. If the predicate has
  two arguments, the name of the thing is written.
- ``holds``: as ``things``, for the things that the agent holds.
- ``free``: a predicate of the cells that can be entered. ``free_word`` is the word for it in goals.
- ``cover``: predicates of the cells that cannot be entered, each with a word.
- ``sort``: static predicates (thing or cell, sort). The sort determines the color.
- ``tints``: colors for the names of colors and sorts. Other names get computed colors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from orrery.model import Atom
from orrery.pictures.layout import Spot, by_adjacency, by_direction
from orrery.pictures.svg import LETTER, Shape, box, colour, column, disc, fitting, group, rows, rule, word
from orrery.pictures.view import View, natural

SIDE, WIDE_SIDE, GAP = 60, 88, 12
MARK = "#a7c957"
COVERS = ("#d8b98f", "#a4a7ac", "#b98b73")
ROBOT = "robot"
DIRECTIONS = {"up": (0, -1), "down": (0, 1), "right": (1, 0), "left": (-1, 0)}


class Plate(NamedTuple):
    """An item in a cell: a colored text (or a disc if there is no text) and the facts that it states."""

    text: str
    facts: tuple[Atom, ...]
    tint: str = ""
    look: str = "plain"


class Fill(NamedTuple):
    """The background of a cell: a color or a look, captions, and the facts that these state."""

    facts: tuple[Atom, ...] = ()
    captions: tuple[str, ...] = ()
    tint: str = ""
    look: str = "paper"


def scene(view: View) -> Shape:
    """Return the grid with its contents. The initial facts determine its layout."""
    spots, colors = _spots(view), _colors(view)
    inside = _contents(view, colors)
    side = WIDE_SIDE if _most(view) > 2 else SIDE
    corners = {cell: (x * (side + GAP), y * (side + GAP)) for cell, (x, y) in spots.items()}
    fills = {cell: _fill(view, cell, colors) for cell in corners}
    shapes = _edges(view, corners, side)
    for cell, corner in corners.items():
        shapes.append(_cell(view, cell, corner, side, fills[cell]))
        plates = inside.pop(cell, [])
        shares = _shares(corner, side, plates, fills[cell])
        shapes += [_plate(view, share, plate) for share, plate in zip(shares, plates, strict=True)]
    homeless = [plate for plates in inside.values() for plate in plates]
    chips = [
        _plate(view, (0, 0, max(40.0, LETTER * 10 * len(plate.text) + 12), 20), plate)
        for plate in [*_legend(view, colors), *homeless]
    ]
    grid = group(shapes)
    notes = _notes(view, fills)
    return column([grid, rows([*chips, *notes], max(grid.width, 260), 8)], 12)


def _spots(view: View) -> dict[str, Spot]:
    cells, facts, picture = view.objects(view.picture["cell"]), sorted(view.problem.init), view.picture
    if "adjacent" in picture:
        return (
            by_adjacency(cells, [(f[1], f[2]) for f in facts if f[0] == picture["adjacent"]]) if cells else {}
        )
    directions = {picture[key]: DIRECTIONS[key] for key in ("up", "right")}
    shifts = [(fact[1], fact[2], directions[fact[0]]) for fact in facts if fact[0] in directions]
    return by_direction(cells, shifts)


def _most(view: View) -> int:
    """Return the maximum number of things in one cell, over the given facts and the initial facts."""
    kinds = {*view.picture.get("things", {}), view.picture["mover"]}
    counts = [Counter(f[-1] for f in facts if f[0] in kinds) for facts in (view.facts, view.problem.init)]
    return max((number for count in counts for number in count.values()), default=0)


def _colors(view: View) -> list[str]:
    """Return all names used as a color or sort in the problem, in natural order (b2 before b10)."""
    picture = view.picture
    everything = view.problem.init | view.problem.goal_facts | view.facts
    kinds = (picture.get("painted"), picture.get("carries"), picture.get("legend"), *picture.get("sort", ()))
    return sorted({fact[-1] for fact in everything if fact[0] in kinds}, key=natural)


def _edges(view: View, corners: Mapping[str, Spot], side: float) -> list[Shape]:
    """Return a line in the gap between each two neighbours. A dot marks the end of a one-way line."""
    keys = [view.picture[key] for key in ("adjacent", *DIRECTIONS) if key in view.picture]
    between: dict[tuple[str, str], list[Atom]] = {}
    for fact in view.of(*keys):
        if fact[1] in corners and fact[2] in corners and fact[1] != fact[2]:
            between.setdefault((min(fact[1:]), max(fact[1:])), []).append(fact)
    shapes = []
    for (origin, neighbor), facts in sorted(between.items()):
        (x1, y1), (x2, y2) = ((x + side / 2, y + side / 2) for x, y in (corners[origin], corners[neighbor]))
        line = [rule(x1, y1, x2, y2)]
        if facts[0][0] == view.picture.get("adjacent") and len(facts) == 1:
            ahead = 0.5 if facts[0][1:] == (origin, neighbor) else -0.5
            line.append(disc((x1 + x2) / 2 + ahead * 0.04 * (x2 - x1), (y1 + y2) / 2, 3))
        shapes.append(view.mark(line, *facts))
    return shapes


def _fill(view: View, cell: str, colors: list[str]) -> Fill:
    """Return the look and the captions of a cell."""
    picture, facts = view.picture, view.facts | view.ground
    painted = [fact for fact in view.of(picture.get("painted")) if fact[1] == cell]
    free = (str(picture.get("free")), cell)
    states_free = (free,) if free in view.facts else ()
    if painted:
        return Fill(
            tuple(painted), ("+".join(fact[2] for fact in painted),), _tint(view, colors, painted[0][2])
        )
    sorts = [fact for fact in view.of(*picture.get("sort", ())) if fact[1] == cell]
    sort = sorts[0][2] if sorts else ""
    for (kind, text), cover in zip(picture.get("cover", {}).items(), COVERS, strict=False):
        if (kind, cell) in view.facts:
            tint = _tint(view, colors, sort) if sort else cover
            return Fill(((kind, cell), *sorts[:1]), (text, sort) if sort else (text,), tint)
    if view.partial:
        captions = (str(picture.get("free_word", "")),) if states_free else ()
        marked = (str(picture.get("marked")), cell)
        if marked in facts:
            return Fill((marked,), (), MARK)
        return Fill(states_free, captions, "", "paper" if states_free else "ghost")
    if "free" in picture and free not in facts and not _has_agent(view, cell):
        return Fill(tuple(sorts[:1]), (sort,) if sort else (), "", "shade")
    marked = (str(picture.get("marked")), cell)
    if marked in facts:
        return Fill((marked,), (), MARK)
    return Fill((*states_free, *sorts[:1]), (sort,) if sort else ())


def _has_agent(view: View, cell: str) -> bool:
    """Return whether an agent is in the cell. Such a cell needs no shade."""
    return any(fact[-1] == cell for fact in view.of(view.picture["mover"]))


def _cell(view: View, name: str, corner: Spot, side: float, fill: Fill) -> Shape:
    x, y = corner
    look = "dark" if fill.tint else ""
    shapes = [box(x, y, side, side, fill.look, fill.tint)]
    shapes.append(view.name(x + side / 2, y + 10, name, side - 6, look, 10))
    for line, text in enumerate(reversed(fill.captions)):
        shapes.append(fitting(x + side / 2, y + side - 9 - 12 * line, text, side - 6, look, 10))
    return view.mark(shapes, *fill.facts) if view.facts.intersection(fill.facts) else group(shapes)


def _contents(view: View, colors: list[str]) -> dict[str, list[Plate]]:
    """Return the contents of each cell, with the agents last.

    The key "" contains the things that an agent without a known place holds.
    """
    inside: dict[str, list[Plate]] = {}
    picture = view.picture
    texts_by_predicate, holds = picture.get("things", {}), picture.get("holds", {})
    sorts = {fact[1]: fact for fact in view.of(*picture.get("sort", ()))}
    for fact in (fact for fact in view.of(*texts_by_predicate) if fact in view.facts):
        inside.setdefault(fact[-1], []).append(
            _plate_of_thing(view, fact, texts_by_predicate[fact[0]], sorts, colors)
        )
    held = [fact for fact in view.of(*holds) if fact in view.facts]
    carried = {fact[1]: fact for fact in view.of(picture.get("carries"))}
    movers = [fact for fact in view.of(picture["mover"]) if fact in view.facts]
    load = "+".join(holds[fact[0]] or fact[1] for fact in held)
    nameless = f"{ROBOT}: {load}" if load else ROBOT if holds else ""
    sorted_of = tuple(sorts[fact[-1]] for fact in held if fact[-1] in sorts)
    for fact in movers:
        name = fact[1] if len(fact) > 2 else nameless
        if name in carried:
            color = carried[name][2]
            plate = Plate(f"{name} {color}", (fact, carried[name]), _tint(view, colors, color))
        else:
            plate = Plate(name, (fact, *held, *sorted_of), "", "strong")
        inside.setdefault(fact[-1], []).append(plate)
    placed = {fact[1] for fact in movers if len(fact) > 2}
    for name, fact in carried.items():
        if name not in placed:
            plate = Plate(f"{name} {fact[2]}", (fact,), _tint(view, colors, fact[2]))
            inside.setdefault("", []).append(plate)
    if held and not movers:
        inside.setdefault("", []).append(Plate(nameless, (*held, *sorted_of), "", "strong"))
    return inside


def _plate_of_thing(view: View, fact: Atom, text: str, sorts: Mapping[str, Atom], colors: list[str]) -> Plate:
    """Return the plate of a thing in a cell: its name and sort, or the word of the description."""
    if text or fact[1] not in sorts:
        return Plate(text or fact[1], (fact,))
    sort = sorts[fact[1]]
    return Plate(f"{fact[1]} {sort[2]}", (fact, sort), _tint(view, colors, sort[2]))


def _tint(view: View, colors: list[str], name: str) -> str:
    """Return the fill color of a color name or sort."""
    return str(view.picture.get("tints", {}).get(name) or colour(colors, name))


def _shares(
    corner: Spot, side: float, plates: list[Plate], fill: Fill
) -> list[tuple[float, float, float, float]]:
    """Return center, width and height of each of ``plates`` between the name of the cell and its captions."""
    if not plates:
        return []
    room = side - 20 - 12 * len(fill.captions)
    columns = 1 if len(plates) * 15 <= room or len(plates) < 3 else 2
    lines = -(-len(plates) // columns)
    longest = max(len(plate.text) for plate in plates)
    width, height = min((side - 4) / columns, 7 * longest + 8), min(22, room / lines)
    min_x, min_y = corner[0] + (side - width * columns) / 2, corner[1] + 18 + (room - height * lines) / 2
    return [
        (min_x + width * (number % columns + 0.5), min_y + height * (number // columns + 0.5), width, height)
        for number in range(len(plates))
    ]


def _plate(view: View, share: tuple[float, float, float, float], plate: Plate) -> Shape:
    """Return a plate with its text, or a disc if it has no text."""
    x, y, width, height = share
    if not plate.text:
        return view.mark([disc(x, y, 11)], *plate.facts)
    look = "pale" if plate.look == "strong" else "dark" if plate.tint else ""
    look += " asked" if view.asked.intersection(plate.text.split()) else ""
    shape = box(
        x - width / 2 + 0.5, y - height / 2 + 0.5, width - 1, height - 1, f"{plate.look} edged", plate.tint
    )
    size = min(10, height - 1.5)
    shapes = [shape, fitting(x, y, plate.text, width - 4, look.strip(), size)]
    return view.mark(shapes, *plate.facts) if plate.facts else group(shapes)


def _legend(view: View, colors: list[str]) -> list[Plate]:
    """Return plates for the available colors and for the sorts. Unavailable colors have no edge."""
    offered = {fact[-1]: fact for fact in view.of(view.picture.get("legend"))}
    kinds = {fact[-1] for fact in view.of(*view.picture.get("sort", ()))}
    entries = []
    for color in colors:
        if color in offered and offered[color] in view.facts:
            entries.append(Plate(color, (offered[color],), _tint(view, colors, color)))
        elif (color in kinds or color in offered) and not view.partial:
            entries.append(Plate(color, (), _tint(view, colors, color)))
    return entries


def _notes(view: View, fills: Mapping[str, Fill]) -> list[Shape]:
    """Return the meaning of the marks, shades and discs that the grid uses."""
    free, marked, mover = (view.picture.get(key) for key in ("free", "marked", "mover"))
    shaded = free and any(fill.look == "shade" for fill in fills.values())
    chips = [(box(0, 0, 16, 16, "shade"), f"not {free}")] if shaded else []
    if marked and any(fill.tint == MARK for fill in fills.values()):
        chips.append((box(0, 0, 16, 16, "plain", MARK), str(marked)))
    if any(len(fact) == 2 for fact in view.of(mover)) and not view.picture.get("holds"):
        chips.append((disc(8, 8, 8), str(mover)))
    return [rows([chip, word(0, 8, text, 11, "dim", "start")], 200, 6) for chip, text in chips]
