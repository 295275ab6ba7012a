"""Visit-all: maps of several shapes, a planner that walks to the nearest goal, and the closure of goals.

A *grid* may have holes, and its text gives the position of each place. All other maps have texts without
names: *cells*, the same by rows and columns; a *ring*; a *line*; a *star* of arms that meet in the center; a
*comb*, a corridor with a branch at each place; *two rooms*, full grids connected by a place between them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from orrery.generator_kit import (
    Cell,
    Fault,
    ParameterSpace,
    adjacency,
    distances,
    every_size,
    grid,
    numbered,
    paths_of_tree,
    shortest_path,
    shuffled,
    typed,
)
from orrery.model import Atom, ConfigurationPair, Generated, Limits, Parameters, Problem, Step, literals

DOMAIN = "visitall"
# On maps without names, only the goal of all places can also be stated with names.
_UNNAMED: dict[str, tuple[str, ...]] = {
    "cells": ("corners", "farthest", "round_trip", "border", "even"),
    "ring": ("farthest", "even", "around", "finish_far"),
    "line": ("ends", "round_trip", "finish_far"),
    "star": ("ends", "round_trip", "around"),
    "comb": ("ends", "farthest", "even"),
    "two_rooms": ("farthest", "round_trip", "around"),
}
TASKS: tuple[ConfigurationPair, ...] = (
    *(ConfigurationPair("grid", goal) for goal in ("visit_all", "visit_some", "corners")),
    # These goals refer to the robot's initial place.
    *(ConfigurationPair("grid", goal, strict=True) for goal in ("farthest", "round_trip")),
    *(ConfigurationPair(init, "visit_all") for init in _UNNAMED),
    *(ConfigurationPair(init, goal, strict=True) for init, goals in _UNNAMED.items() for goal in goals),
)
WITH_HOLES = ("grid", "cells")
WIDEST: Limits = {"rows": (1, 5), "columns": (1, 5), "holes": (0, 4)}
MOST_ON_GRID = 100  # steps; on a grid of more places, the links make a prompt too long
MOST_IN_COMB = 300  # places, for the same reason

Board = dict[Cell, list[Cell]]  # the neighbours of each cell
Graph = dict[str, list[str]]


# ---- parameters


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw a shape, the missing cells and the start, within ``limits`` (rows, columns, holes).

    Cells are [row, column] from 1. A ring or line has as many places as a grid of these rows and columns. A
    star has one arm per column, a comb one branch per column, and each of two rooms is a grid of them. No map
    has more places than the largest grid within the limits. Raise a ParameterError if no shape within the
    limits fits.
    """
    sizes = _sizes(task, {**WIDEST, **limits})

    def drawn() -> Parameters:
        """Draw parameters that may still violate constraints."""
        size = SPACE.pick(task, sizes, rng)
        parameters: Parameters = {"rows": size["rows"], "columns": size["columns"]}
        missing = _draw_holes(grid(size["rows"], size["columns"], 1), size["holes"], rng)
        parameters["holes"] = [list(cell) for cell in missing]
        if task.init == "two_rooms":
            parameters["door"] = rng.randint(1, size["rows"])
        board = _board(task.init, parameters)
        parameters["start"] = list(rng.choice(_starts(task.init, parameters, board)))
        if task.goal == "visit_some":
            parameters["wanted"] = rng.randint(1, len(board) - 1)
        return parameters

    return SPACE.attempt(task, drawn)


def _sizes(task: ConfigurationPair, ranges: Limits) -> list[dict[str, int]]:
    """Return the rows, columns and holes of maps that have as many places as a grid within the ranges."""
    (low, high), (narrowest, right) = ranges["rows"], ranges["columns"]
    if task.init not in WITH_HOLES:
        ranges = {**ranges, "rows": (1, high), "columns": (1, right)}
    sizes = (size for size in every_size(ranges) if not any(_shape_faults(task, size)))
    fewest = low * narrowest - ranges["holes"][1]
    return [size for size in sizes if fewest <= _count(task, size) <= high * right]


def _draw_holes(cells: list[Cell], holes: int, rng: random.Random) -> list[Cell]:
    """Draw cells to remove one by one, such that the others stay connected, which is always possible."""
    remaining = list(cells)
    for _ in range(holes):
        order = rng.sample(remaining, len(remaining))
        remaining.remove(
            next(
                cell
                for cell in order
                if _connected([open_cell for open_cell in remaining if open_cell != cell])
            )
        )
    return [cell for cell in cells if cell not in remaining]


def _connected(cells: list[Cell]) -> bool:
    near = adjacency(cells)
    return not cells or len(distances(cells[0], near.__getitem__)) == len(cells)


def _count(task: ConfigurationPair, shape: Parameters) -> int:
    """Return the number of places of a map with the given rows, columns and holes."""
    cells = int(shape["rows"] * shape["columns"] - shape["holes"])
    return {"star": cells + 1, "two_rooms": 2 * cells + 1}.get(task.init, cells)


def _shape_faults(task: ConfigurationPair, shape: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint between rows, columns and holes."""
    rows, columns, holes = (shape[key] for key in WIDEST)
    if rows < 1 or columns < 1 or rows * columns - holes < 2:
        yield "places", "needs at least two places"
    if holes and task.init not in WITH_HOLES:
        yield "holes", "only grids have holes"
    if task.goal in ("corners", "border") and (holes or min(rows, columns) < 2):
        yield "corners", "needs a full grid of two rows and columns or more, so that there are four corners"
    if task.goal == "border" and min(rows, columns) < 3:
        yield "border", "needs a place inside, so three rows and columns or more"
    least = {"ring": rows * columns, "star": columns}.get(task.init, 3)
    if least < 3 or (task.init == "comb" and min(rows, columns) < 2):
        yield (
            task.init,
            "needs three places in a ring or arms of a star, two branches of a comb, two rows in it",
        )


def _constraints(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint."""
    full, holes = grid(parameters["rows"], parameters["columns"], 1), {*map(_cell, parameters["holes"])}
    yield from _shape_faults(task, {**parameters, "holes": len(holes)})
    if not holes <= {*full} or not _connected([cell for cell in full if cell not in holes]):
        yield "holes", "the holes must lie in the grid and leave the other places connected"
    if not 1 <= parameters.get("door", 1) <= parameters["rows"]:
        yield "door", "the way between two rooms must lie beside a row"
    board, start = _board(task.init, parameters), _cell(parameters["start"])
    if start not in _starts(task.init, parameters, board):
        yield "start", "the robot must start at a place that is there, and that the map tells apart"
    elif task.goal == "finish_far" and len(_farthest(board, start)) > 1:
        yield "finish_far", "needs a single place that is farthest from the start"
    elif task.goal != "visit_some" and set(_wanted(task.goal, board, start)) <= {start}:
        yield task.goal, "must ask for more than the place where the robot starts"
    if not 1 <= parameters.get("wanted", 1) < len(board):
        yield "wanted", "needs one wanted place or more, but not all places"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, None, _constraints)


# ---- maps


def _board(init: str, parameters: Parameters) -> Board:
    """Return the cells of a map, each with its neighbours.

    A star has the center at row and column 0, and the cells of an arm in a column.
    """
    rows, columns = parameters["rows"], parameters["columns"]
    holes = {*map(_cell, parameters["holes"])}
    if init == "ring":
        n = rows * columns
        return {(1, i + 1): [(1, (i - 1) % n + 1), (1, (i + 1) % n + 1)] for i in range(n)}
    if init == "line":
        return adjacency(grid(1, rows * columns, 1))
    if init == "two_rooms":
        wall = {(row, columns + 1) for row in range(1, rows + 1) if row != parameters["door"]}
        return adjacency([cell for cell in grid(rows, 2 * columns + 1, 1) if cell not in wall])
    board = adjacency([cell for cell in grid(rows, columns, 1) if cell not in holes])
    if init in ("star", "comb"):  # no links between arms or branches
        sideways = 1 if init == "comb" else 0
        board = {c: [o for o in near if o[1] == c[1] or c[0] == sideways] for c, near in board.items()}
    if init == "star":
        first = [(1, column) for column in range(1, columns + 1)]
        board = {cell: [(0, 0)] * (cell in first) + near for cell, near in board.items()} | {(0, 0): first}
    return board


def _starts(init: str, parameters: Parameters, board: Board) -> list[Cell]:
    """Return the possible start cells.

    On a map without names, only one of several equivalent cells is listed.
    """
    rows = parameters["rows"]
    if init == "line":
        return [(1, place) for place in range(1, (len(board) + 1) // 2 + 1)]
    starts = {"ring": [(1, 1)], "star": [(0, 0), (rows, 1)], "comb": [(1, 1), (rows, 1)]}
    return starts.get(init) or [cell for cell in board if init != "two_rooms" or cell[1] == 1]


def _farthest(board: Board, start: Cell) -> list[Cell]:
    moves = distances(start, board.__getitem__)
    return [cell for cell in board if moves[cell] == max(moves.values())]


def _wanted(goal: str, board: Board, start: Cell) -> list[Cell]:
    """Return the cells that a goal requires to be visited."""
    ends = [max(cell[axis] for cell in board) for axis in (0, 1)]
    moves = distances(start, board.__getitem__)
    wanted = {
        "corners": (cell for cell, near in board.items() if len(near) == 2),
        "border": (cell for cell in board if cell[0] in (1, ends[0]) or cell[1] in (1, ends[1])),
        "ends": (cell for cell, near in board.items() if len(near) == 1),
        "farthest": _farthest(board, start),
        "even": (cell for cell in board if moves[cell] % 2 == 0),
        "around": board[start],
    }
    return list(wanted.get(goal, board))


# ---- problems


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. Names and all other choices are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    SPACE.check(task, parameters)
    board = _board(task.init, parameters)
    names = shuffled(numbered("p", len(board)), rng)
    place = dict(zip(board, names, strict=True))
    start = place[_cell(parameters["start"])]
    goal = _goal(task.goal, board, place, parameters, rng)
    links = {("connected", place[cell], place[neighbor]) for cell, near in board.items() for neighbor in near}
    init = frozenset(links | {("at-robot", start), ("visited", start)})
    described = {name: value for name, value in parameters.items() if name != "wanted"}
    if task.init == "grid":
        described["start"] = start
        described["layout"] = [
            [place.get((row, column), "") for column in range(1, parameters["columns"] + 1)]
            for row in range(1, parameters["rows"] + 1)
        ]
    else:
        described["places"] = len(names)
    problem = Problem(task.name, DOMAIN, typed({"place": names}), init, literals(goal))
    return Generated(problem, task, described, {"places": len(names)})


def _cell(pair: Iterable[int]) -> Cell:
    row, column = pair
    return row, column


def _goal(
    goal: str, board: Board, place: dict[Cell, str], parameters: Parameters, rng: random.Random
) -> set[Atom]:
    """Draw the goal facts. If the goal visits only some places, initially true facts are omitted."""
    start = _cell(parameters["start"])
    if goal == "visit_some":
        targets = sorted(name for cell, name in place.items() if cell != start)
        return {("visited", name) for name in rng.sample(targets, parameters["wanted"])}
    ends = {"round_trip": [start], "finish_far": _farthest(board, start)}.get(goal, [])
    visited = {("visited", place[cell]) for cell in _wanted(goal, board, start)}
    return visited | {("at-robot", place[cell]) for cell in ends}


# ---- plans and closure


def _graph(problem: Problem) -> Graph:
    graph: Graph = {typed.name: [] for typed in problem.objects}
    for _, place, neighbor in sorted(fact for fact in problem.init if fact[0] == "connected"):
        graph[place].append(neighbor)
    return graph


def plan(problem: Problem) -> list[Step] | None:
    """Return a walk to the nearest goal place, then to the next, and so on; or None.

    The walk has at most as many steps as the square of the number of places. The result is None if the robot
    is not in exactly one place, or if the walk gets stuck because the goal is unreachable or a link is
    one-way.
    """
    graph, places = _graph(problem), [fact[1] for fact in problem.init if fact[0] == "at-robot"]
    if len(places) != 1:
        return None
    position, steps = places[0], list[Step]()
    pending = {fact[1] for fact in problem.goal_facts - problem.init if fact[0] == "visited"}
    last = [fact[1] for fact in sorted(problem.goal_facts) if fact[0] == "at-robot"]
    while pending or (last and position != last[0]):
        # A goal with two final places fails the last check.
        path = shortest_path(position, graph.__getitem__, pending or {last[0]})
        if not path:
            return None
        steps += [("move", origin, target) for origin, target in zip([position, *path], path, strict=False)]
        position = path[-1]
        pending -= set(path)
    return steps if problem.satisfied(_reached(problem, position, steps)) else None


def _reached(problem: Problem, position: str, steps: list[Step]) -> frozenset[Atom]:
    still = {fact for fact in problem.init if fact[0] != "at-robot"}
    return frozenset(still | {("at-robot", position)} | {("visited", step[2]) for step in steps})


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """Return the facts of at-robot and visited that hold in every reachable goal state, or None.

    The result is None if that of ``plan`` is None, the goal has negative literals, a link is one-way, or the
    start is not initially visited. A place is visited in all goal states iff the goal requires it, it is
    initially visited, or it is on every path to a place that the goal requires.
    """
    graph = _graph(problem)
    both_ways = all(place in graph[neighbor] for place, neighbors in graph.items() for neighbor in neighbors)
    start = next((fact[1] for fact in problem.init if fact[0] == "at-robot"), "")
    if not both_ways or ("visited", start) not in problem.init or plan(problem) is None:
        return None
    if not all(literal.positive for literal in problem.goal):
        return None
    return frozenset(_closure(problem, graph, start))


def _closure(problem: Problem, graph: Graph, start: str) -> Iterator[Atom]:
    ends = [fact[1] for fact in problem.goal_facts if fact[0] == "at-robot"]
    ends = ends or list(distances(start, graph.__getitem__))
    if len(ends) == 1:
        yield "at-robot", ends[0]
    for place in graph:
        if ("visited", place) in problem.init or _unavoidable(problem, graph, start, place):
            yield "visited", place


def _unavoidable(problem: Problem, graph: Graph, start: str, place: str) -> bool:
    """Return whether the goal requires ``place`` or something that is reachable only through it."""
    targets = {fact[1] for fact in problem.goal_facts - problem.init if fact[0] in ("visited", "at-robot")}
    reached = distances(
        start, lambda position: [neighbor for neighbor in graph[position] if neighbor != place]
    )
    return bool(targets - reached.keys())


# ---- long plans


def fewest_steps(problem: Problem) -> int | None:
    """Return a lower bound on the number of steps of every plan: one for each place that must be visited.

    On a map with only one way between any two places, the robot takes each link on its ways to these places
    and to its final place twice, except for those from the start to the final place, or to the farthest one.
    """
    visits = {fact[1] for fact in problem.goal_facts - problem.init if fact[0] == "visited"}
    starts = [fact[1] for fact in problem.init if fact[0] == "at-robot"]
    paths = paths_of_tree(starts[0], _graph(problem)) if len(starts) == 1 else None
    if paths is None:
        return len(visits)
    ends = [fact[1] for fact in problem.goal_facts if fact[0] == "at-robot"]
    passed = set[str]().union(*(paths[place] for place in {*visits, *ends, *starts}))
    return 2 * len(passed) - 1 - max(len(paths[place]) for place in ends or [*visits, *starts])


def ladder(steps: int, rng: random.Random) -> Problem:
    """Draw a full grid with a robot in a corner, which must visit all places; a comb above 100 steps.

    A shortest plan has at most ``steps`` steps. On a grid it visits no place twice, and has at most a third
    fewer; on a comb the robot starts at one end, and walks into each branch and back.
    """
    if steps > MOST_ON_GRID:
        return _comb(steps, rng)
    places = max(3, steps * 4 // 5 + 1)
    rows = rng.randint(2, max(2, int(places**0.5)))
    cells = grid(rows, max(2, places // rows), 1)
    named = {cell: f"place-{cell[0]}-{cell[1]}" for cell in cells}
    links = {("connected", named[c], named[n]) for c, near in adjacency(cells).items() for n in near}
    start = named[cells[0]]
    init = frozenset({*links, ("at-robot", start), ("visited", start)})
    goal = literals(("visited", name) for name in named.values())
    return Problem("ladder", DOMAIN, typed({"place": named.values()}), init, goal)


def _comb(steps: int, rng: random.Random) -> Problem:
    """Draw a comb with a robot at one end, and a place to visit at the end of each branch, or next to it."""
    places = min(steps // 2, MOST_IN_COMB)
    columns = rng.randint(5, 20)
    board = _board("comb", {"rows": places // columns, "columns": columns, "holes": []})
    place = dict(zip(board, numbered("p", len(board)), strict=True))
    links = {("connected", place[cell], place[neighbor]) for cell, near in board.items() for neighbor in near}
    start = place[1, rng.choice((1, columns))]
    init = frozenset({*links, ("at-robot", start), ("visited", start)})
    ends = [(places // columns - rng.randint(0, 1), column) for column in range(1, columns + 1)]
    goal = literals(("visited", place[end]) for end in ends)
    return Problem("ladder", DOMAIN, typed({"place": place.values()}), init, goal)
