"""Grid: places with locks of several shapes, keys, and goals for keys, locks and the robot.

The text of the task *grid* names the places. The texts of other maps use rows and columns: *cells* with locks
anywhere; a *wall*, a column of locks of one shape; a *corridor* of one row; *two rooms* with a locked place
between them. On these maps the robot holds no key, and every goal is reachable. Their goals are about all
locks, the robot, or all keys.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from math import inf

from orrery.generator_kit import (
    Cell,
    Fault,
    ParameterSpace,
    adjacency,
    distances,
    grid,
    numbered,
    shuffled,
    typed,
)
from orrery.model import Atom, ConfigurationPair, Generated, Limits, Parameters, Problem, literals

DOMAIN = "grid"
_TOLD: Mapping[str, tuple[str, ...]] = {
    "cells": ("all_open", "arrive", "carry", "keys_home"),
    "wall": ("all_open", "arrive", "carry", "keys_home"),
    "corridor": ("all_open", "arrive", "carry"),
    "two_rooms": ("arrive", "carry", "keys_home"),
}
TASKS: tuple[ConfigurationPair, ...] = (
    *(ConfigurationPair("grid", goal, strict=True) for goal in ("deliver", "unlock", "visit")),
    # These goals refer to a map whose text uses no names.
    *(ConfigurationPair(init, goal, strict=True) for init, goals in _TOLD.items() for goal in goals),
)
SHAPES = ("circle", "cross", "diamond", "heart", "square", "star")
WIDEST: Limits = {
    "rows": (1, 9), "columns": (2, 9), "shapes": (1, len(SHAPES)), "keys": (1, 9), "locks": (1, 20),
}  # fmt: skip
WALLS = 0.5  # the share of problems with locks in a line
HELD = 0.15  # the share of problems in which the robot initially holds a key
HOPELESS = 10  # one of this many problems has a random goal that may be unreachable
DRAWS = 60
FITTING = 0.85  # the share of locks on maps without names that have the shape of a key
TOLD_DRAWS = 1000
SLOW = 800  # steps of a plan that takes a planner a second; problems of the longest band have fewer


# ---- parameters


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw numbers of rows, columns, shapes, keys and locks within limits; ParameterError if none fit.

    A map without names is drawn here completely. Cells are [row, column] from 1, followed by the number of a
    shape among the ``forms`` for each ``lock`` and ``key``. The robot begins at ``start``. ``there`` is the
    cell in the goal. ``door`` is the row of the door of two rooms, ``wall`` the column of the wall.
    """
    if task.init in _TOLD:
        ranges = {key: (max(1, low), high) for key, (low, high) in {**WIDEST, **limits}.items()}
        if any(low > high for low, high in ranges.values()) or ranges["columns"][1] < 2:
            return TOLD.required(task, None)
        return TOLD.attempt(task, lambda: _draw_told(task, ranges, rng), TOLD_DRAWS)
    return SPACE.counts(task, limits, rng)


def _constraints(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint between the numbers."""
    if parameters["locks"] > parameters["rows"] * parameters["columns"] - 1:
        yield "places", "needs a place without a lock for the robot"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, dict.fromkeys(WIDEST, int), _constraints)


# ---- maps without names


def _draw_told(task: ConfigurationPair, ranges: Limits, rng: random.Random) -> Parameters:
    """Draw a map with locks, keys and robot; the goal may still be unreachable."""
    parameters: Parameters = {key: rng.randint(*ranges[key]) for key in WIDEST}
    most = ranges["rows"][1] * ranges["columns"][1]
    if task.init == "corridor":
        parameters |= {"rows": 1, "columns": rng.randint(min(3, most), min(most, 9))}
    if task.init == "two_rooms":
        parameters |= {"rows": rng.randint(1, ranges["rows"][1]), "locks": 1}
        parameters["columns"] = rng.randint(1, max(1, (most // parameters["rows"] - 1) // 2))
        parameters["door"] = rng.randint(1, parameters["rows"])
    if task.init == "wall":
        parameters |= {"locks": parameters["rows"], "wall": rng.randint(2, max(2, parameters["columns"] - 1))}
    parameters["forms"] = sorted(rng.sample(range(len(SHAPES)), parameters["shapes"]))
    cells, keys = sorted(_told_board(task.init, parameters)), parameters["keys"]
    shapes = [rng.randrange(parameters["shapes"]) for _ in range(min(keys, len(cells)))]
    keys_by_cell = sorted(zip(rng.sample(cells, len(shapes)), shapes, strict=True))
    parameters["key"] = [[*cell, shape] for cell, shape in keys_by_cell]
    walls = _closed_cells(task.init, parameters)
    locked = sorted(walls or rng.sample(cells, min(parameters["locks"], len(cells) - 1)))
    fitting = shapes if rng.random() < FITTING else range(parameters["shapes"])
    lock_shapes = [rng.choice(fitting)] * len(locked) if walls else [rng.choice(fitting) for _ in locked]
    parameters["lock"] = [[*cell, shape] for cell, shape in zip(locked, lock_shapes, strict=True)]
    parameters["start"] = list(rng.choice([cell for cell in cells if cell not in locked]))
    if task.goal in ("arrive", "carry"):
        parameters["there"] = list(rng.choice(cells))
    return parameters


def _told_board(init: str, parameters: Parameters) -> dict[Cell, list[Cell]]:
    """Return the cells of a map, each with its neighbours. A doorway is between two rooms."""
    rows, columns = parameters["rows"], parameters["columns"]
    if init != "two_rooms":
        return adjacency(grid(rows, columns, 1))
    between = {(row, columns + 1) for row in range(1, rows + 1) if row != parameters["door"]}
    return adjacency([cell for cell in grid(rows, 2 * columns + 1, 1) if cell not in between])


def _closed_cells(init: str, parameters: Parameters) -> list[Cell]:
    """Return the cells that must be locked; empty if any cell may be locked."""
    rows = parameters["rows"]
    if init == "two_rooms":
        return [(parameters["door"], parameters["columns"] + 1)]
    return [(row, parameters["wall"]) for row in range(1, rows + 1)] if init == "wall" else []


def _told_constraints(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint on a map without names."""
    board = _told_board(task.init, parameters)
    keys, locks = ({(r, c): s for r, c, s in parameters[name]} for name in ("key", "lock"))
    start, must = _cell(parameters["start"]), _closed_cells(task.init, parameters)
    if len(parameters["forms"]) != parameters["shapes"] or not {*parameters["forms"]} <= {
        *range(len(SHAPES))
    }:
        yield "shapes", "takes as many forms as shapes, by number"
    if len(keys) < parameters["keys"] or len(locks) < parameters["locks"] or not keys.keys() <= board.keys():
        yield "places", "each key and lock is in a place of its own"
    if must and {*must} != locks.keys():
        yield "locks", "all places of a wall are locked, or the one between two rooms, and no others"
    if task.init == "wall" and not 1 < parameters["wall"] < parameters["columns"]:
        yield "wall", "a wall stands between other columns"
    if task.init == "wall" and len({*locks.values()}) > 1:
        yield "lock", "the locks of a wall have one shape: its text names one"
    if start not in board or start in locks or not locks.keys() <= board.keys():
        yield "start", "the robot starts at an open place of the map"
        return
    area = _reached(board, locks, keys, start)
    target = _cell(parameters["there"]) if "there" in parameters else start
    wanted = {"all_open": locks, "arrive": [target], "carry": [target, *keys], "keys_home": [start, *keys]}
    idle = {"arrive": target == start, "carry": {*keys} == {target}, "keys_home": {*keys} == {start}}
    if not {*wanted[task.goal]} <= area or idle.get(task.goal, False):
        yield task.goal, "the goal must be within reach, and not hold at first"


def _reached(
    board: Mapping[Cell, list[Cell]], locks: Mapping[Cell, int], keys: Mapping[Cell, int], start: Cell
) -> set[Cell]:
    """Return the cells that the robot can reach, including the cells that it can open."""
    opened: set[Cell] = set()
    while True:
        area = _area(start, board.__getitem__, locks.keys() - opened)
        shapes = {keys[cell] for cell in area & keys.keys()}
        unlocked = {n for cell in area for n in board[cell] if n in locks and locks[n] in shapes} - opened
        if not unlocked:
            return area
        opened |= unlocked


def _area(start: Cell, near: Callable[[Cell], list[Cell]], closed: Collection[Cell]) -> set[Cell]:
    """Return the cells reachable on foot without entering closed cells."""
    return set(distances(start, lambda cell: [neighbor for neighbor in near(cell) if neighbor not in closed]))


def _cell(pair: list[int]) -> Cell:
    row, column = pair
    return row, column


TOLD = ParameterSpace(DOMAIN, TASKS, WIDEST, None, _told_constraints)


def _built_told(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build a problem whose text uses no names of places and keys."""
    TOLD.check(task, parameters)
    board = _told_board(task.init, parameters)
    place = dict(zip(board, shuffled(numbered("p", len(board)), rng), strict=True))
    shapes, start = shuffled((SHAPES[form] for form in parameters["forms"]), rng), _cell(parameters["start"])
    keys = dict(zip(shuffled(numbered("k", len(parameters["key"])), rng), parameters["key"], strict=True))
    locks = {(row, column): shapes[shape] for row, column, shape in parameters["lock"]}
    facts: set[Atom] = {("at-robot", place[start]), ("arm-empty",)}
    facts |= {("at", key, place[row, column]) for key, (row, column, _) in keys.items()}
    facts |= {("key-shape", key, shapes[shape]) for key, (_, _, shape) in keys.items()}
    facts |= {("lock-shape", place[cell], shape) for cell, shape in locks.items()}
    facts |= {("locked" if cell in locks else "open", place[cell]) for cell in board}
    facts |= {("conn", place[cell], place[neighbor]) for cell, near in board.items() for neighbor in near}
    target = place[_cell(parameters["there" if "there" in parameters else "start"])]
    goals: dict[str, set[Atom]] = {
        "all_open": {("open", place[cell]) for cell in locks},
        "arrive": {("at-robot", target)},
        "carry": {("at", key, target) for key in keys},
        "keys_home": {("at", key, target) for key in keys},
    }
    objects = typed({"place": place.values(), "key": keys, "shape": shapes})
    problem = Problem(task.name, DOMAIN, objects, frozenset(facts), literals(goals[task.goal]))
    sizes: Parameters = {key: parameters[key] for key in ("rows", "columns", "keys")}
    sizes |= {"map": task.init, "places": len(place)}
    described: Parameters = {
        name: [[row, column, shapes[shape]] for row, column, shape in parameters[name]]
        for name in ("key", "lock")
    }
    described |= {name: parameters[name] for name in ("start", "wall", "door") if name in parameters}
    goal = {"there": parameters["there"]} if "there" in parameters else {}
    return Generated(problem, task, {**sizes, **described}, {**sizes, **goal})


# ---- problems


class _Layout:
    """Random locks, keys and robot, and the places that the robot can reach with the reachable keys."""

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

        Open locks never close and every key can be fetched again, so both sets only grow. A goal is reachable
        iff it uses only these places and keys.
        """
        area, keys = {self.start}, {self.held} if self.held else set[str]()
        while True:
            keys |= {key for key, place in self.at.items() if place in area and key != self.held}
            shapes = {self.key[key] for key in keys}
            near = {n for cell in area for n in self.near[cell]}
            reached = {n for n in near if n not in self.lock or self.lock[n] in shapes} - area
            if not reached:
                return area, keys
            area |= reached

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
    """Draw the cells with locks: anywhere, or first along a row or column, which they may close."""
    cells = shuffled(grid(rows, columns), rng)
    if rng.random() < WALLS:
        axis = rng.randrange(2)
        line = rng.choice(cells)[axis]
        cells.sort(key=lambda cell: cell[axis] != line)
    return cells[:count]


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. The layout and the goal are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    if task.init in _TOLD:
        return _built_told(task, parameters, rng)
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
    """Draw goal facts about these places and keys; empty if no fact of this kind is possible."""
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


# ---- closure


@dataclass(frozen=True)
class _Scene:
    """The initial state of a problem: ways, locks with their shapes, shapes and places of keys."""

    near: Mapping[str, list[str]]
    locks: Mapping[str, frozenset[str]]
    shapes: Mapping[str, frozenset[str]]
    at: Mapping[str, str]
    held: str | None
    start: str

    def reach(self, shut: str | None = None) -> tuple[set[str], set[str], set[str]]:
        """Return the reachable places, keys and opened locks if the lock ``shut`` is never opened.

        Open locks never close and every key can be fetched again, so all three sets only grow.
        """
        opened = set[str]()
        while True:
            area = self._area(self.locks.keys() - opened)
            keys = {key for key, place in self.at.items() if place in area}
            keys |= {self.held} if self.held else set()
            shapes = frozenset[str]().union(*(self.shapes[key] for key in keys))
            beside = {n for cell in area for n in self.near[cell]} & self.locks.keys()
            unlocked = {n for n in beside if self.locks[n] & shapes} - opened - {shut}
            if not unlocked:
                return area, keys, opened
            opened |= unlocked

    def _area(self, closed: Collection[str]) -> set[str]:
        return set(distances(self.start, lambda cell: [n for n in self.near[cell] if n not in closed]))

    def allows(self, goal: Collection[Atom], shut: str | None = None) -> bool:
        """Return whether some reachable state satisfies a goal that is free of contradictions."""
        area, keys, opened = self.reach(shut)
        free = self.near.keys() - self.locks.keys() | opened
        still = {("at", key, place) for key, place in self.at.items() if key not in keys}
        lacking = {fact for fact in goal if fact[0] == "at"} - still
        return (
            all(key in keys and place in area for _, key, place in lacking)
            and all(fact[1] in free for fact in goal if fact[0] == "open")
            and all(fact[1] in area for fact in goal if fact[0] == "at-robot")
            and all(fact[1] in keys for fact in goal if fact[0] == "holding")
        )


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """Return the fluent facts true in every reachable goal state, or None.

    The result is None if the goal has negative literals, requires a locked place, or is unreachable, or if
    the initial state is unsound. Open locks stay open. The robot can be at any reachable place, with the
    reachable keys at any of these places and one key in its arm. So a lock is open in all goal states iff the
    goal cannot be reached without opening it. All other facts of the closure are stated by the goal, or there
    is only one possible place.
    """
    scene = _read(problem)
    goal = {fact for fact in problem.goal_facts if fact[0] in FLUENT}
    kinds = [fact[0] for fact in goal]
    held = [fact[1] for fact in goal if fact[0] == "holding"]
    placed = {fact[1]: fact[2] for fact in goal if fact[0] == "at"}
    clash = len(held) + kinds.count("arm-empty") > 1 or kinds.count("at-robot") > 1
    clash = clash or len(placed) < kinds.count("at") or bool(placed.keys() & {*held})
    negative = len(problem.goal_facts) < len(problem.goal) or "locked" in kinds
    if scene is None or negative or clash or not problem.goal_facts - goal <= problem.init:
        return None
    if not scene.allows(goal):
        return None
    return frozenset(chain(goal, _forced(scene, goal, held, placed)))


FLUENT = ("arm-empty", "at", "at-robot", "holding", "locked", "open")


def _forced(scene: _Scene, goal: set[Atom], held: list[str], placed: Mapping[str, str]) -> Iterator[Atom]:
    """Yield the facts of the closure beyond the goal."""
    area, keys, opened = scene.reach()
    for place in scene.near:
        if place not in scene.locks or (place in opened and not scene.allows(goal, shut=place)):
            yield "open", place
        elif place not in opened:
            yield "locked", place
    yield from (("at", key, place) for key, place in scene.at.items() if key not in keys)
    loose = keys - placed.keys() - {*held}
    if not loose and not held:
        yield ("arm-empty",)
    if len(area) == 1:
        (only_cell,) = area
        yield "at-robot", only_cell
        if held or ("arm-empty",) in goal:
            yield from (("at", key, only_cell) for key in loose)


def _read(problem: Problem) -> _Scene | None:
    """Return the initial state; None if it is unsound, or if a way leads in one direction only."""
    facts_by_predicate: dict[str, list[Atom]] = {}
    for fact in sorted(problem.init):
        facts_by_predicate.setdefault(fact[0], []).append(fact[1:])
    places, keys = (
        {typed.name for typed in problem.objects if typed.types == (kind,)} for kind in ("place", "key")
    )
    near: dict[str, list[str]] = {place: [] for place in sorted(places)}
    for origin, neighbor in facts_by_predicate.get("conn", []):
        near[origin].append(neighbor)
    shape = {
        name: {
            key_or_place: frozenset(
                fact[1] for fact in facts_by_predicate.get(name, []) if fact[0] == key_or_place
            )
            for key_or_place in keys_or_places
        }
        for name, keys_or_places in (("key-shape", keys), ("lock-shape", places))
    }
    at, held = facts_by_predicate.get("at", []), [key for (key,) in facts_by_predicate.get("holding", [])]
    closed, free = ({place for (place,) in facts_by_predicate.get(name, [])} for name in ("locked", "open"))
    robots = [place for (place,) in facts_by_predicate.get("at-robot", [])]
    sound = (
        all(origin in near[neighbor] for origin, neighbors in near.items() for neighbor in neighbors)
        and sorted([key for key, _ in at] + held) == sorted(keys)
        and len(held) + (("arm-empty",) in problem.init) == 1
        and closed | free == places
        and not closed & free
        and len(robots) == 1
        and robots[0] in free
    )
    if not sound:
        return None
    locks = {place: shape["lock-shape"][place] for place in closed}
    argument_by_predicate = {fact[0]: fact[1] for fact in at}
    return _Scene(
        near, locks, shape["key-shape"], argument_by_predicate, held[0] if held else None, robots[0]
    )


# ---- long plans


class _Times:
    """Lower bounds on the number of steps before the robot is at a place, holds a key, or opens a lock.

    The robot is at a place one step after it is next to it, or later. It holds a key one step after it is at
    the place of the key, or later, and carries it along a shortest path at best. A lock is opened one step
    after the robot is next to it, and a fitting key has been carried there, or later.
    """

    def __init__(self, scene: _Scene) -> None:
        self.scene = scene
        self.lies = {**scene.at, **({scene.held: scene.start} if scene.held else {})}
        self.away = {key: distances(place, scene.near.__getitem__) for key, place in self.lies.items()}
        self.arrival = {**dict.fromkeys(scene.near, inf), scene.start: 0}
        links, later = [(place, n) for place in scene.near for n in scene.near[place]], True
        while later:
            later = False
            for place, neighbor in links:
                time = self._ready(place, neighbor) + 1
                if time < self.arrival[neighbor]:
                    self.arrival[neighbor], later = time, True

    def held(self, key: str) -> float:
        """Return the time before which the robot cannot hold a key."""
        return self.arrival[self.lies[key]] + (key != self.scene.held)

    def carried(self, key: str, place: str) -> float:
        """Return the time before which the robot cannot be at a place with a key that it has held."""
        return self.held(key) + self.away[key].get(place, inf)

    def of(self, fact: Atom) -> float:
        """Return the time before which a fact cannot hold that does not hold at first."""
        if fact[0] == "at":
            return self.carried(*fact[1:]) + 1
        if fact[0] == "holding":
            return self.held(fact[1])
        return self.arrival[fact[1]] - (fact[0] == "open") if fact[0] in ("at-robot", "open") else 0

    def _ready(self, place: str, neighbor: str) -> float:
        """Return the time before which the robot cannot be at ``place`` with ``neighbor`` open."""
        locks = self.scene.locks.get(neighbor)
        if locks is None:
            return self.arrival[place]
        keys = (key for key in self.lies if self.scene.shapes[key] & locks)
        return max(self.arrival[place], min((self.carried(key, place) for key in keys), default=inf)) + 1


def fewest_steps(problem: Problem) -> int | None:
    """Return a lower bound on the number of steps of every plan: the time before which the goal cannot hold.

    The result is None if the goal has several facts or is unreachable, or the initial state is unsound.
    """
    scene = _read(problem) if len(problem.goal) == 1 else None
    times = _Times(scene) if scene else None
    bound = max((times.of(fact) for fact in problem.goal_facts - problem.init), default=0) if times else inf
    return None if bound == inf else int(bound)


def ladder(steps: int, rng: random.Random) -> Problem:
    """Draw a corridor with locks at both ends; the key of each lies behind the one before, at the other end.

    The robot crosses the corridor for each key, and carries the last one away from its end. A shortest plan
    has at most ``steps`` steps, and hardly ever less than half of them.
    """
    crossings = rng.randint(2 + (steps > 25), min(2 + steps // 12, len(SHAPES)))
    gaps = [rng.randint(1, 1 + (steps > 10) + (steps > 50)) for _ in range(crossings - 1)]
    length = max(2, min(steps, SLOW) // (crossings + 1) - sum(gaps) - 1)
    ends, locks, keys = [1, length], dict[int, str](), [1]
    shapes = rng.sample(SHAPES, crossings - 1)
    for number, (shape, gap) in enumerate(zip(shapes, gaps, strict=True), 1):
        side, way = number % 2, 2 * (number % 2) - 1
        locks[ends[side] + way] = shape
        ends[side] += way * gap
        keys.append(ends[side])
    third = (ends[1] - ends[0]) // 3
    home = ends[0] + rng.randint(0, third) if keys[-1] > length else ends[1] - rng.randint(0, third)
    cells = list(range(ends[0], ends[1] + 1))[:: rng.choice((1, -1))]
    name = dict(zip(cells, numbered("p", len(cells)), strict=True))
    key_names = shuffled(numbered("k", len(keys)), rng)
    init: set[Atom] = {("at-robot", name[rng.randint(1, length)]), ("arm-empty",)}
    init |= {("locked" if cell in locks else "open", name[cell]) for cell in cells}
    init |= {("lock-shape", name[cell], shape) for cell, shape in locks.items()}
    init |= {("at", key, name[cell]) for key, cell in zip(key_names, keys, strict=True)}
    init |= {("key-shape", key, shape) for key, shape in zip(key_names, [*shapes, shapes[0]], strict=True)}
    for pair in pairwise(cells):
        init |= {("conn", name[first], name[second]) for first, second in (pair, pair[::-1])}
    objects = typed({"place": name.values(), "key": key_names, "shape": shapes})
    goal = literals({("at", key_names[-1], name[home])})
    return Problem("ladder", DOMAIN, objects, frozenset(init), goal)
