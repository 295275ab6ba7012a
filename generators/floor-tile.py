"""Floor-tile as Planetarium simplifies it: its configurations, a planner and the closure of goals.

Robots walk over tiles and paint the tiles next to them; nothing blocks and nothing is unset.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product

from pipeline.model import (
    Atom,
    Generated,
    Limits,
    Pairing,
    ParameterError,
    Parameters,
    Problem,
    Step,
    TypedName,
    literals,
)

DOMAIN = "floor-tile"
PAIRINGS: tuple[Pairing, ...] = (
    *(Pairing("grid", goal) for goal in ("all_different", "checkerboard", "paint_all", "paint_x")),
    *(Pairing("rings", goal) for goal in ("checkerboard", "paint_all", "paint_x", "rings")),
    Pairing("disconnected_rows", "disconnected_rows", tied=True),
)
WIDEST: Limits = {"rows": (1, 12), "columns": (1, 12), "tiles": (2, 49), "colors": (1, 49), "robots": (1, 7)}

Cell = tuple[int, int]
Board = dict[Cell, str]


def draw(pairing: Pairing, limits: Limits, rng: random.Random) -> Parameters:
    """Sizes and the way robots start, within ``limits`` (rows, columns, tiles, colors, robots).

    Raises ParameterError where no size within the limits satisfies the constraints of the pairing.
    """
    ranges = {**WIDEST, **limits}
    if pairing.tied:
        return {"lengths": _draw_lengths(pairing, ranges, rng)}
    rows, columns = rng.choice(_shapes(pairing, ranges))
    fewest = _colors_needed(pairing.goal, rows, columns)
    lowest, highest = ranges["colors"]
    # A few colors beyond those needed are enough: more only lengthen the text.
    colors = rng.randint(max(fewest, lowest), min(highest, max(fewest, lowest) + 3))
    robots = rng.randint(*ranges["robots"])
    parameters: Parameters = {"rows": rows, "columns": columns} if pairing.init == "grid" else {"size": rows}
    parameters |= {"colors": colors, "robots": robots}
    parameters["start"] = rng.choice(_starts(pairing.init, rows, columns, robots))
    parameters["held"] = rng.choice(("same", "own") if 2 <= robots <= colors else ("same",))
    if pairing.goal == "paint_x":
        parameters["palette"] = rng.randint(1, min(2, colors))
    return parameters


def _draw_lengths(pairing: Pairing, ranges: Limits, rng: random.Random) -> list[int]:
    """Row lengths, sorted; each row has a robot of its own, so rows obey the limits on robots and colors."""
    lowest = max(1, *(ranges[name][0] for name in ("rows", "robots", "colors")))
    highest = min(ranges[name][1] for name in ("rows", "robots", "colors"))
    shortest, longest = max(2, ranges["columns"][0]), ranges["columns"][1]
    low, high = ranges["tiles"]
    counts = [n for n in range(lowest, highest + 1) if n * shortest <= high and n * longest >= low]
    if not counts or shortest > longest:
        raise _violated(pairing, "lengths", "no rows of two tiles or more fit the limits")
    count = rng.choice(counts)
    lengths = [shortest] * count
    for _ in range(rng.randint(max(low, sum(lengths)), min(high, count * longest)) - sum(lengths)):
        lengths[rng.choice([i for i in range(count) if lengths[i] < longest])] += 1
    return sorted(lengths)


def _shapes(pairing: Pairing, ranges: Limits) -> list[tuple[int, int]]:
    """All (rows, columns) within the limits that the pairing can be built on."""
    sides = [range(ranges[side][0], ranges[side][1] + 1) for side in ("rows", "columns")]
    low, high = ranges["tiles"]
    found = [
        (rows, columns)
        for rows, columns in product(*sides)
        if low <= rows * columns <= high
        and _shape_fault(pairing, rows, columns) is None
        and _colors_needed(pairing.goal, rows, columns) <= ranges["colors"][1]
    ]
    if not found:
        raise _violated(pairing, "tiles", "no grid within the limits has the shape and colors it needs")
    return found


def _shape_fault(pairing: Pairing, rows: int, columns: int) -> tuple[str, str] | None:
    """The violated constraint on the shape and what it asks, or None."""
    if rows < 1 or columns < 1 or rows * columns < 2:
        return "tiles", "needs at least two tiles"
    if "rings" in (pairing.init, pairing.goal) and (rows != columns or rows < 2):
        return "rings", "needs a square of side two or more"
    if pairing.goal == "paint_x" and (rows != columns or rows < 3):
        return "paint_x", "needs a square of side three or more, or the diagonals make no X"
    return None


def _colors_needed(goal: str, rows: int, columns: int) -> int:
    """The fewest colors with which a goal can be stated."""
    return {"all_different": rows * columns, "checkerboard": 2, "rings": (rows + 1) // 2}.get(goal, 1)


def _starts(init: str, rows: int, columns: int, robots: int) -> list[str]:
    """The ways in which so many robots can start, as the templates name them."""
    if init == "rings":
        return ["corner"] + ["center"] * (rows > 2) + ["one_per_ring"] * (2 <= robots <= (rows + 1) // 2)
    lines = ["left_column"] * (2 <= robots <= rows) + ["top_row"] * (2 <= robots <= columns)
    return ["corner", "scattered", *lines]


def _violated(pairing: Pairing, constraint: str, problem: str) -> ParameterError:
    return ParameterError(
        f"{DOMAIN}/{pairing.name}",
        f"constraint '{constraint}': {problem}",
        "change the parameters or the limits of domains/floor-tile/domain.yaml",
    )


def build(pairing: Pairing, parameters: Parameters, rng: random.Random) -> Generated:
    """The problem of ``parameters``; ``rng`` gives the names and what the parameters leave open.

    Raises ParameterError naming the violated constraint.
    """
    if pairing not in PAIRINGS:
        raise _violated(pairing, "pairing", "the domain has no such task")
    return (_build_rows if pairing.tied else _build_board)(pairing, parameters, rng)


def _shuffled(kind: str, count: int, rng: random.Random) -> list[str]:
    names = [f"{kind}{number}" for number in range(1, count + 1)]
    rng.shuffle(names)
    return names


def _problem(
    pairing: Pairing, board: Board, robots: list[str], colors: list[str], init: set[Atom], goal: set[Atom]
) -> Problem:
    """The problem with the adjacency of ``board`` added to ``init``."""
    named = {"tile": board.values(), "robot": robots, "color": colors}
    objects = sorted(TypedName(name, (kind,)) for kind, names in named.items() for name in names)
    return Problem(pairing.name, DOMAIN, tuple(objects), frozenset(init | _adjacency(board)), literals(goal))


def _build_rows(pairing: Pairing, parameters: Parameters, rng: random.Random) -> Generated:
    lengths = sorted(parameters["lengths"])
    if not lengths or lengths[0] < 2:
        raise _violated(pairing, "lengths", "nobody can paint the tile of a row that has only one")
    tiles, robots = _shuffled("tile", sum(lengths), rng), _shuffled("robot", len(lengths), rng)
    colors = _shuffled("color", len(lengths), rng)
    # An empty line between rows keeps them apart.
    cells = [(2 * row, column) for row, length in enumerate(lengths) for column in range(length)]
    board = dict(zip(cells, tiles, strict=True))
    init: set[Atom] = {("robot-has", robot, color) for robot, color in zip(robots, colors, strict=True)}
    init |= {("robot-at", robot, board[2 * row, 0]) for row, robot in enumerate(robots)}
    goal: set[Atom] = {
        ("painted", board[2 * row, column], color)
        for row, (color, length) in enumerate(zip(colors, lengths, strict=True))
        for column in (0, length - 1)
    }
    problem = _problem(pairing, board, robots, colors, init, goal)
    return Generated(problem, pairing, {"lengths": lengths}, {"lengths": lengths})


def _build_board(pairing: Pairing, parameters: Parameters, rng: random.Random) -> Generated:
    names = ("size", "size") if pairing.init == "rings" else ("rows", "columns")
    rows, columns = (parameters[name] for name in names)
    _check_board(pairing, parameters, rows, columns)
    cells = list(product(range(rows), range(columns)))
    board = dict(zip(cells, _shuffled("tile", len(cells), rng), strict=True))
    robots = _shuffled("robot", parameters["robots"], rng)
    colors = _shuffled("color", parameters["colors"], rng)
    starts = _places(pairing.init, parameters["start"], rows, columns, len(robots), rng)
    places = dict(sorted(zip(robots, starts, strict=True)))
    held = colors if parameters["held"] == "own" else [colors[0]] * len(robots)
    init: set[Atom] = {("available-color", color) for color in colors}
    init |= {("robot-at", robot, board[place]) for robot, place in places.items()}
    init |= {("robot-has", robot, color) for robot, color in zip(robots, held, strict=False)}
    rng.shuffle(colors)
    pattern = _pattern(pairing.goal, cells, rows, parameters.get("palette", 1))
    goal: set[Atom] = {("painted", board[cell], colors[index]) for cell, index in pattern}
    wanted = {"palette": parameters.get("palette", 1), "rings": (rows + 1) // 2}
    problem = _problem(pairing, board, robots, colors, init, goal)
    return Generated(problem, pairing, _told(pairing, parameters, board, places, rows), wanted)


def _check_board(pairing: Pairing, parameters: Parameters, rows: int, columns: int) -> None:
    """Raise ParameterError where a constraint of the configuration does not hold."""
    colors, robots, start, held = (parameters[name] for name in ("colors", "robots", "start", "held"))
    needed = _colors_needed(pairing.goal, rows, columns)
    palette = parameters.get("palette", 1)
    own = held == "own" and robots <= colors
    checks = (
        (robots >= 1, "robots", "needs at least one robot"),
        (colors >= needed, "colors", f"needs {needed} colors, not {colors}"),
        (start in _starts(pairing.init, rows, columns, robots), "start", f"{robots} robots cannot start so"),
        (own or held == "same", "held", "robots hold the 'same' color, or each its 'own'"),
        (1 <= palette <= min(2, colors), "palette", "an X takes one color, or two where there are two"),
    )
    faults = [(constraint, problem) for holds, constraint, problem in checks if not holds]
    if fault := _shape_fault(pairing, rows, columns) or next(iter(faults), None):
        raise _violated(pairing, *fault)


def _told(
    pairing: Pairing, parameters: Parameters, board: Board, places: dict[str, Cell], rows: int
) -> Parameters:
    """What an abstract text says of the initial state; the names of the tiles in reading order."""
    told = {name: value for name, value in parameters.items() if name != "palette"}
    if pairing.init == "rings":
        return told | {"rings": [[board[cell] for cell in _ring(rows, i)] for i in range((rows + 1) // 2)]}
    told["layout"] = [[name for cell, name in board.items() if cell[0] == row] for row in range(rows)]
    if parameters["start"] == "scattered":
        told["places"] = {robot: [row + 1, column + 1] for robot, (row, column) in places.items()}
    return told


def _adjacency(board: Board) -> set[Atom]:
    """The static facts: (up a b) says that a is above b, (right a b) that a is to the right of b."""
    below = {cell: (cell[0] + 1, cell[1]) for cell in board}
    beside = {cell: (cell[0], cell[1] + 1) for cell in board}
    facts: set[Atom] = {("up", board[cell], board[other]) for cell, other in below.items() if other in board}
    return facts | {("right", board[other], board[cell]) for cell, other in beside.items() if other in board}


def _places(init: str, start: str, rows: int, columns: int, robots: int, rng: random.Random) -> list[Cell]:
    """The cell of each robot."""
    middle = (rows - 1) // 2
    ways: dict[str, Callable[[int], Cell]] = {
        # Rings start at the other end, or their problems would be those of square grids again.
        "corner": lambda i: (0, 0) if init == "grid" else (rows - 1, columns - 1),
        "center": lambda i: (middle, middle),
        "one_per_ring": lambda i: (i, i),
        "left_column": lambda i: (i, 0),
        "top_row": lambda i: (0, i),
        "scattered": lambda i: (rng.randrange(rows), rng.randrange(columns)),
    }
    return [ways[start](index) for index in range(robots)]


def _ring(size: int, depth: int) -> list[Cell]:
    """The cells at ``depth`` from the border of a square, clockwise from its upper left one."""
    low, high = depth, size - 1 - depth
    if low == high:
        return [(low, low)]
    top, right = [(low, i) for i in range(low, high)], [(i, high) for i in range(low, high)]
    turned = [(size - 1 - row, size - 1 - column) for row, column in top + right]
    return top + right + turned


def _pattern(goal: str, cells: list[Cell], size: int, palette: int) -> Iterator[tuple[Cell, int]]:
    """Each cell to be painted with the index of its color."""
    for number, (row, column) in enumerate(cells):
        index = {
            "all_different": number,
            "checkerboard": (row + column) % 2,
            "paint_all": 0,
            "paint_x": 0 if row in (column, size - 1 - column) else 1,
            "rings": min(row, column, size - 1 - row, size - 1 - column),
        }[goal]
        if goal != "paint_x" or index < palette:
            yield (row, column), index


@dataclass(frozen=True)
class _Robot:
    """Where a robot is and what it holds at first; what it can paint with and end with under the goal."""

    name: str
    tile: str | None
    part: str | None
    color: str | None
    paints: frozenset[str]
    tiles: tuple[str, ...]
    colors: tuple[str, ...]


@dataclass(frozen=True)
class _View:
    """A problem as this domain sees it: neighbors by direction, parts of the floor, robots, paint to add."""

    neighbors: dict[str, list[tuple[str, str]]]
    part: dict[str, str]
    available: frozenset[str]
    robots: tuple[_Robot, ...]
    missing: tuple[Atom, ...]

    def painters(self, tile: str, color: str, held: _Robot | None = None) -> list[_Robot]:
        """The robots that can paint so and end as the goal wants; ``held`` must keep its color."""
        near = [robot for robot in self.robots if robot.part == self.part[tile] and self.neighbors[tile]]
        return [r for r in near if color == r.color or (color in r.paints and r != held)]


def _view(problem: Problem) -> _View | None:
    """The view of a problem; None where it has no plan or a robot is in two places or holds two colors."""
    tiles = sorted(typed.name for typed in problem.objects if "tile" in typed.types)
    neighbors = _neighbors(tiles, problem)
    part = _parts(neighbors)
    available = frozenset(fact[1] for fact in problem.init if fact[0] == "available-color")
    names = sorted(typed.name for typed in problem.objects if "robot" in typed.types)
    robots = tuple(filter(None, (_robot(name, problem, part, available) for name in names)))
    missing = tuple(sorted(fact for fact in problem.goal_facts - problem.init if fact[0] == "painted"))
    view = _View(neighbors, part, available, robots, missing)
    return view if len(robots) == len(names) and _statable(problem) and _possible(view) else None


def _neighbors(tiles: list[str], problem: Problem) -> dict[str, list[tuple[str, str]]]:
    """For each tile its (direction, tile) pairs; a move in a direction leads there, and so does the brush."""
    found: dict[str, list[tuple[str, str]]] = {tile: [] for tile in tiles}
    for predicate, first, second in sorted(fact for fact in problem.init if fact[0] in ("up", "right")):
        found[second].append((predicate, first))
        found[first].append(("down" if predicate == "up" else "left", second))
    return found


def _parts(neighbors: dict[str, list[tuple[str, str]]]) -> dict[str, str]:
    """The name of each tile's connected part: its first tile."""
    part: dict[str, str] = {}
    for root in neighbors:
        todo = [] if root in part else [root]
        while todo:
            tile = todo.pop()
            part[tile] = root
            todo.extend(other for _, other in neighbors[tile] if other not in part)
    return part


def _robot(name: str, problem: Problem, part: dict[str, str], available: frozenset[str]) -> _Robot | None:
    at = [fact[2] for fact in problem.init if fact[:2] == ("robot-at", name)]
    has = [fact[2] for fact in problem.init if fact[:2] == ("robot-has", name)]
    if len(at) > 1 or len(has) > 1:
        return None
    reach = [tile for tile in part if at and part[tile] == part[at[0]]]
    tiles = _ends(problem, ("robot-at", name), reach)
    palette = sorted(available) + [color for color in has if color not in available] if has else []
    colors = _ends(problem, ("robot-has", name), palette)
    if tiles is None or colors is None:
        return None
    # Who must end with a color that is not to be had again never changes it.
    paints = frozenset(palette) if available & {*colors} else frozenset(has)
    tile = at[0] if at else None
    return _Robot(name, tile, part.get(tile or ""), has[0] if has else None, paints, tiles, colors)


def _ends(problem: Problem, key: tuple[str, str], options: list[str]) -> tuple[str, ...] | None:
    """Those options that the goal admits at the end; None where it admits no state at all."""
    wanted = {literal.atom[2] for literal in problem.goal if literal.positive and literal.atom[:2] == key}
    banned = {literal.atom[2] for literal in problem.goal if not literal.positive and literal.atom[:2] == key}
    admitted = tuple(option for option in options if wanted <= {option} and option not in banned)
    return admitted if admitted or not (options or wanted) else None


def _statable(problem: Problem) -> bool:
    """Whether the goal asks nothing of static facts or of paint that cannot be."""
    for literal in problem.goal:
        kind, held = literal.atom[0], literal.atom in problem.init
        if kind in ("up", "right", "available-color") and held != literal.positive:
            return False
        if kind == "painted" and not literal.positive and literal.atom in problem.init | problem.goal_facts:
            return False
    return True


def _possible(view: _View, held: _Robot | None = None) -> bool:
    return all(view.painters(tile, color, held) for _, tile, color in view.missing)


@dataclass
class _Walk:
    """A robot on its way: painting all that is pending around it, and the steps so far."""

    view: _View
    robot: str
    tile: str
    color: str
    steps: list[Step] = field(default_factory=list)

    def paint(self, pending: dict[str, list[str]]) -> None:
        """Paint what is pending on the neighbors, with the color in hand first."""
        for direction, tile in self.view.neighbors.get(self.tile, ()):
            for color in sorted(pending.pop(tile, []), key=lambda c: (c != self.color, c)):
                self.take(color)
                self.steps.append((f"paint-{direction}", self.robot, tile, self.tile, color))

    def take(self, color: str) -> None:
        """Change to a color unless it is in hand."""
        if color != self.color:
            self.steps.append(("change-color", self.robot, self.color, color))
            self.color = color

    def move(self, direction: str, tile: str) -> None:
        """Go to a neighbor."""
        self.steps.append((direction, self.robot, self.tile, tile))
        self.tile = tile

    def tour(self, pending: dict[str, list[str]], ends: tuple[str, ...] = ()) -> None:
        """Walk depth first until nothing is pending and an end is met: at most two moves a tile."""
        seen, back = {self.tile}, list[tuple[str, str]]()
        ahead = [iter(self.view.neighbors.get(self.tile, ()))]
        self.paint(pending)
        while pending or (ends and self.tile not in ends):
            step = next(((direction, tile) for direction, tile in ahead[-1] if tile not in seen), None)
            if step is None:
                ahead.pop()
                self.move(*back.pop())
                continue
            back.append((_OPPOSITE[step[0]], self.tile))
            self.move(*step)
            seen.add(self.tile)
            ahead.append(iter(self.view.neighbors[self.tile]))
            self.paint(pending)


_OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}


def plan(problem: Problem) -> list[Step] | None:
    """A plan of length linear in tiles and painted facts, or None.

    None where the problem has no plan, or a robot is in two places or holds two colors at first.
    Robots work one after the other; a color that is not available is used up before the first change.
    """
    if (view := _view(problem)) is None:
        return None
    return [step for robot, work in _shares(view).items() for step in _work(view, robot, work)]


def _shares(view: _View) -> dict[_Robot, list[Atom]]:
    """Who paints what: the one that holds the color at first, if there is one."""
    shares: dict[_Robot, list[Atom]] = {robot: [] for robot in view.robots}
    for fact in view.missing:
        able = view.painters(fact[1], fact[2])
        shares[next((robot for robot in able if robot.color == fact[2]), able[0])].append(fact)
    return shares


def _work(view: _View, robot: _Robot, work: list[Atom]) -> list[Step]:
    """The steps of one robot: its first color if it is not to be had again, the others, then its end."""
    walk = _Walk(view, robot.name, robot.tile or "", robot.color or "")
    unique = {robot.color} - view.available
    for first in (True, False):
        pending: dict[str, list[str]] = {}
        for _, tile, color in work:
            if (color in unique) == first:
                pending.setdefault(tile, []).append(color)
        walk.tour(pending)
    walk.tour({}, robot.tiles)
    if robot.color is not None and walk.color not in robot.colors:
        walk.take(robot.colors[0])
    return walk.steps


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """The facts of painted, robot-at and robot-has true in every reachable goal state.

    None where a goal literal is negative, the problem has no plan, or a robot is in two places or holds
    two colors at first. Painting in the color held at first precedes every change, so what robots can do
    adds up: a fact fails in some reachable goal state iff one robot alone can make it fail.
    """
    view = _view(problem) if all(literal.positive for literal in problem.goal) else None
    if view is None:
        return None
    found = {fact for fact in problem.init | problem.goal_facts if fact[0] == "painted"}
    ends = ((("robot-at", robot.name), robot.tiles) for robot in view.robots)
    last = ((("robot-has", robot.name), _last_colors(view, robot)) for robot in view.robots)
    return frozenset(found | {(*key, left[0]) for key, left in (*ends, *last) if len(left) == 1})


def _last_colors(view: _View, robot: _Robot) -> tuple[str, ...]:
    """The colors a robot can end with: its first one only if the goal needs no change of it."""
    if robot.color in view.available or robot.color is None or _possible(view, robot):
        return robot.colors
    return tuple(color for color in robot.colors if color != robot.color)
