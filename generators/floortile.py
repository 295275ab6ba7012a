"""Floortile: floors whose upper rows are to be painted from below, by robots that paint shuts out."""

from __future__ import annotations

import random

from pipeline.model import (
    Atom,
    Generated,
    Limits,
    Pairing,
    Parameters,
    Problem,
    TypedName,
    ill_formed,
    literals,
    violated,
)

DOMAIN = "floortile"
PAIRINGS: tuple[Pairing, ...] = (
    Pairing("fresh", "checkerboard", strict=True),
    Pairing("fresh", "patches", strict=True),
    # Upper rows are painted already.
    Pairing("begun", "stripes", strict=True),
)
COLORS = ("black", "blue", "green", "red", "white", "yellow")
WIDEST: Limits = {
    "rows": (2, 9), "columns": (1, 9), "tiles": (2, 81), "robots": (1, 6), "colors": (1, len(COLORS)),
}  # fmt: skip
FORM = {"rows": int, "columns": int, "robots": int, "colors": int}
SCARCE = 0.25  # the share of problems in which a color, once put away, is lost
HOPELESS = 6  # one in so many floors that are begun has a tile more that is painted, fitting or not
DRAWS = 200

Cell = tuple[int, int]
Paint = dict[Cell, str]


# ---- parameters


def draw(pairing: Pairing, limits: Limits, rng: random.Random) -> Parameters:
    """Numbers of rows, columns, robots and colors within the limits, which may also bound ``tiles``.

    The lowest row, which no goal paints, counts among the rows. Raises ParameterError where nothing fits.
    """
    ranges = {**WIDEST, **limits}
    low, high = ranges["tiles"]
    for _ in range(DRAWS):
        parameters: Parameters = {name: rng.randint(*ranges[name]) for name in FORM}
        if low <= parameters["rows"] * parameters["columns"] <= high and not _fault(pairing, parameters):
            return parameters
    raise violated(DOMAIN, pairing, "limits", "no floor found within the limits that fits this task")


def _fault(pairing: Pairing, parameters: Parameters) -> tuple[str, str] | None:
    """The violated constraint and what it asks, or None."""
    if pairing not in PAIRINGS:
        return "pairing", "the domain has no such task"
    if (fault := ill_formed(parameters, FORM)) is not None:
        return fault
    for name, count in parameters.items():
        if not WIDEST[name][0] <= count <= WIDEST[name][1]:
            return name, f"needs {WIDEST[name][0]} to {WIDEST[name][1]}, not {count}"
    if parameters["robots"] > parameters["columns"]:
        return "robots", "needs a tile of the lowest row for each robot"
    if parameters["colors"] < _needed(pairing):
        return "colors", f"{pairing.goal} needs two colors"
    if pairing.init == "begun" and (parameters["rows"] - 1) * parameters["columns"] < 2:
        return "tiles", "needs one tile to be painted besides one that is"
    return None


def _needed(pairing: Pairing) -> int:
    return 1 if pairing.goal == "patches" else 2


# ---- problems


def build(pairing: Pairing, parameters: Parameters, rng: random.Random) -> Generated:
    """The problem of ``parameters``; ``rng`` gives colors, places, pattern and what is painted.

    All but the last robot can wait in the lowest row while one paints row after row from the top, always
    upwards, each from the row below; so what is fresh can be painted, and what is begun from the top too.
    Raises ParameterError naming the violated constraint.
    """
    if (fault := _fault(pairing, parameters)) is not None:
        raise violated(DOMAIN, pairing, *fault)
    rows, columns = parameters["rows"], parameters["columns"]
    name = {(r, c): f"t{r + 1}-{c + 1}" for r in range(rows) for c in range(columns)}
    colors = rng.sample(COLORS, parameters["colors"])
    offered = colors[1:] if len(colors) > _needed(pairing) and rng.random() < SCARCE else colors
    wanted = _pattern(pairing.goal, rows - 1, columns, offered, rng)
    painted, free = _begun(wanted, rows, columns, rng) if pairing.init == "begun" else ({}, sorted(name))
    places = rng.sample(free, parameters["robots"])
    if pairing.init == "begun" and rng.randrange(HOPELESS) == 0:
        painted |= _spilt(wanted, painted, places, offered, rng)
    robots = {f"r{number}": name[place] for number, place in enumerate(places, 1)}
    init = _floor(name) | {("robot-at", *pair) for pair in robots.items()}
    init |= {("robot-has", robot, rng.choice(colors)) for robot in robots}
    init |= {("available-color", color) for color in offered} | _paint(painted, name)
    init |= {("clear", name[cell]) for cell in name if cell not in painted and cell not in places}
    objects = [TypedName(each, ("tile",)) for each in name.values()]
    objects += [TypedName(color, ("color",)) for color in colors]
    objects += [TypedName(robot, ("robot",)) for robot in robots]
    goal = literals(_paint(wanted, name))
    return Generated(Problem(pairing.name, DOMAIN, tuple(sorted(objects)), frozenset(init), goal), pairing)


def _pattern(goal: str, rows: int, columns: int, colors: list[str], rng: random.Random) -> Paint:
    """The color wanted of each tile of the upper rows, or of some of them (patches)."""
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    if goal == "patches":
        chosen = sorted(rng.sample(cells, rng.randint(1, len(cells))))
        return {cell: rng.choice(colors) for cell in chosen}
    pair, across = rng.sample(colors, 2), rng.random() < 0.5
    if goal == "checkerboard":
        return {(row, column): pair[(row + column) % 2] for row, column in cells}
    return {(row, column): pair[(row if across else column) % 2] for row, column in cells}


def _begun(wanted: Paint, rows: int, columns: int, rng: random.Random) -> tuple[Paint, list[Cell]]:
    """The tiles that are painted as wanted, from the top, not all; and those below them all."""
    done = rng.randint(1, len(wanted) - 1)
    whole, more = divmod(done, columns)
    cells = [cell for cell in sorted(wanted) if cell[0] < whole]
    cells += rng.sample([cell for cell in sorted(wanted) if cell[0] == whole], more)
    below = [(row, c) for row in range(whole + (more > 0), rows) for c in range(columns)]
    return {cell: wanted[cell] for cell in cells}, below


def _spilt(wanted: Paint, painted: Paint, places: list[Cell], colors: list[str], rng: random.Random) -> Paint:
    """One tile more with paint of any color on it, where one is left without a robot."""
    left = [cell for cell in sorted(wanted) if cell not in painted and cell not in places]
    return {rng.choice(left): rng.choice(colors)} if len(left) > 1 else {}


def _paint(painted: Paint, name: dict[Cell, str]) -> set[Atom]:
    return {("painted", name[cell], color) for cell, color in painted.items()}


def _floor(name: dict[Cell, str]) -> set[Atom]:
    """Which tile lies which way of which; the first row is the highest."""
    steps = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
    return {
        (way, name[row + down, column + right], tile)
        for (row, column), tile in name.items()
        for way, (down, right) in steps.items()
        if (row + down, column + right) in name
    }
