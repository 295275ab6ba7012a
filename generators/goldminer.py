"""Goldminer: mines with a robot, bombs, a laser, and gold under soft rock."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from orrery.generator_kit import (
    Cell,
    Fault,
    ParameterSpace,
    adjacency,
    distances,
    grid,
    paths_of_tree,
    typed,
)
from orrery.model import Atom, ConfigurationPair, Generated, Limits, Parameters, Problem, literals

DOMAIN = "goldminer"
TASKS: tuple[ConfigurationPair, ...] = (
    *(ConfigurationPair("mine", goal, strict=True) for goal in ("gold", "home", "tunnel")),
    # A row of cells in which the gold is unreachable.
    ConfigurationPair("gallery", "gold", strict=True),
)
WIDEST: Limits = {"rows": (1, 9), "columns": (2, 9), "gold": (1, 20)}
HARD = 0.4  # the share of hard rock
BURIED = 0.3  # the share of lasers, and of stores of bombs, under rock
HOPELESS = 4  # in one of this many mines, rock closes the way to the gold and the laser
GALLERY = (4, 8)  # cells
DRAWS = 40


# ---- parameters


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw ``{"rows": n, "columns": n, "gold": n}`` within the limits; raise a ParameterError if none fit."""
    if task.init == "gallery":
        most = (limits.get(key, widest)[1] for key, widest in WIDEST.items())
        parameters = {"rows": 1, "columns": rng.randint(*GALLERY), "gold": 1}
        return SPACE.required(task, parameters if all(most) else None)
    return SPACE.size(task, limits, rng)


def _constraints(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint between the numbers."""
    if task.init == "gallery" and (parameters["rows"], parameters["gold"]) != (1, 1):
        yield "gallery", "has one row and one piece of gold"
    if parameters["rows"] * parameters["columns"] < parameters["gold"] + 3:
        yield "places", "needs two places without rock and one rock, besides those with gold"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, dict.fromkeys(WIDEST, int), _constraints)


# ---- problems


class _Mine:
    """A random mine: the content of its cells, and the robot's area without firing at gold."""

    def __init__(self, parameters: Parameters, rng: random.Random, easy: bool) -> None:
        """Draw a mine.

        ``easy`` puts both tools in the robot's initial area, so that the gold is reachable.
        """
        self.cells = grid(parameters["rows"], parameters["columns"])
        self.near = adjacency(self.cells)
        self.start = rng.choice(self.cells)
        self.clear = self._cave(rng, len(self.cells) - parameters["gold"] - 1)
        rocks = [cell for cell in self.cells if cell not in self.clear]
        self.gold = set(rng.sample(rocks, parameters["gold"]))
        plain_rocks = [cell for cell in rocks if cell not in self.gold]
        self.hard = {cell for cell in plain_rocks if rng.random() < HARD}
        self.bombs, self.laser = (
            rng.choice(plain_rocks if rng.random() < BURIED and not easy else sorted(self.clear))
            for _ in range(2)
        )

    def _cave(self, rng: random.Random, most: int) -> set[Cell]:
        """Draw two or more connected cells around the start, at most a third of the mine or ``most``."""
        cave, size = {self.start}, min(most, rng.randint(2, max(2, len(self.cells) // 3)))
        while len(cave) < size:
            cave.add(rng.choice(sorted({next_ for cell in cave for next_ in self.near[cell]} - cave)))
        return cave

    def area(self) -> set[Cell]:
        """Return the cells that the robot can enter with the reachable tools, without firing at gold.

        Removed rock never returns and both tools can be fetched again, so the area only grows.
        """
        area = {self.start}
        while reached := {n for cell in area for n in self.near[cell] if self._opens(n, area)} - area:
            area |= reached
        return area

    def _opens(self, cell: Cell, area: set[Cell]) -> bool:
        blown = cell not in self.hard and self.bombs in area
        return cell in self.clear or blown or (cell not in self.gold and self.laser in area)

    def facts(self, name: dict[Cell, str]) -> set[Atom]:
        """Return the initial state."""
        facts: set[Atom] = {("arm-empty",), ("robot-at", name[self.start])}
        facts |= {("bomb-at", name[self.bombs]), ("laser-at", name[self.laser])}
        facts |= {("gold-at", name[cell]) for cell in self.gold}
        for cell in self.cells:
            kind = "clear" if cell in self.clear else "hard-rock-at" if cell in self.hard else "soft-rock-at"
            facts.add((kind, name[cell]))
            facts |= {("connected", name[cell], name[neighbor]) for neighbor in self.near[cell]}
        return facts


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. The mine and the goals besides gold are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    SPACE.check(task, parameters)
    mine = _gallery(parameters, rng) if task.init == "gallery" else _mine(parameters, rng)
    name = {(row, column): f"c{row + 1}-{column + 1}" for row, column in mine.cells}
    goal: set[Atom] = {("holds-gold",)}
    if task.goal == "home":
        goal.add(("robot-at", name[mine.start]))
    if task.goal == "tunnel":
        goal |= {("clear", name[cell]) for cell in _tunnel(mine, rng)}
    objects = typed({"loc": name.values()})
    return Generated(Problem(task.name, DOMAIN, objects, frozenset(mine.facts(name)), literals(goal)), task)


def _mine(parameters: Parameters, rng: random.Random) -> _Mine:
    """Draw a mine with reachable gold and rock. One of ``HOPELESS`` mines is closed instead."""
    if rng.randrange(HOPELESS) == 0:
        return _closed(parameters, rng)
    for _ in range(DRAWS):
        mine = _Mine(parameters, rng, easy=False)
        if mine.gold & mine.area() and _rocks(mine, mine.area()):
            return mine
    return _Mine(parameters, rng, easy=True)


def _gallery(parameters: Parameters, rng: random.Random) -> _Mine:
    """Draw a row of cells with the bombs behind the only gold, and the laser near the robot.

    The laser destroys the gold on the way to the bombs. So the gold is unreachable, which only search shows.
    """
    mine = _Mine(parameters, rng, easy=False)
    row = mine.cells if rng.random() < 0.5 else mine.cells[::-1]
    mine.bombs, mine.gold = row[-1], {row[-2]}
    first = rng.randrange(len(row) - 3)
    mine.clear = set(row[first : first + 2])
    mine.start, mine.laser = rng.choice(sorted(mine.clear)), rng.choice(sorted(mine.clear))
    mine.hard = {cell for cell in _rocks(mine, row) if rng.random() < HARD}
    return mine


def _closed(parameters: Parameters, rng: random.Random) -> _Mine:
    """Draw a mine in which rock closes the way to gold and laser; any mine if no such mine is drawn."""
    for _ in range(DRAWS * 5):
        mine = _Mine(parameters, rng, easy=False)
        area = mine.area()
        if not mine.gold & area and mine.laser not in area:
            return mine
    return mine


def _rocks(mine: _Mine, among: Iterable[Cell]) -> list[Cell]:
    """Return the cells ``among`` the given ones that have rock and no gold, sorted."""
    return sorted(set(among) - mine.clear - mine.gold)


def _tunnel(mine: _Mine, rng: random.Random) -> list[Cell]:
    """Draw one to three rocks that the robot can remove, or any rocks if it can remove none."""
    rocks = _rocks(mine, mine.area()) or _rocks(mine, mine.cells)
    return rng.sample(rocks, rng.randint(1, min(3, len(rocks))))


# ---- long plans


@dataclass(frozen=True)
class _Tour:
    """What every plan does that ends with some gold (or none) and the robot at some cell (or any).

    The robot blasts each rock from the only cell before it, and returns to the store of bombs in between. It
    takes the gold after the last rock, because it cannot hold both.
    """

    near: Mapping[str, list[str]]
    store: str
    gold: str | None
    end: str | None

    def steps(self, start: str, stands: list[str], armed: bool) -> int:
        """Return the number of steps from ``start``, given the cells before the rocks.

        If the robot is ``armed``, it holds a bomb, and no rock is better for it than one of these.
        """
        if not stands:
            return self._last(start)
        if armed:
            reached = distances(start, self.near.__getitem__)
            return min(
                reached[stand] + 1 + self.steps(stand, stands[:number] + stands[number + 1 :], False)
                for number, stand in enumerate(stands)
            )
        away = distances(self.store, self.near.__getitem__)
        trips = sum(2 * away[stand] + 2 for stand in stands)
        return away[start] + trips + min(self._last(stand) - away[stand] for stand in stands)

    def _last(self, cell: str) -> int:
        """Return the number of steps from the last rock to the gold, and to the end."""
        stops = [cell, *([self.gold] if self.gold else []), *([self.end] if self.end else [])]
        walks = sum(distances(first, self.near.__getitem__)[second] for first, second in pairwise(stops))
        return walks + (self.gold is not None)


def fewest_steps(problem: Problem) -> int | None:
    """Return a lower bound on the number of steps of every plan, or None.

    It counts a tour to the soft rocks on the only ways to the gold and to the cells of the goal, for the gold
    that needs fewest. The result is None if there are several ways, or a laser, or not exactly one store.
    """
    cells: dict[str, list[str]] = {"gold-at": [], "soft-rock-at": []}
    near: dict[str, list[str]] = {place.name: [] for place in problem.objects}
    for kind, *names in sorted(problem.init):
        if kind == "connected":
            near[names[0]].append(names[1])
        else:
            cells.setdefault(kind, []).extend(names)
    starts, stores = cells.get("robot-at", []), cells.get("bomb-at", [])
    if {"holds-laser", "laser-at"} & cells.keys() or len(starts) != 1 or len(stores) != 1:
        return None
    paths = paths_of_tree(starts[0], near)
    if paths is None:
        return None
    opened = [fact[1] for fact in sorted(problem.goal_facts) if fact[0] in ("clear", "robot-at")]
    end = next((fact[1] for fact in sorted(problem.goal_facts) if fact[0] == "robot-at"), None)
    bounds = list[int]()
    for gold in cells["gold-at"] if ("holds-gold",) in problem.goal_facts - problem.init else [None]:
        on_the_way = set[str]().union(*(paths[cell] for cell in [*opened, *([gold] if gold else [])]))
        stands = [paths[rock][-2] for rock in cells["soft-rock-at"] if rock in on_the_way - {starts[0]}]
        bounds.append(_Tour(near, stores[0], gold, end).steps(starts[0], stands, "holds-bomb" in cells))
    return min(bounds, default=None)


def ladder(steps: int, rng: random.Random) -> Problem:
    """Draw tunnels from the store of bombs into soft rock, all to be cleared, with gold at the end of one.

    Rock is added to the tunnels as long as a shortest plan has at most 19 twentieths of ``steps``.
    """
    clear = [rng.randint(0, 1 + steps // 25) for _ in range(rng.randint(1, 3) if steps > 10 else 1)]
    starts = [f"c{number}-{cell}" for number, most in enumerate(clear, 1) for cell in range(1, most + 1)]
    start = rng.choice(["c0-0", *starts])
    rocks = [1 for _ in clear]
    longer = _tunnels(clear, rocks, start)
    while True:
        problem = longer
        rocks[rng.randrange(len(rocks))] += 1
        longer = _tunnels(clear, rocks, start)
        if (fewest_steps(longer) or 0) > steps * 19 // 20:
            return problem


def _tunnels(clear: list[int], rocks: list[int], start: str) -> Problem:
    """Return a mine with tunnels of so many clear cells and rocks, and the robot at ``start``."""
    tunnels = [
        ["c0-0", *(f"c{number}-{cell}" for cell in range(1, free + closed + 1))]
        for number, (free, closed) in enumerate(zip(clear, rocks, strict=True), 1)
    ]
    rock = {cell for tunnel, free in zip(tunnels, clear, strict=True) for cell in tunnel[free + 1 :]}
    cells = sorted({cell for tunnel in tunnels for cell in tunnel})
    links = [pair for tunnel in tunnels for pair in pairwise(tunnel)]
    init: set[Atom] = {("arm-empty",), ("robot-at", start), ("bomb-at", "c0-0"), ("gold-at", tunnels[0][-1])}
    init |= {("soft-rock-at" if cell in rock else "clear", cell) for cell in cells}
    init |= {("connected", *link) for pair in links for link in (pair, pair[::-1])}
    goal = {("holds-gold",), *(("clear", tunnel[-1]) for tunnel in tunnels[1:])}
    return Problem("ladder", DOMAIN, typed({"loc": cells}), frozenset(init), literals(goal))
