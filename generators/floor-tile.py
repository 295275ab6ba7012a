"""Floor-tile as simplified by Planetarium: its configurations, a planner and the closure of goals.

Robots move over tiles and paint neighbouring tiles. No tile blocks a robot, and paint is never removed. The
text of a grid or of rings gives only the size, and in a few problems also the positions of the tiles. A goal
that treats tiles differently needs the positions too, if its text uses names.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, pairwise, product, repeat
from math import comb

from orrery.generator_kit import (
    Fault,
    ParameterSpace,
    distances,
    grid,
    ill_formed,
    numbered,
    reordered,
    spans,
    weighted,
)
from orrery.model import (
    WITH_EXPLICIT_GOAL,
    Atom,
    ConfigurationPair,
    Generated,
    Limits,
    Parameters,
    Problem,
    Step,
    TypedName,
    literals,
)

DOMAIN = "floor-tile"
TASKS: tuple[ConfigurationPair, ...] = (
    *(ConfigurationPair("grid", goal) for goal in ("all_different", "checkerboard", "paint_all", "paint_x")),
    *(ConfigurationPair("rings", goal) for goal in ("checkerboard", "paint_all", "paint_x", "rings")),
    ConfigurationPair("disconnected_rows", "disconnected_rows", tied=True),
)
WIDEST: Limits = {
    "rows": (1, 49), "columns": (1, 49), "tiles": (2, 49), "colors": (1, 49), "robots": (1, 7),
    "propositions": (1, 10_000),
}  # fmt: skip
LENGTHS = {"grid": ("rows", "columns"), "rings": ("size", "size")}
SPARE = 3  # colors beyond the needed ones; more would only lengthen the text
ANYWHERE = ("all_different", "paint_all")  # goals that are invariant under permutations of tiles
NAMED = 0.2  # the share of maps whose texts give the positions of tiles, whatever the goal

Range = tuple[int, int]
Size = tuple[Parameters, int, int]  # parameters, facts of init and goal, approximate number of problems
Names = dict[str, list[str]]  # by kind
Link = tuple[str, int, int]  # direction (up or right), and the numbers of two tiles


# ---- parameters


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw sizes, how robots start and whether tiles are named, within ``limits`` of WIDEST's keys.

    Propositions are those of initial state and goal.

    Raise a ParameterError if no size within the limits satisfies the constraints of the task.
    """
    ranges = [(low, high) for low, high in ({**WIDEST, **limits}[name] for name in WIDEST)]
    sizes, weights = _menu(task, *ranges)
    chosen = SPACE.pick(task, sizes, rng, weights)
    size = dict(chosen)
    if size.get("start") == "scattered":  # only on grids
        size["places"] = rng.choices(range(size["rows"] * size["columns"]), k=size["robots"])
    if task.tied:
        return {"lengths": _draw_lengths(size, ranges[1], rng)}
    return size | {"named": rng.random() < NAMED}


@cache
def _menu(task: ConfigurationPair, *ranges: Range) -> tuple[list[Parameters], list[int]]:
    """Return the sizes within the ranges, and their cumulative weights.

    Sizes with few problems weigh less.
    """
    least, most = ranges[-1]
    sizes = (_row_sizes if task.tied else _board_sizes)(task, *ranges)
    return weighted((size, many) for size, facts, many in sizes if least <= facts <= most)


def _row_sizes(task: ConfigurationPair, *ranges: Range) -> Iterator[Size]:
    """Yield numbers of rows and tiles. Each row needs its own robot and color, within their limits."""
    rows, (shortest, longest), tiles, colors, robots, _ = ranges
    for count in range(max(1, rows[0], colors[0], robots[0]), min(rows[1], colors[1], robots[1]) + 1):
        fewest, most = count * max(2, shortest), count * longest
        for total in range(max(tiles[0], fewest), min(tiles[1], most) + 1):
            many = comb(min(total - fewest, most - total) + count - 1, count - 1)
            yield {"rows": count, "tiles": total}, total + 3 * count, many


def _draw_lengths(size: Parameters, columns: Range, rng: random.Random) -> list[int]:
    """Draw row lengths, sorted."""
    lengths = [max(2, columns[0])] * size["rows"]
    for _ in range(size["tiles"] - sum(lengths)):
        lengths[rng.choice([i for i, length in enumerate(lengths) if length < columns[1]])] += 1
    return sorted(lengths)


def _board_sizes(task: ConfigurationPair, *ranges: Range) -> Iterator[Size]:
    """Yield all parameters of grids and rings."""
    *lengths, tiles, colors, robots, _ = ranges
    for rows, columns in product(*(range(max(1, low), high + 1) for low, high in lengths)):
        if not tiles[0] <= rows * columns <= tiles[1] or [*_shape_faults(task, rows, columns)]:
            continue
        shape = {"rows": rows, "columns": columns} if task.init == "grid" else {"size": rows}
        palettes = [{"palette": 1}, {"palette": 2}] if task.goal == "paint_x" else [{}]
        fewest = max(colors[0], _colors_needed(task.goal, rows, columns))
        paints = range(fewest, min(colors[1], fewest + SPARE) + 1)
        for c, r, palette in product(paints, range(max(1, robots[0]), robots[1] + 1), palettes):
            painted = len(_pattern(task.goal, rows, columns, palette.get("palette", 1)))
            facts = len(_grid(rows, columns)) + painted + c + 2 * r
            for start in _starts(task.init, rows, columns, r) if palette.get("palette", 1) <= c else ():
                many = min(8, (rows * columns) ** r) if start == "scattered" else 1
                for held in ("same", "own")[: 1 + (2 <= r <= c)]:
                    size = {**shape, "colors": c, "robots": r, "start": start, "held": held, **palette}
                    yield size, facts, many


def _shape_faults(task: ConfigurationPair, rows: int, columns: int) -> Iterator[Fault]:
    """Yield the violated constraints on the shape, with their messages."""
    if rows < 1 or columns < 1 or rows * columns < 2:
        yield "tiles", "needs at least two tiles"
    if "rings" in (task.init, task.goal) and (rows != columns or rows < 2):
        yield "rings", "needs a square of side two or more"
    if task.goal == "paint_x" and (rows != columns or rows < 3):
        yield "paint_x", "needs a square of side three or more, or the diagonals make no X"


def _colors_needed(goal: str, rows: int, columns: int) -> int:
    """Return the minimum number of colors of a goal."""
    return {"all_different": rows * columns, "checkerboard": 2, "rings": (rows + 1) // 2}.get(goal, 1)


def _starts(init: str, rows: int, columns: int, robots: int) -> list[str]:
    """Return the possible starts of ``robots`` robots, by their names in templates."""
    if init == "rings":
        return ["corner"] + ["center"] * (rows > 2) + ["one_per_ring"] * (2 <= robots <= (rows + 1) // 2)
    lines = ["left_column"] * (2 <= robots <= rows) + ["top_row"] * (2 <= robots <= columns)
    return ["corner", "scattered", *lines]


def _constraints(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint."""
    optional_kinds: dict[str, type] = (
        {"palette": int} if task.goal == "paint_x" and "palette" in parameters else {}
    )
    optional_kinds |= (
        {"places": list} if parameters.get("start") == "scattered" and "places" in parameters else {}
    )
    optional_kinds |= {"named": bool} if "named" in parameters else {}
    numbers = dict.fromkeys([*LENGTHS.get(task.init, ()), "colors", "robots"], int)
    form = {"lengths": list} if task.tied else {**numbers, "start": str, "held": str, **optional_kinds}
    yield from ill_formed(parameters, form)
    if task.tied:
        short = min(parameters["lengths"], default=0) < 2
        yield from [("lengths", "nobody can paint the tile of a row that has only one")][:short]
        return
    rows, columns = (parameters[name] for name in LENGTHS[task.init])
    yield from _shape_faults(task, rows, columns)
    colors, robots, start, held = (parameters[name] for name in ("colors", "robots", "start", "held"))
    needed = _colors_needed(task.goal, rows, columns)
    if robots < 1:
        yield "robots", "needs at least one robot"
    if colors < needed:
        yield "colors", f"needs {needed} colors, not {colors}"
    if start not in _starts(task.init, rows, columns, robots):
        yield "start", f"{robots} robots cannot start so"
    if len(at := parameters.get("places", [0] * robots)) != robots or {*at} - {*range(rows * columns)}:
        yield "places", "each scattered robot has the number of a tile"
    if held != "same" and (held != "own" or robots > colors):
        yield "held", "robots hold the 'same' color, or each its 'own'"
    if not 1 <= parameters.get("palette", 1) <= min(2, colors):
        yield "palette", "an X takes one color, or two where there are two"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, None, _constraints)


# ---- problems


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. Names and all other choices are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    SPACE.check(task, parameters)
    return (_build_rows if task.tied else _build_board)(task, parameters, rng)


@cache
def _typed(kind: str, count: int) -> tuple[TypedName, ...]:
    return tuple(TypedName(name, (kind,)) for name in numbered(kind[0], count))


def _names(rng: random.Random, **counts: int) -> Names:
    """Draw many names of each kind, in random order."""
    names_by_kind = {kind: (typed.name for typed in _typed(kind, count)) for kind, count in counts.items()}
    return {kind: reordered(names, rng) for kind, names in names_by_kind.items()}


def _problem(
    task: ConfigurationPair, names: Names, links: Iterable[Link], init: list[Atom], goal: list[Atom]
) -> Problem:
    """Build the problem. ``links`` are the adjacent tiles by number; they are added to ``init``."""
    objects = tuple(chain.from_iterable(_typed(kind, len(kind_names)) for kind, kind_names in names.items()))
    init += [(direction, names["tile"][tile], names["tile"][neighbor]) for direction, tile, neighbor in links]
    return Problem(task.name, DOMAIN, objects, frozenset(init), literals(goal))


def _rows(lengths: Iterable[int]) -> Iterator[Link]:
    """Yield (right, a, b) for each tile a to the right of b."""
    return (("right", b, a) for start, end in spans(lengths) for a, b in pairwise(range(start, end)))


@cache
def _grid(rows: int, columns: int) -> tuple[Link, ...]:
    """Return (up, a, b) for each tile a above b."""
    ups = (("up", tile, tile + columns) for tile in range((rows - 1) * columns))
    return (*_rows([columns] * rows), *ups)


def _build_rows(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    lengths = sorted(parameters["lengths"])
    names = _names(rng, tile=sum(lengths), robot=len(lengths), color=len(lengths))
    tiles, robots, colors = names.values()
    ends = [(tiles[start], tiles[end - 1]) for start, end in spans(lengths)]
    init: list[Atom] = [
        ("robot-has", *robot_and_color) for robot_and_color in zip(robots, colors, strict=True)
    ]
    init += [("robot-at", robot, left_end) for robot, (left_end, _) in zip(robots, ends, strict=True)]
    pairs = zip(colors, ends, strict=True)
    goal: list[Atom] = [("painted", tile, color) for color, pair in pairs for tile in pair]
    problem = _problem(task, names, _rows(lengths), init, goal)
    return Generated(problem, task, {"lengths": lengths}, {"lengths": lengths})


def _build_board(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    rows, columns = (parameters[name] for name in LENGTHS[task.init])
    names = _names(rng, tile=rows * columns, robot=parameters["robots"], color=parameters["colors"])
    tiles, robots, colors = names.values()
    start, count = parameters["start"], parameters["robots"]
    places = parameters.get("places") or _places(task.init, start, rows, columns, count, rng)
    held = colors if parameters["held"] == "own" else repeat(colors[0])
    init: list[Atom] = [("available-color", color) for color in colors]
    init += [("robot-at", robot, tiles[place]) for robot, place in zip(robots, places, strict=True)]
    init += [("robot-has", robot, color) for robot, color in zip(robots, held)]  # noqa: B905
    palette, wanted = parameters.get("palette", 1), reordered(colors, rng)
    painted = _pattern(task.goal, rows, columns, palette)
    goal: list[Atom] = [("painted", tiles[tile], wanted[index]) for tile, index in painted]
    problem = _problem(task, names, _grid(rows, columns), init, goal)
    described = _described(task, parameters, tiles, dict(zip(robots, places, strict=True)))
    return Generated(problem, task, described, {"palette": palette, "rings": (rows + 1) // 2})


def _described(
    task: ConfigurationPair, parameters: Parameters, tiles: list[str], places: dict[str, int]
) -> Parameters:
    """Return the template parameters of a board; ``places`` are the numbers of the tiles with robots."""
    rows, columns = (parameters[name] for name in LENGTHS[task.init])
    described = {key: value for key, value in parameters.items() if key not in ("palette", "places", "named")}
    named, cells = parameters.get("named", True), grid(rows, columns, 1)
    if parameters["start"] == "scattered" and named:
        described["places"] = {robot: list(cells[tile]) for robot, tile in sorted(places.items())}
    elif parameters["start"] == "scattered":
        counts = Counter(places.values())
        described["cells"] = [[*cells[tile], count] for tile, count in sorted(counts.items())]
    if named:
        return described | _map(task, rows, columns, tiles)
    return (
        described
        if task.goal in ANYWHERE
        else described | {WITH_EXPLICIT_GOAL: _map(task, rows, columns, tiles)}
    )


def _map(task: ConfigurationPair, rows: int, columns: int, tiles: list[str]) -> Parameters:
    """Return the positions of the tiles."""
    if task.init == "rings":
        return {"rings": [[tiles[tile] for tile in _ring(rows, i)] for i in range((rows + 1) // 2)]}
    return {"layout": [tiles[start:end] for start, end in spans([columns] * rows)]}


def _places(init: str, start: str, rows: int, columns: int, robots: int, rng: random.Random) -> list[int]:
    """Draw the number of the tile on which each robot starts."""
    if start == "scattered":
        return [int(rng.random() * rows * columns) for _ in range(robots)]
    # Rings start at the other end. Otherwise their problems would equal those of square grids.
    corner, middle = (0 if init == "grid" else rows * columns - 1), (rows - 1) // 2 * (columns + 1)
    step = {"one_per_ring": columns + 1, "left_column": columns, "top_row": 1}.get(start, 0)
    first = {"corner": corner, "center": middle}.get(start, 0)
    return [first + step * index for index in range(robots)]


@cache
def _ring(size: int, depth: int) -> tuple[int, ...]:
    """Return the tiles at ``depth`` from the border of a square, clockwise from the upper left."""
    low, high = depth, size - 1 - depth
    top, right = [low * size + i for i in range(low, high)], [i * size + high for i in range(low, high)]
    turned = [size * size - 1 - tile for tile in top + right]
    return (*top, *right, *turned) or (low * size + low,)


@cache
def _pattern(goal: str, rows: int, columns: int, palette: int) -> tuple[tuple[int, int], ...]:
    """Return the tiles to be painted, each with the index of its color."""
    painted = []
    for tile, (row, column) in enumerate(grid(rows, columns)):
        index = {
            "all_different": tile,
            "checkerboard": (row + column) % 2,
            "paint_all": 0,
            "paint_x": 0 if row in (column, rows - 1 - column) else 1,
            "rings": min(row, column, rows - 1 - row, rows - 1 - column),
        }[goal]
        if goal != "paint_x" or index < palette:
            painted.append((tile, index))
    return tuple(painted)


# ---- interpretation of facts: shared by planner and closure

OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}
Need = tuple[str, str]  # a part of the floor and a color that the goal requires there
GoalValues = dict[
    tuple[Atom, bool], set[str]
]  # (predicate, robot), sign: tiles or colors that the goal names


@dataclass(frozen=True)
class _Painter:
    """A robot's start and first color; its possible paint, and its possible ends under the goal."""

    name: str
    tile: str
    part: str
    color: str
    paints: frozenset[str]
    tiles: frozenset[str]
    colors: frozenset[str]


@dataclass(frozen=True)
class _FloorTask:
    """A problem: neighbors by direction, parts of the floor, robots, and missing paint."""

    neighbors: dict[str, list[tuple[str, str]]]
    part: dict[str, str]
    available: frozenset[str]
    robots: tuple[_Painter, ...]
    missing: frozenset[Atom]
    needs: frozenset[Need]  # missing paint by parts; within a part every tile is reachable

    def painter(self, need: Need, held: _Painter | None = None) -> _Painter | None:
        """Return a robot that can satisfy ``need`` and its own goal; first one that holds the color.

        The robot ``held`` must keep its color, so it is not chosen for another.
        """
        part, color = need
        able = [robot for robot in self.robots if robot.part == part and self.neighbors[part]]
        holder = next((robot for robot in able if robot.color == color), None)
        return holder or next((robot for robot in able if color in robot.paints and robot != held), None)


def _floor_task(problem: Problem) -> _FloorTask | None:
    """Return the planner's data of a problem; None if it has no plan or an unsound state."""
    named = {kind: sorted(t.name for t in problem.objects if kind in t.types) for kind in ("tile", "robot")}
    colors_by_tile: dict[Atom, list[str]] = {}
    for fact in (fact for fact in problem.init if fact[0] in ("robot-at", "robot-has")):
        colors_by_tile.setdefault(fact[:2], []).append(fact[2])
    if not _statable(problem) or any(len(tile_colors) > 1 for tile_colors in colors_by_tile.values()):
        return None
    neighbors = _neighbors(named["tile"], problem)
    part, members = _parts(neighbors)
    available = frozenset(fact[1] for fact in problem.init if fact[0] == "available-color")
    goal_values: GoalValues = {}
    for (*key, value), positive in problem.goal:
        goal_values.setdefault((tuple(key), positive), set()).add(value)
    robots = []
    for name in named["robot"]:
        tile, color = (colors_by_tile.get((key, name), [""])[0] for key in ("robot-at", "robot-has"))
        tiles = _ends(goal_values, ("robot-at", name), members.get(part.get(tile, ""), frozenset()))
        colors = _ends(goal_values, ("robot-has", name), available | {color} if color else frozenset())
        if tiles is None or colors is None:
            return None
        # A robot that must end with an unavailable color never changes it.
        paints = (available | {color} if available & colors else frozenset({color})) if color else frozenset()
        robots.append(_Painter(name, tile, part.get(tile, ""), color, paints, tiles, colors))
    missing = frozenset(fact for fact in problem.goal_facts - problem.init if fact[0] == "painted")
    needs = frozenset((part[tile], color) for _, tile, color in missing)
    floor = _FloorTask(neighbors, part, available, tuple(robots), missing, needs)
    return floor if all(map(floor.painter, floor.needs)) else None


def _neighbors(tiles: list[str], problem: Problem) -> dict[str, list[tuple[str, str]]]:
    """Return the (direction, tile) pairs of each tile: moving or painting in a direction reaches the tile."""
    neighbors_by_tile: dict[str, list[tuple[str, str]]] = {tile: [] for tile in tiles}
    for direction, first, second in (fact for fact in problem.init if fact[0] in ("up", "right")):
        neighbors_by_tile[second].append((direction, first))
        neighbors_by_tile[first].append((OPPOSITE[direction], second))
    return neighbors_by_tile


def _parts(neighbors: dict[str, list[tuple[str, str]]]) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """Return the name of each tile's connected part (its first tile), and the tiles of each part."""
    part: dict[str, str] = {}
    members: dict[str, frozenset[str]] = {}
    for root in (tile for tile in neighbors if tile not in part):
        reached = distances(root, lambda tile: (neighbor for _, neighbor in neighbors[tile]))
        part |= dict.fromkeys(reached, root)
        members[root] = frozenset(reached)
    return part, members


def _ends(goal_values: GoalValues, key: Atom, options: frozenset[str]) -> frozenset[str] | None:
    """Return the options that the goal admits at the end; None if the goal admits no state."""
    wanted, banned = (goal_values.get((key, positive), set()) for positive in (True, False))
    admitted = options if not wanted else options & wanted if len(wanted) == 1 else frozenset()
    return admitted - banned if admitted - banned or not (options or wanted) else None


def _statable(problem: Problem) -> bool:
    """Return whether static literals of the goal hold and the goal requires no removal of paint."""
    static = [literal for literal in problem.goal if literal.atom[0] in ("up", "right", "available-color")]
    bare = {atom for atom, positive in problem.goal if atom[0] == "painted" and not positive}
    return all(literal.holds(problem.init) for literal in static) and not bare & (
        problem.init | problem.goal_facts
    )


# ---- closure


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """Return the facts of painted, robot-at and robot-has true in every reachable goal state.

    The result is None if a goal literal is negative, the problem has no plan, or a robot initially is in two
    places or holds two colors. Robots can paint with their first color before any change, so their abilities
    add up. A fact fails in some reachable goal state iff one robot alone can make it fail.
    """
    floor = _floor_task(problem) if all(literal.positive for literal in problem.goal) else None
    if floor is None:
        return None
    closed = {fact for fact in chain(problem.init, problem.goal_facts) if fact[0] == "painted"}
    for robot in floor.robots:
        # The robot can keep its first color if the color is available or the goal requires no change of it.
        keeps_color = robot.color in {"", *floor.available} or all(
            floor.painter(need, robot) for need in floor.needs
        )
        ends = {
            "robot-at": robot.tiles,
            "robot-has": robot.colors if keeps_color else robot.colors - {robot.color},
        }
        closed.update((key, robot.name, *remaining) for key, remaining in ends.items() if len(remaining) == 1)
    return frozenset(closed)


# ---- plans


def plan(problem: Problem) -> list[Step] | None:
    """Return a plan in time linear in tiles and painted facts; or None.

    Return None if the problem has no plan, or a robot initially is in two places or holds two colors.
    Robots work one after the other. A color that is not available is used up before the first change.
    """
    if (floor := _floor_task(problem)) is None:
        return None
    for tile_neighbors in floor.neighbors.values():
        tile_neighbors.sort()
    painters = {need: floor.painter(need) for need in floor.needs}
    shares: dict[str, list[Atom]] = {robot.name: [] for robot in floor.robots}
    for fact in sorted(floor.missing):
        if robot := painters[floor.part[fact[1]], fact[2]]:
            shares[robot.name].append(fact)
    return [step for robot in floor.robots for step in _work(floor, robot, shares[robot.name])]


def _work(floor: _FloorTask, robot: _Painter, work: list[Atom]) -> list[Step]:
    """Return the steps of one robot: first an unavailable color, then the others, then its goal position."""
    walk = _Walk(floor, robot.name, robot.tile, robot.color)
    unique = {robot.color} - floor.available
    for first in (True, False):
        pending: dict[str, list[str]] = {}
        for _, tile, color in work:
            if (color in unique) == first:
                pending.setdefault(tile, []).append(color)
        walk.tour(pending)
    walk.tour({}, robot.tiles)
    if walk.color and walk.color not in robot.colors:
        walk.take(min(robot.colors))
    return walk.steps


@dataclass
class _Walk:
    """A robot that walks and paints all pending tiles around it, and the steps so far."""

    floor: _FloorTask
    robot: str
    tile: str
    color: str
    steps: list[Step] = field(default_factory=list)

    def paint(self, pending: dict[str, list[str]]) -> None:
        """Paint the pending neighbors, with the held color first."""
        for direction, tile in self.floor.neighbors.get(self.tile, ()):
            for color in sorted(pending.pop(tile, ()), key=lambda c: (c != self.color, c)):
                self.take(color)
                self.steps.append((f"paint-{direction}", self.robot, tile, self.tile, color))

    def take(self, color: str) -> None:
        """Change to a color unless the robot holds it."""
        if color != self.color:
            self.steps.append(("change-color", self.robot, self.color, color))
            self.color = color

    def move(self, direction: str, tile: str) -> None:
        """Move to a neighbor."""
        self.steps.append((direction, self.robot, self.tile, tile))
        self.tile = tile

    def tour(self, pending: dict[str, list[str]], ends: frozenset[str] = frozenset()) -> None:
        """Walk depth first until nothing is pending and an end is reached: at most two moves per tile."""
        seen, back = {self.tile}, list[tuple[str, str]]()
        ahead = [iter(self.floor.neighbors.get(self.tile, ()))]
        self.paint(pending)
        while pending or (ends and self.tile not in ends):
            step = next(((direction, tile) for direction, tile in ahead[-1] if tile not in seen), None)
            if step is None:
                ahead.pop()
                self.move(*back.pop())
                continue
            back.append((OPPOSITE[step[0]], self.tile))
            self.move(*step)
            seen.add(self.tile)
            ahead.append(iter(self.floor.neighbors[self.tile]))
            self.paint(pending)
