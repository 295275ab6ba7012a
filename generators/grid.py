"""Grid: places with locks of several shapes, keys, and goals for keys, locks and the robot."""

from __future__ import annotations

import random
from collections.abc import Iterator

from orrery.generator_kit import Cell, Fault, ParameterSpace, adjacency, grid, numbered, shuffled, typed
from orrery.model import Atom, Generated, Limits, Parameters, Problem, Task, literals

DOMAIN = "grid"
TASKS: tuple[Task, ...] = tuple(Task("grid", goal, strict=True) for goal in ("deliver", "unlock", "visit"))
SHAPES = ("circle", "cross", "diamond", "heart", "square", "star")
WIDEST: Limits = {
    "rows": (1, 9), "columns": (2, 9), "shapes": (1, len(SHAPES)), "keys": (1, 9), "locks": (1, 20),
}  # fmt: skip
WALLS = 0.5  # the share of problems whose locks stand in a line
HELD = 0.15  # the share of problems in which the robot holds a key at first
HOPELESS = 10  # one problem in so many has a goal that nobody looked at
DRAWS = 60


# ---- parameters


def draw(task: Task, limits: Limits, rng: random.Random) -> Parameters:
    """Draw numbers of rows, columns, shapes, keys and locks within limits; ParameterError where none fit."""
    return SPACE.counts(task, limits, rng)


def _constraints(task: Task, parameters: Parameters) -> Iterator[Fault]:
    """Yield what the numbers violate together."""
    if parameters["locks"] > parameters["rows"] * parameters["columns"] - 1:
        yield "places", "needs a place without a lock for the robot"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, dict.fromkeys(WIDEST, int), _constraints)


# ---- problems


class _Layout:
    """Locks, keys and robot at random, and where the robot can get with the keys in its reach."""

    def __init__(self, parameters: Parameters, rng: random.Random, easy: bool) -> None:
        """Draw a layout; ``easy`` puts the robot and a key for the first lock next to that lock."""
        rows, columns, shapes = (parameters[name] for name in ("rows", "columns", "shapes"))
        self.cells = grid(rows, columns)
        self.near = adjacency(self.cells)
        self.shapes = rng.sample(SHAPES, shapes)
        locks = _locks(rows, columns, parameters["locks"], rng)
        self.lock = {cell: rng.choice(self.shapes) for cell in locks}
        free = [cell for cell in self.cells if cell not in self.lock]
        self.start = rng.choice(free)
        names = numbered("k", parameters["keys"])
        self.key = {name: rng.choice(self.shapes) for name in names}
        self.at = {name: rng.choice(self.cells) for name in names}
        self.held = names[-1] if rng.random() < HELD else None
        if easy:
            door = next(cell for cell in self.cells if cell in self.lock and set(self.near[cell]) & {*free})
            self.start = next(cell for cell in self.near[door] if cell in free)
            self.at["k1"], self.lock[door] = self.start, self.key["k1"]

    def reach(self) -> tuple[set[Cell], set[str]]:
        """Return the places and keys that the robot can reach.

        Nothing that is open ever closes and every key can be fetched again, so both only grow: the goal
        can be reached iff it speaks of these alone.
        """
        area, keys = {self.start}, {self.held} if self.held else set[str]()
        while True:
            keys |= {key for key, place in self.at.items() if place in area and key != self.held}
            shapes = {self.key[key] for key in keys}
            near = {n for cell in area for n in self.near[cell]}
            more = {n for n in near if n not in self.lock or self.lock[n] in shapes} - area
            if not more:
                return area, keys
            area |= more

    def facts(self, name: dict[Cell, str]) -> set[Atom]:
        """Return the initial state."""
        facts: set[Atom] = {("at-robot", name[self.start])}
        facts.add(("holding", self.held) if self.held else ("arm-empty",))
        facts |= {("at", key, name[place]) for key, place in self.at.items() if key != self.held}
        facts |= {("key-shape", key, shape) for key, shape in self.key.items()}
        facts |= {("lock-shape", name[cell], shape) for cell, shape in self.lock.items()}
        facts |= {("locked" if cell in self.lock else "open", name[cell]) for cell in self.cells}
        return facts | {("conn", name[cell], name[n]) for cell in self.cells for n in self.near[cell]}


def _locks(rows: int, columns: int, count: int, rng: random.Random) -> list[Cell]:
    """Draw the cells with locks: anywhere, or first along a row or column that they may close."""
    cells = shuffled(grid(rows, columns), rng)
    if rng.random() < WALLS:
        axis = rng.randrange(2)
        line = rng.choice(cells)[axis]
        cells.sort(key=lambda cell: cell[axis] != line)
    return cells[:count]


def build(task: Task, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``; ``rng`` gives the layout and the goal.

    Raises ParameterError naming the violated constraint.
    """
    SPACE.check(task, parameters)
    hopeless, goal = rng.randrange(HOPELESS) == 0, set[Atom]()
    for number in range(DRAWS + 1):
        layout = _Layout(parameters, rng, easy=number == DRAWS)
        name = {(row, column): f"p{row + 1}-{column + 1}" for row, column in layout.cells}
        places, keys = (set(layout.cells), set(layout.key)) if hopeless else layout.reach()
        if goal := _goal(task.goal, layout, sorted(places), sorted(keys), name, rng):
            break
    objects = typed({"place": name.values(), "key": layout.key, "shape": layout.shapes})
    init = frozenset(layout.facts(name))
    return Generated(Problem(task.name, DOMAIN, objects, init, literals(goal)), task)


def _goal(
    kind: str, layout: _Layout, places: list[Cell], keys: list[str], name: dict[Cell, str], rng: random.Random
) -> set[Atom]:
    """Draw what is to be done with these places and keys; empty where there is nothing to do."""
    behind = [place for place in places if place in layout.lock]
    if kind == "unlock":
        opened = rng.sample(behind, min(len(behind), rng.randint(1, 3)))
        return {("open", name[place]) for place in opened}
    if kind == "visit":
        far = behind if rng.random() < WALLS else [place for place in places if place != layout.start]
        return {("at-robot", name[rng.choice(far)])} if far else set()
    moved = rng.sample(keys, min(len(keys), rng.randint(1, 3)))
    ends = {key: [place for place in places if place != layout.at[key]] for key in moved}
    return {("at", key, name[rng.choice(ends[key])]) for key in moved if ends[key]}
