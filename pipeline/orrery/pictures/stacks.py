"""Stacks: what lies on what, towers side by side, the held thing in the arm above.

Keys of the description: ``on``, and what the lowest of a tower stands on: ``on_table``, a predicate, or
``base``, a type whose objects are at the bottom themselves. ``holding``: a predicate whose last argument is
held, by the first if there are two. Where towers stand in several places: ``place``, a predicate that puts
bases, holders and vehicles (first argument) in a place (last); ``vehicle``, a type; ``aboard``, a predicate
that puts a thing (first) in a vehicle (last); ``holder``, the type of those that hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from orrery.model import Problem, State
from orrery.pictures.svg import INK, PAPER, STRONG, Scene, box, fitting, rule, word

WIDTH, HEIGHT, GAP, LINE, COLUMNS = 48, 34, 16, 22, 4
ANYWHERE = "anywhere"
Towers = list[tuple[list[str], bool]]  # from the bottom up, and whether the bottom is known to be one


def scene(facts: State, problem: Problem, picture: Mapping[str, Any]) -> Scene:
    """Return the towers in ``facts``, which for a goal may be partial."""
    towers, held = _towers(facts, problem, picture), _held(facts, picture)
    if "place" not in picture:
        return _table(towers, sorted(held))
    return _yards(towers, held, facts, problem, picture)


def _towers(facts: State, problem: Problem, picture: Mapping[str, Any]) -> Towers:
    """Return the towers, sorted by their bottoms, empty bases included."""
    above = {fact[2]: fact[1] for fact in facts if fact[0] == picture["on"]}
    if "base" in picture:
        standing = {each.name for each in problem.objects if picture["base"] in each.types}
    else:
        standing = {fact[1] for fact in facts if fact[0] == picture["on_table"]}
    bottoms = sorted(standing | (set(above) - set(above.values())))
    return [(_tower(bottom, above), bottom in standing) for bottom in bottoms]


def _tower(bottom: str, above: Mapping[str, str]) -> list[str]:
    """Return the names from the bottom up; a cycle, which no sound state has, is cut."""
    found = [bottom]
    while (upper := above.get(found[-1])) is not None and upper not in found:
        found.append(upper)
    return found


def _held(facts: State, picture: Mapping[str, Any]) -> dict[str, str]:
    """Return what is held, and by whom where that is stated."""
    found = [fact for fact in facts if fact[0] == picture.get("holding")]
    return {fact[-1]: fact[1] if len(fact) > 2 else "" for fact in found}


# ---- one table, one arm


def _table(towers: Towers, held: list[str]) -> Scene:
    highest = max((len(tower) for tower, _ in towers), default=0) + (2 if held else 0)
    width, floor = max(1, len(towers) + bool(held)) * (WIDTH + GAP), max(1, highest) * HEIGHT
    shapes = [rule(0, floor, width, floor, 3, INK), *_standing(towers, 0, floor)]
    shapes += _arm(width - WIDTH - GAP / 2, held)
    return Scene(tuple(shapes), width, floor + 16, stands=True)


def _standing(towers: Towers, left: float, floor: float) -> Iterator[str]:
    for number, (tower, grounded) in enumerate(towers):
        x = left + number * (WIDTH + GAP) + GAP / 2
        for level, name in enumerate(tower, start=1):
            yield from _block(x, floor - level * HEIGHT, name)
        if not grounded:
            yield word(x + WIDTH / 2, floor + 10, "...", 13)


def _block(x: float, y: float, name: str) -> list[str]:
    return [box(x, y, WIDTH, HEIGHT), fitting(x + WIDTH / 2, y + HEIGHT / 2, name, WIDTH)]


def _arm(x: float, held: list[str]) -> list[str]:
    """Return the held blocks hanging from the arm at the top."""
    shapes = []
    for number, name in enumerate(held):
        y = HEIGHT / 2 + number * HEIGHT
        shapes.append(rule(x + WIDTH / 2, 0, x + WIDTH / 2, y, 5, STRONG))
        shapes += _block(x, y, name)
    return shapes


# ---- several places, with holders and vehicles


@dataclass(frozen=True)
class _Yard:
    """The contents of one place: towers, holders with what they hold, vehicles with their loads."""

    name: str
    towers: Towers
    holders: Mapping[str, str]
    vehicles: Mapping[str, list[str]]

    @property
    def width(self) -> float:
        """As wide as the towers or the holders take."""
        return max(len(self.towers), len(self.holders), 2) * (WIDTH + GAP)

    @property
    def height(self) -> float:
        """Name, holders and what they hold, towers, vehicles with the rows of their loads."""
        levels = max((len(tower) for tower, _ in self.towers), default=0)
        lines = sum(self._lines(load) for load in self.vehicles.values())
        return 24 + 2.5 * HEIGHT * bool(self.holders) + levels * HEIGHT + 16 + lines * LINE

    def _lines(self, load: list[str]) -> int:
        return 1 + -(-len(load) // self._a_row)

    @property
    def _a_row(self) -> int:
        return int(self.width // (WIDTH + 4))

    def shapes(self, left: float, top: float) -> Iterator[str]:
        """Yield the yard with its top left corner there."""
        yield box(left, top, self.width, self.height, PAPER)
        yield word(left + 8, top + 13, self.name, 13, anchor="start")
        for number, (holder, thing) in enumerate(sorted(self.holders.items())):
            yield from _hoist(left + number * (WIDTH + GAP) + GAP / 2, top + 24, holder, thing)
        floor = top + self.height - 16 - LINE * sum(self._lines(load) for load in self.vehicles.values())
        if any(grounded for _, grounded in self.towers):
            yield rule(left + 4, floor, left + self.width - 4, floor, 3, INK)
        yield from _standing(self.towers, left, floor)
        for vehicle, load in sorted(self.vehicles.items()):
            yield from self._vehicle(left, floor + 12, vehicle, load)
            floor += LINE * self._lines(load)

    def _vehicle(self, left: float, top: float, name: str, load: list[str]) -> Iterator[str]:
        yield box(left + 4, top, self.width - 8, self._lines(load) * LINE - 3, STRONG, STRONG)
        yield word(left + self.width / 2, top + LINE / 2 - 1, name, 12, PAPER)
        for number, thing in enumerate(load):
            x, y = left + 7 + number % self._a_row * (WIDTH + 4), top + LINE * (1 + number // self._a_row)
            yield box(x, y - 1, WIDTH, LINE - 4)
            yield fitting(x + WIDTH / 2, y + LINE / 2 - 3, thing, WIDTH)


def _hoist(x: float, y: float, name: str, thing: str) -> Iterator[str]:
    """Yield a holder, and what hangs from it if anything does."""
    yield box(x, y, WIDTH, LINE, STRONG, STRONG)
    yield fitting(x + WIDTH / 2, y + LINE / 2, name, WIDTH, PAPER)
    if thing:
        yield rule(x + WIDTH / 2, y + LINE, x + WIDTH / 2, y + HEIGHT, 5, STRONG)
        yield from _block(x, y + HEIGHT, thing)


def _yards(
    towers: Towers, held: Mapping[str, str], facts: State, problem: Problem, picture: Mapping[str, Any]
) -> Scene:
    """Return a yard for each place, in rows; bases and holders are where the initial facts put them."""
    where = _where(facts, problem, picture)
    holding = {holder: thing for thing, holder in held.items()}
    holders = [each.name for each in problem.objects if picture["holder"] in each.types]
    vehicles = sorted(each.name for each in problem.objects if picture["vehicle"] in each.types)
    loads = {name: _load(name, facts, picture) for name in vehicles}
    yards = [
        _Yard(
            place,
            [tower for tower in towers if where.get(tower[0][0], ANYWHERE) == place],
            {name: holding.get(name, "") for name in holders if where.get(name, ANYWHERE) == place},
            {
                name: load
                for name, load in loads.items()
                if where.get(name, ANYWHERE if load else "") == place
            },
        )
        for place in [*sorted({*where.values()}), ANYWHERE]
    ]
    return _rows([yard for yard in yards if yard.name != ANYWHERE or yard.towers or yard.vehicles])


def _where(facts: State, problem: Problem, picture: Mapping[str, Any]) -> dict[str, str]:
    """Return the places of bases and holders, by the initial facts, and of vehicles, by the present ones."""
    fixed = {each.name for each in problem.objects if {picture["holder"], picture["base"]} & {*each.types}}
    moving = {each.name for each in problem.objects if picture["vehicle"] in each.types}
    at = [fact for fact in sorted(problem.init) if fact[0] == picture["place"] and fact[1] in fixed]
    at += [fact for fact in sorted(facts) if fact[0] == picture["place"] and fact[1] in moving]
    return {fact[1]: fact[-1] for fact in at}


def _load(vehicle: str, facts: State, picture: Mapping[str, Any]) -> list[str]:
    return sorted(fact[1] for fact in facts if fact[0] == picture["aboard"] and fact[-1] == vehicle)


def _rows(yards: list[_Yard]) -> Scene:
    """Return the yards in rows of ``COLUMNS``, each row as high as its highest."""
    shapes: list[str] = []
    top = width = 0.0
    for start in range(0, len(yards), COLUMNS):
        left = 0.0
        for yard in yards[start : start + COLUMNS]:
            shapes += yard.shapes(left, top)
            left += yard.width + GAP
        width = max(width, left)
        top += max(yard.height for yard in yards[start : start + COLUMNS]) + GAP
    return Scene(tuple(shapes), width, top)
