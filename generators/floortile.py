"""Floortile: floors with upper rows to be painted, and a planner that paints them from the top."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

from orrery.generator_kit import DRAWS, Cell, Fault, ParameterSpace, around, grid, shortest_path, typed
from orrery.model import Atom, ConfigurationPair, Generated, Limits, Parameters, Problem, Step, literals

DOMAIN = "floortile"
TASKS: tuple[ConfigurationPair, ...] = (
    ConfigurationPair("fresh", "checkerboard", strict=True),
    ConfigurationPair("fresh", "patches", strict=True),
    # Some upper rows are painted already.
    ConfigurationPair("begun", "stripes", strict=True),
    # One column, in which robots cannot pass each other.
    ConfigurationPair("corridor", "patches", strict=True),
)
COLORS = ("black", "blue", "green", "red", "white", "yellow")
WIDEST: Limits = {
    "rows": (2, 9), "columns": (1, 9), "tiles": (2, 81), "robots": (1, 6), "colors": (1, len(COLORS)),
}  # fmt: skip
KINDS = {"rows": int, "columns": int, "robots": int, "colors": int}
CORRIDOR = (4, 8)  # tiles
SCARCE = 0.25  # the share of problems in which a color is lost once a robot changes it
HOPELESS = 6  # one of this many partly painted floors has another painted tile of any color

Paint = dict[Cell, str]


# ---- parameters


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw numbers of rows, columns, robots and colors within the limits, which may also bound ``tiles``.

    The number of rows includes the lowest row, which no goal paints.
    Raise a ParameterError if no numbers within the limits fit the task.
    """
    ranges = {**WIDEST, **limits}
    low, high = ranges["tiles"]
    if task.init == "corridor":
        shortest, longest = CORRIDOR
        low, high = min(max(low, shortest), longest), min(max(high, shortest), longest)
        ranges |= {"columns": (1, 1), "rows": (low, high), "robots": (2, 2)}

    drawn: Iterator[Parameters] = ({key: rng.randint(*ranges[key]) for key in KINDS} for _ in range(DRAWS))
    sized = (parameters for parameters in drawn if low <= parameters["rows"] * parameters["columns"] <= high)
    return SPACE.required(
        task, next((parameters for parameters in sized if SPACE.fits(task, parameters)), None)
    )


def _constraints(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint between the numbers."""
    if task.init == "corridor":
        if parameters["columns"] != 1 or parameters["robots"] < 2:
            yield "corridor", "needs one column and two robots or more"
        if parameters["rows"] < parameters["robots"] + 2:
            yield "rows", "needs two tiles more than robots"
    elif parameters["robots"] > parameters["columns"]:
        yield "robots", "needs a tile of the lowest row for each robot"
    if parameters["colors"] < _needed(task):
        yield "colors", f"{task.goal} needs two colors"
    if task.init == "begun" and (parameters["rows"] - 1) * parameters["columns"] < 2:
        yield "tiles", "needs one tile to be painted besides one that is"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, KINDS, _constraints)


def _needed(task: ConfigurationPair) -> int:
    return 1 if task.goal == "patches" else 2


# ---- problems


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. Colors, places, pattern and painted tiles are drawn from ``rng``.

    All robots but one can wait in the lowest row. The last one paints row after row from the top, always
    upwards from the row below. So unpainted floors are solvable, and so are floors painted from the top.
    Raise a ParameterError that names the violated constraint.
    """
    SPACE.check(task, parameters)
    rows, columns = parameters["rows"], parameters["columns"]
    name = {(r, c): f"t{r + 1}-{c + 1}" for r, c in grid(rows, columns)}
    colors = rng.sample(COLORS, parameters["colors"])
    scarce = len(colors) > _needed(task) and task.init != "corridor" and rng.random() < SCARCE
    offered = colors[1:] if scarce else colors
    # In a corridor the other robots wait below the tiles that the highest one paints.
    above = rows - parameters["robots"] if task.init == "corridor" else rows - 1
    wanted = _pattern(task.goal, above, columns, offered, rng)
    painted, free = _begun(wanted, rows, columns, rng) if task.init == "begun" else ({}, sorted(name))
    places = rng.sample(free, parameters["robots"])
    if task.init == "begun" and rng.randrange(HOPELESS) == 0:
        painted |= _spilt(wanted, painted, places, offered, rng)
    robots = {f"r{number}": name[place] for number, place in enumerate(places, 1)}
    init = _floor(name) | {("robot-at", *pair) for pair in robots.items()}
    init |= {("robot-has", robot, rng.choice(colors)) for robot in robots}
    init |= {("available-color", color) for color in offered} | _paint(painted, name)
    init |= {("clear", name[cell]) for cell in name if cell not in painted and cell not in places}
    objects = typed({"tile": name.values(), "color": colors, "robot": robots})
    goal = literals(_paint(wanted, name))
    return Generated(Problem(task.name, DOMAIN, objects, frozenset(init), goal), task)


def _pattern(goal: str, rows: int, columns: int, colors: list[str], rng: random.Random) -> Paint:
    """Draw the goal colors of all tiles of the upper rows, or of some of them (patches)."""
    cells = grid(rows, columns)
    if goal == "patches":
        chosen = sorted(rng.sample(cells, rng.randint(1, len(cells))))
        return {cell: rng.choice(colors) for cell in chosen}
    pair, across = rng.sample(colors, 2), rng.random() < 0.5
    if goal == "checkerboard":
        return {(row, column): pair[(row + column) % 2] for row, column in cells}
    return {(row, column): pair[(row if across else column) % 2] for row, column in cells}


def _begun(wanted: Paint, rows: int, columns: int, rng: random.Random) -> tuple[Paint, list[Cell]]:
    """Draw tiles painted as in the goal, from the top, but not all; and the tiles below all of them."""
    done = rng.randint(1, len(wanted) - 1)
    whole, extra_tiles = divmod(done, columns)
    cells = [cell for cell in sorted(wanted) if cell[0] < whole]
    cells += rng.sample([cell for cell in sorted(wanted) if cell[0] == whole], extra_tiles)
    below = [(row, c) for row in range(whole + (extra_tiles > 0), rows) for c in range(columns)]
    return {cell: wanted[cell] for cell in cells}, below


def _spilt(wanted: Paint, painted: Paint, places: list[Cell], colors: list[str], rng: random.Random) -> Paint:
    """Draw one more painted tile of any color, if a tile without a robot is left."""
    free_cells = [cell for cell in sorted(wanted) if cell not in painted and cell not in places]
    return {rng.choice(free_cells): rng.choice(colors)} if len(free_cells) > 1 else {}


def _paint(painted: Paint, name: dict[Cell, str]) -> set[Atom]:
    return {("painted", name[cell], color) for cell, color in painted.items()}


def _floor(name: dict[Cell, str]) -> set[Atom]:
    """Return the adjacency of the tiles by direction; the first row is the highest."""
    return {
        (direction, name[cell], tile)
        for origin, tile in name.items()
        for direction, cell in around(origin, name)
    }


# ---- plans


class _Floor:
    """The current state of a plan, and the steps taken."""

    def __init__(self, problem: Problem) -> None:
        facts = sorted(problem.init)
        self.robots = {fact[1]: fact[2] for fact in facts if fact[0] == "robot-at"}
        self.has = {fact[1]: fact[2] for fact in facts if fact[0] == "robot-has"}
        self.clear = {fact[1] for fact in facts if fact[0] == "clear"}
        self.painted = {fact[1:] for fact in facts if fact[0] == "painted"}
        self.available = {fact[1] for fact in facts if fact[0] == "available-color"}
        self.directions: dict[str, dict[str, str]] = {}  # the neighbors of a tile, each with its direction
        for direction, tile, neighbor in (
            fact for fact in facts if fact[0] in ("up", "down", "left", "right")
        ):
            self.directions.setdefault(neighbor, {})[tile] = direction
        self.steps: list[Step] = []

    def beside(self, tile: str, direction: str) -> str | None:
        """Return the neighbor of ``tile`` in this direction."""
        return next(
            (neighbor for neighbor, its in self.directions.get(tile, {}).items() if its == direction), None
        )

    def depth(self, tile: str) -> int:
        """Return the number of tiles above; rows are counted from the top."""
        above, seen = self.beside(tile, "up"), {tile}
        while above is not None and above not in seen:
            seen.add(above)
            above = self.beside(above, "up")
        return len(seen)

    def path(self, robot: str, end: str) -> list[str] | None:
        """Return the tiles of a shortest path over clear tiles, beginning with the robot's tile.

        Return None if there is no path.
        """
        start = self.robots[robot]
        if start == end:
            return [start]
        tiles = shortest_path(
            start, lambda tile: sorted(self.directions.get(tile, {}).keys() & self.clear), {end}
        )
        return [start, *tiles] if tiles else None

    def walk(self, robot: str, tiles: list[str]) -> None:
        """Move the robot along the tiles, which begin with its own."""
        for origin, target in pairwise(tiles):
            self.steps.append((self.directions[origin][target], robot, origin, target))
            self.clear = (self.clear | {origin}) - {target}
            self.robots[robot] = target

    def make_room(self, tile: str) -> None:
        """Move the robot on ``tile`` to the next clear tile, if there is one."""
        robot = next((robot for robot, place in self.robots.items() if place == tile), None)
        near = sorted(
            set(self.directions.get(tile, {})) & self.clear,
            key=lambda neighbor: (-self.depth(neighbor), neighbor),
        )
        if robot is not None and near:
            self.walk(robot, [tile, near[0]])

    def paint(self, tile: str, color: str) -> bool:
        """Paint ``tile`` from below, with the robot on it or the nearest one; return success."""
        stand, on_it = self.beside(tile, "down"), [r for r, at in self.robots.items() if at == tile]
        if stand is None or self.directions.get(stand, {}).get(tile) != "up":
            return False
        if on_it and stand not in self.clear:
            self.make_room(stand)
        paths = {robot: self.path(robot, stand) for robot in on_it or sorted(self.robots)}
        possible = {
            r: path
            for r, path in paths.items()
            if path and (self.has.get(r) == color or color in self.available)
        }
        if not possible:
            return False
        robot = min(possible, key=lambda robot: (len(possible[robot]), robot))
        self.walk(robot, possible[robot])
        if tile not in self.clear or robot not in self.has:
            return False
        if self.has[robot] != color:
            self.steps.append(("change-color", robot, self.has[robot], color))
            self.has[robot] = color
        self.steps.append(("paint-up", robot, tile, stand, color))
        self.clear.discard(tile)
        self.painted.add((tile, color))
        return True


def plan(problem: Problem) -> list[Step] | None:
    """Return steps that paint the tiles of the goal from the top, each from below; None if that fails.

    In each row, tiles with a robot on them are painted first, while there is room to leave. If this method
    fails, the goal may still be reachable by painting downwards or with other robots.
    """
    if not all(literal.positive for literal in problem.goal):
        return None
    floor = _Floor(problem)
    wanted = {fact: floor.depth(fact[1]) for fact in sorted(problem.goal_facts - problem.init)}
    while wanted:
        fact = min(wanted, key=lambda fact: (wanted[fact], fact[1] not in floor.robots.values(), fact))
        if fact[0] != "painted" or not floor.paint(*fact[1:]):
            return None
        del wanted[fact]
    reached = frozenset(("painted", *painted_tile) for painted_tile in floor.painted)
    return floor.steps if problem.satisfied(reached) else None
