"""Places: who is where, as boxes with chips, and what travels in the vehicle.

Keys of the description: ``place``, types or static unary predicates; ``at``, predicates that put
a thing (first argument) in a place (last argument); ``here``, predicates that say where the vehicle is
(last argument, a place or the spot of one); ``aboard``, predicates that put a thing (first argument) in the
vehicle; ``vehicle``, its name; ``spot``, a predicate that says where the place itself (first argument) is;
``list``, a caption for predicates whose facts are listed below the places. A key that names several
predicates holds a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from orrery.model import Problem, State
from orrery.pictures.lists import with_lists
from orrery.pictures.svg import LINE, PAPER, STRONG, Scene, box, fitting, word

CHIP, LINE_HEIGHT, A_ROW, COLUMNS, GAP = 46, 26, 3, 3, 18
WIDTH = A_ROW * (CHIP + 6) + 14


def scene(facts: State, problem: Problem, picture: Mapping[str, Any]) -> Scene:
    """Return a box for each place.

    Passengers are drawn with their vehicle, or apart where it has no place.
    """
    things = {place: _things(facts, place, picture) for place in _places(facts, problem, picture)}
    here = {fact[-1] for fact in facts if fact[0] in _names(picture, "here")}
    aboard = sorted(fact[1] for fact in facts if fact[0] in _names(picture, "aboard"))
    vehicle = str(picture.get("vehicle", "vehicle"))
    spots = {fact[1]: fact[-1] for fact in sorted(problem.init) if fact[0] == picture.get("spot")}
    titles = {place: f"{place} ({spots[place]})" if place in spots else place for place in things}
    at = {place for place in things if {place, spots.get(place)} & here}
    boxes = [(titles[p], found, vehicle if p in at else "", aboard) for p, found in things.items()]
    if aboard and not here:
        boxes.append((f"in the {vehicle}", aboard, "", []))
    shapes: list[str] = []
    y = width = 0.0
    for start in range(0, len(boxes), COLUMNS):
        row = boxes[start : start + COLUMNS]
        height = max(_height(*part[1:]) for part in row)
        for column, part in enumerate(row):
            shapes += _place(column * (WIDTH + GAP), y, height, *part)
        y, width = y + height + GAP, max(width, len(row) * (WIDTH + GAP))
    return with_lists(Scene(tuple(shapes), width, y), facts, picture)


def _names(picture: Mapping[str, Any], key: str) -> list[str]:
    value = picture.get(key) or []
    return value if isinstance(value, list) else [value]


def _places(facts: State, problem: Problem, picture: Mapping[str, Any]) -> list[str]:
    kinds = {picture["place"]} if isinstance(picture["place"], str) else {*picture["place"]}
    typed = {each.name for each in problem.objects if kinds.intersection(each.types)}
    named = {fact[1] for fact in problem.init if fact[0] in kinds and len(fact) == 2}
    return sorted(typed | named, key=lambda name: (len(name), name))


def _things(facts: State, place: str, picture: Mapping[str, Any]) -> list[str]:
    found = {fact[1] for fact in facts if fact[0] in _names(picture, "at") and fact[-1] == place}
    return sorted(found, key=lambda name: (len(name), name))


def _a_row(names: list[str]) -> int:
    """Return how many chips fit side by side: fewer where a name is long."""
    longest = max(map(len, names), default=0)
    return A_ROW if longest < 9 else 2 if longest < 15 else 1


def _rows(names: list[str]) -> int:
    return -(-len(names) // _a_row(names))


def _height(things: list[str], vehicle: str, aboard: list[str]) -> float:
    lines = max(1, _rows(things)) + ((1 + _rows(aboard)) if vehicle else 0)
    return 32 + lines * LINE_HEIGHT + 6


def _place(
    x: float, y: float, height: float, name: str, things: list[str], vehicle: str, aboard: list[str]
) -> Iterator[str]:
    """Yield one place: its name, its contents, and at the bottom the vehicle with its load."""
    yield box(x, y, WIDTH, height, PAPER)
    yield fitting(x + 10, y + 16, name, WIDTH - 14, anchor="start")
    yield from _chips(x, y + 30, things, LINE)
    if vehicle:
        below = y + 30 + max(1, _rows(things)) * LINE_HEIGHT
        yield box(x + 7, below, WIDTH - 14, LINE_HEIGHT * (1 + _rows(aboard)) - 2, STRONG, STRONG)
        yield word(x + WIDTH / 2, below + LINE_HEIGHT / 2, vehicle, 13, PAPER)
        yield from _chips(x, below + LINE_HEIGHT - 2, aboard, PAPER)


def _chips(x: float, y: float, names: list[str], line: str) -> Iterator[str]:
    a_row = _a_row(names)
    chip = (A_ROW * (CHIP + 6) - 6 * a_row) / a_row
    for number, name in enumerate(names):
        left = x + 10 + number % a_row * (chip + 6)
        top = y + number // a_row * LINE_HEIGHT
        yield box(left, top, chip, LINE_HEIGHT - 5, line=line)
        yield fitting(left + chip / 2, top + (LINE_HEIGHT - 5) / 2, name, chip, size=11)
