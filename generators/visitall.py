"""Visit-all: grids with holes, a planner that walks to the nearest wanted place, the closure of goals."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Iterator

from orrery.model import (
    Atom,
    Generated,
    Limits,
    ParameterError,
    Parameters,
    Problem,
    Step,
    Task,
    TypedName,
    literals,
)

DOMAIN = "visitall"
TASKS: tuple[Task, ...] = (
    *(Task("grid", goal) for goal in ("visit_all", "visit_some", "corners")),
    # These goals speak of the place where the robot starts.
    *(Task("grid", goal, strict=True) for goal in ("farthest", "round_trip")),
)
WIDEST: Limits = {"rows": (1, 5), "columns": (1, 5), "holes": (0, 4)}

Cell = tuple[int, int]
Graph = dict[str, list[str]]


# ---- parameters


def draw(task: Task, limits: Limits, rng: random.Random) -> Parameters:
    """A shape, the cells that are missing and the start, within ``limits`` (rows, columns, holes).

    Cells are [row, column] from 1. Raises ParameterError where no shape within the limits fits.
    """
    ranges = {**WIDEST, **limits}
    shapes = [
        (rows, columns, holes)
        for rows in range(ranges["rows"][0], ranges["rows"][1] + 1)
        for columns in range(ranges["columns"][0], ranges["columns"][1] + 1)
        for holes in range(ranges["holes"][0], ranges["holes"][1] + 1)
        if _shape_fault(task, rows, columns, holes) is None
    ]
    if not shapes:
        raise _violated(task, "rows", "no shape within the limits fits this task")
    rows, columns, holes = rng.choice(shapes)
    cells = [(row, column) for row in range(1, rows + 1) for column in range(1, columns + 1)]
    missing = _draw_holes(cells, holes, rng)
    left = [cell for cell in cells if cell not in missing]
    parameters: Parameters = {"rows": rows, "columns": columns, "holes": [list(cell) for cell in missing]}
    parameters["start"] = list(rng.choice(left))
    if task.goal == "visit_some":
        parameters["wanted"] = rng.randint(1, len(left) - 1)
    return parameters


def _draw_holes(cells: list[Cell], holes: int, rng: random.Random) -> list[Cell]:
    """Cells whose lack leaves the others connected, taken away one by one: some cell always can go."""
    left = list(cells)
    for _ in range(holes):
        order = rng.sample(left, len(left))
        left.remove(next(cell for cell in order if _connected([other for other in left if other != cell])))
    return [cell for cell in cells if cell not in left]


def _connected(cells: list[Cell]) -> bool:
    graph = _grid({cell: str(cell) for cell in cells})
    return not cells or len(_distances(graph, str(cells[0]))) == len(cells)


def _shape_fault(task: Task, rows: int, columns: int, holes: int) -> tuple[str, str] | None:
    """The violated constraint on the shape and what it asks, or None."""
    if rows < 1 or columns < 1 or rows * columns - holes < 2:
        return "places", "needs at least two places"
    if task.goal == "corners" and (holes or min(rows, columns) < 2):
        return "corners", "needs a full grid of two rows and columns or more, so that there are four corners"
    return None


def _violated(task: Task, constraint: str, problem: str) -> ParameterError:
    return ParameterError(
        f"{DOMAIN}/{task.name}",
        f"constraint '{constraint}': {problem}",
        "change the parameters or the limits of domains/visitall/domain.yaml",
    )


# ---- problems


def build(task: Task, parameters: Parameters, rng: random.Random) -> Generated:
    """The problem of ``parameters``; ``rng`` gives the names and what the parameters leave open.

    Raises ParameterError naming the violated constraint.
    """
    if task not in TASKS:
        raise _violated(task, "task", "the domain has no such task")
    cells = _cells(task, parameters)
    names = [f"loc{number}" for number in range(1, len(cells) + 1)]
    rng.shuffle(names)
    board = dict(zip(cells, names, strict=True))
    graph = _grid(board)
    start = board[_cell(parameters["start"])]
    goal = _goal(task.goal, graph, start, parameters, rng)
    ways = {("connected", place, other) for place, others in graph.items() for other in others}
    objects = tuple(sorted(TypedName(name, ("place",)) for name in names))
    init = frozenset(ways | {("at-robot", start), ("visited", start)})
    told = {name: value for name, value in parameters.items() if name != "wanted"}
    told["layout"] = [
        [board.get((row, column), "") for column in range(1, parameters["columns"] + 1)]
        for row in range(1, parameters["rows"] + 1)
    ]
    told["start"] = start
    return Generated(
        Problem(task.name, DOMAIN, objects, init, literals(goal)), task, told, {"places": len(names)}
    )


def _cell(pair: Iterable[int]) -> Cell:
    row, column = pair
    return row, column


def _cells(task: Task, parameters: Parameters) -> list[Cell]:
    """The cells that are there; raises ParameterError where a constraint does not hold."""
    rows, columns = parameters["rows"], parameters["columns"]
    full = [(row, column) for row in range(1, rows + 1) for column in range(1, columns + 1)]
    holes = {_cell(pair) for pair in parameters["holes"]}
    left = [cell for cell in full if cell not in holes]
    fault = _shape_fault(task, rows, columns, len(holes))
    if fault is None and (not holes <= set(full) or not _connected(left)):
        fault = "holes", "the holes must lie in the grid and leave the other places connected"
    if fault is None and _cell(parameters["start"]) not in left:
        fault = "start", "the robot must start at a place that is there"
    if fault is None and not 1 <= parameters.get("wanted", 1) < len(left):
        fault = "wanted", "needs one wanted place or more, but not all places"
    if fault:
        raise _violated(task, *fault)
    return left


def _grid(board: dict[Cell, str]) -> Graph:
    """Each place with its neighbors, sorted."""
    return {
        name: sorted(
            board[row + down, column + right]
            for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1))
            if (row + down, column + right) in board
        )
        for (row, column), name in board.items()
    }


def _goal(goal: str, graph: Graph, start: str, parameters: Parameters, rng: random.Random) -> set[Atom]:
    """The goal facts; what holds at first is left out of chosen places, never of all."""
    if goal == "visit_some":
        others = sorted(place for place in graph if place != start)
        wanted = rng.sample(others, parameters["wanted"])
    elif goal == "corners":
        wanted = [place for place, others in graph.items() if len(others) == 2]
    elif goal == "farthest":
        distances = _distances(graph, start)
        wanted = [place for place in graph if distances[place] == max(distances.values())]
    else:
        wanted = list(graph)
    goal_facts: set[Atom] = {("visited", place) for place in wanted}
    return goal_facts | {("at-robot", start)} if goal == "round_trip" else goal_facts


def _distances(graph: Graph, start: str, without: str | None = None) -> dict[str, int]:
    """Moves from ``start`` to each place that can be reached (never entering ``without``), nearest first."""
    found, queue = {start: 0}, deque([start])
    while queue:
        place = queue.popleft()
        for other in graph[place]:
            if other not in found and other != without:
                found[other] = found[place] + 1
                queue.append(other)
    return found


# ---- plans and closure


def _graph(problem: Problem) -> Graph:
    graph: Graph = {typed.name: [] for typed in problem.objects}
    for _, place, other in sorted(fact for fact in problem.init if fact[0] == "connected"):
        graph[place].append(other)
    return graph


def plan(problem: Problem) -> list[Step] | None:
    """A walk to the nearest wanted place, then to the next, at most places squared steps; or None.

    None where the robot is not in one place, or the walk is stuck: the goal is out of reach, or some way
    leads in one direction only.
    """
    graph, places = _graph(problem), [fact[1] for fact in problem.init if fact[0] == "at-robot"]
    if len(places) != 1:
        return None
    here, steps = places[0], list[Step]()
    pending = {fact[1] for fact in problem.goal_facts - problem.init if fact[0] == "visited"}
    last = [fact[1] for fact in sorted(problem.goal_facts) if fact[0] == "at-robot"]
    while pending or (last and here != last[0]):
        way = _way(graph, here, pending or {last[0]})  # a goal with two ends fails the last check
        if not way:
            return None
        steps += [("move", one, other) for one, other in zip([here, *way], way, strict=False)]
        here = way[-1]
        pending -= set(way)
    return steps if problem.satisfied(_reached(problem, here, steps)) else None


def _way(graph: Graph, here: str, wanted: set[str]) -> list[str]:
    """The places on a shortest way to the nearest of ``wanted``, without ``here``; empty if there is none."""
    before: dict[str, str] = {}
    queue = deque([here])
    while queue:
        place = queue.popleft()
        for other in graph[place]:
            if other not in before:
                before[other] = place
                queue.append(other)
            if other in wanted:
                return _trace(before, here, other)
    return []


def _trace(before: dict[str, str], here: str, place: str) -> list[str]:
    way = [place]
    while before[way[-1]] != here:
        way.append(before[way[-1]])
    return way[::-1]


def _reached(problem: Problem, here: str, steps: list[Step]) -> frozenset[Atom]:
    still = {fact for fact in problem.init if fact[0] != "at-robot"}
    return frozenset(still | {("at-robot", here)} | {("visited", step[2]) for step in steps})


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """The facts of at-robot and visited that hold in every reachable goal state, or None.

    None where ``plan`` gives none, the goal has negative literals, a way leads in one direction only, or
    the start is not visited at first. A place must be visited iff the goal says so, it is visited at
    first, or it lies on every way to a place that the goal wants.
    """
    graph = _graph(problem)
    both_ways = all(place in graph[other] for place, others in graph.items() for other in others)
    start = next((fact[1] for fact in problem.init if fact[0] == "at-robot"), "")
    if not both_ways or ("visited", start) not in problem.init or plan(problem) is None:
        return None
    if not all(literal.positive for literal in problem.goal):
        return None
    return frozenset(_closure(problem, graph, start))


def _closure(problem: Problem, graph: Graph, start: str) -> Iterator[Atom]:
    ends = [fact[1] for fact in problem.goal_facts if fact[0] == "at-robot"] or _distances(graph, start)
    if len(ends) == 1:
        yield "at-robot", next(iter(ends))
    for place in graph:
        if ("visited", place) in problem.init or _unavoidable(problem, graph, start, place):
            yield "visited", place


def _unavoidable(problem: Problem, graph: Graph, start: str, place: str) -> bool:
    """Whether the goal wants ``place`` or something that cannot be reached without it."""
    targets = {fact[1] for fact in problem.goal_facts - problem.init if fact[0] in ("visited", "at-robot")}
    return bool(targets - _distances(graph, start, without=place).keys())
