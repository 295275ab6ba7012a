"""Visit-all: grids with holes, a planner that walks to the nearest wanted place, the closure of goals."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from orrery.generator_kit import (
    Cell,
    Fault,
    ParameterSpace,
    adjacency,
    distances,
    grid,
    numbered,
    shortest_path,
    shuffled,
    typed,
)
from orrery.model import Atom, Generated, Limits, Parameters, Problem, Step, Task, literals

DOMAIN = "visitall"
TASKS: tuple[Task, ...] = (
    *(Task("grid", goal) for goal in ("visit_all", "visit_some", "corners")),
    # These goals speak of the place where the robot starts.
    *(Task("grid", goal, strict=True) for goal in ("farthest", "round_trip")),
)
WIDEST: Limits = {"rows": (1, 5), "columns": (1, 5), "holes": (0, 4)}

Graph = dict[str, list[str]]


# ---- parameters


def draw(task: Task, limits: Limits, rng: random.Random) -> Parameters:
    """Draw a shape, the cells that are missing and the start, within ``limits`` (rows, columns, holes).

    Cells are [row, column] from 1. Raises ParameterError where no shape within the limits fits.
    """
    rows, columns, holes = SPACE.size(task, limits, rng, _shape_faults).values()
    cells = grid(rows, columns, 1)
    missing = _draw_holes(cells, holes, rng)
    left = [cell for cell in cells if cell not in missing]
    parameters: Parameters = {"rows": rows, "columns": columns, "holes": [list(cell) for cell in missing]}
    parameters["start"] = list(rng.choice(left))
    if task.goal == "visit_some":
        parameters["wanted"] = rng.randint(1, len(left) - 1)
    return parameters


def _draw_holes(cells: list[Cell], holes: int, rng: random.Random) -> list[Cell]:
    """Draw cells to remove, one by one, so that the others stay connected; some cell always can go."""
    left = list(cells)
    for _ in range(holes):
        order = rng.sample(left, len(left))
        left.remove(next(cell for cell in order if _connected([other for other in left if other != cell])))
    return [cell for cell in cells if cell not in left]


def _connected(cells: list[Cell]) -> bool:
    near = adjacency(cells)
    return not cells or len(distances(cells[0], near.__getitem__)) == len(cells)


def _shape_faults(task: Task, shape: Parameters) -> Iterator[Fault]:
    """Yield what the numbers of rows, columns and holes violate together."""
    rows, columns, holes = (shape[key] for key in WIDEST)
    if rows < 1 or columns < 1 or rows * columns - holes < 2:
        yield "places", "needs at least two places"
    if task.goal == "corners" and (holes or min(rows, columns) < 2):
        yield "corners", "needs a full grid of two rows and columns or more, so that there are four corners"


def _constraints(task: Task, parameters: Parameters) -> Iterator[Fault]:
    """Yield what the parameters violate."""
    full, holes = grid(parameters["rows"], parameters["columns"], 1), {*map(_cell, parameters["holes"])}
    left = _cells(parameters)
    yield from _shape_faults(task, {**parameters, "holes": len(holes)})
    if not holes <= {*full} or not _connected(left):
        yield "holes", "the holes must lie in the grid and leave the other places connected"
    if _cell(parameters["start"]) not in left:
        yield "start", "the robot must start at a place that is there"
    if not 1 <= parameters.get("wanted", 1) < len(left):
        yield "wanted", "needs one wanted place or more, but not all places"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, None, _constraints)


# ---- problems


def build(task: Task, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``; ``rng`` gives the names and what the parameters leave open.

    Raises ParameterError naming the violated constraint.
    """
    SPACE.check(task, parameters)
    cells = _cells(parameters)
    names = shuffled(numbered("loc", len(cells)), rng)
    board = dict(zip(cells, names, strict=True))
    graph = _grid(board)
    start = board[_cell(parameters["start"])]
    goal = _goal(task.goal, graph, start, parameters, rng)
    links = {("connected", place, other) for place, others in graph.items() for other in others}
    init = frozenset(links | {("at-robot", start), ("visited", start)})
    init_parameters = {name: value for name, value in parameters.items() if name != "wanted"}
    init_parameters["layout"] = [
        [board.get((row, column), "") for column in range(1, parameters["columns"] + 1)]
        for row in range(1, parameters["rows"] + 1)
    ]
    init_parameters["start"] = start
    problem = Problem(task.name, DOMAIN, typed({"place": names}), init, literals(goal))
    return Generated(problem, task, init_parameters, {"places": len(names)})


def _cell(pair: Iterable[int]) -> Cell:
    row, column = pair
    return row, column


def _cells(parameters: Parameters) -> list[Cell]:
    """List the cells that are there."""
    holes = {*map(_cell, parameters["holes"])}
    return [cell for cell in grid(parameters["rows"], parameters["columns"], 1) if cell not in holes]


def _grid(board: dict[Cell, str]) -> Graph:
    """Map each place to its neighbors, sorted."""
    return {board[cell]: sorted(board[other] for other in near) for cell, near in adjacency(board).items()}


def _goal(goal: str, graph: Graph, start: str, parameters: Parameters, rng: random.Random) -> set[Atom]:
    """Draw the goal facts; those that hold at first are left out of chosen places, never of all."""
    if goal == "visit_some":
        others = sorted(place for place in graph if place != start)
        wanted = rng.sample(others, parameters["wanted"])
    elif goal == "corners":
        wanted = [place for place, others in graph.items() if len(others) == 2]
    elif goal == "farthest":
        moves = distances(start, graph.__getitem__)
        wanted = [place for place in graph if moves[place] == max(moves.values())]
    else:
        wanted = list(graph)
    goal_facts: set[Atom] = {("visited", place) for place in wanted}
    return goal_facts | {("at-robot", start)} if goal == "round_trip" else goal_facts


# ---- plans and closure


def _graph(problem: Problem) -> Graph:
    graph: Graph = {typed.name: [] for typed in problem.objects}
    for _, place, other in sorted(fact for fact in problem.init if fact[0] == "connected"):
        graph[place].append(other)
    return graph


def plan(problem: Problem) -> list[Step] | None:
    """Find a walk to the nearest wanted place, then to the next, at most places squared steps; or None.

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
        # A goal with two ends fails the last check.
        path = shortest_path(here, graph.__getitem__, pending or {last[0]})
        if not path:
            return None
        steps += [("move", one, other) for one, other in zip([here, *path], path, strict=False)]
        here = path[-1]
        pending -= set(path)
    return steps if problem.satisfied(_reached(problem, here, steps)) else None


def _reached(problem: Problem, here: str, steps: list[Step]) -> frozenset[Atom]:
    still = {fact for fact in problem.init if fact[0] != "at-robot"}
    return frozenset(still | {("at-robot", here)} | {("visited", step[2]) for step in steps})


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """Return the facts of at-robot and visited that hold in every reachable goal state, or None.

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
    ends = [fact[1] for fact in problem.goal_facts if fact[0] == "at-robot"]
    ends = ends or list(distances(start, graph.__getitem__))
    if len(ends) == 1:
        yield "at-robot", ends[0]
    for place in graph:
        if ("visited", place) in problem.init or _unavoidable(problem, graph, start, place):
            yield "visited", place


def _unavoidable(problem: Problem, graph: Graph, start: str, place: str) -> bool:
    """Return whether the goal wants ``place`` or something only reachable through it."""
    targets = {fact[1] for fact in problem.goal_facts - problem.init if fact[0] in ("visited", "at-robot")}
    reached = distances(start, lambda here: [other for other in graph[here] if other != place])
    return bool(targets - reached.keys())
