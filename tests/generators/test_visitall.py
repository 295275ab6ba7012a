"""Visit-all: connected grids, plans that cover the goal, and closures against exhaustive search."""

import re
from collections import Counter
from itertools import product

import pytest

from orrery.language.words import names_by_type
from orrery.model import Problem, literals
from tests.every_domain import entry
from tests.generators.brute_force import generate

PLACE = entry("visitall")
GENERATOR = PLACE.generator
TASK = {task.name: task for task in GENERATOR.TASKS}


NAMELESS = [task for task in GENERATOR.TASKS if task.init != "grid"]


def map_of(problem):
    """The places, each with those that it is connected to."""
    neighbours = {typed.name: set() for typed in problem.objects}
    for fact in problem.init:
        if fact[0] == "connected":
            neighbours[fact[1]].add(fact[2])
    return neighbours


def moves(near, start):
    """The least number of moves from the start to each place."""
    distance, edge = {start: 0}, [start]
    for place in edge:
        edge += sorted(near[place] - distance.keys())
        distance |= {neighbour: distance[place] + 1 for neighbour in near[place] if neighbour not in distance}
    return distance


def cells(generated):
    """Each place's (row, column), from what the text says."""
    rows = enumerate(generated.init_parameters["layout"], 1)
    return {name: (row, column) for row, names in rows for column, name in enumerate(names, 1) if name}


@pytest.mark.parametrize("seed", range(10))
def test_places_are_connected_iff_they_are_neighbors_in_the_grid_that_is_reported(seed):
    generated = generate(PLACE, TASK["grid-to-visit_all"], "hard", seed)[1]
    place = cells(generated)
    pairs = {(fact[1], fact[2]) for fact in generated.problem.init if fact[0] == "connected"}
    assert pairs == {
        (first, second)
        for first, (row, column) in place.items()
        for second, (below, beside) in place.items()
        if abs(row - below) + abs(column - beside) == 1
    }
    assert {name for fact in generated.problem.init for name in fact[1:]} == set(place)
    full = generated.init_parameters["rows"] * generated.init_parameters["columns"]
    assert full - len(place) == len(generated.init_parameters["holes"])


def test_goals_are_what_they_are_named():
    for seed in range(10):
        generated_by_goal = {goal: generate(PLACE, TASK[f"grid-to-{goal}"], "medium", seed)[1] for goal in
                ("visit_all", "visit_some", "corners", "farthest", "round_trip")}  # fmt: skip
        wanted = {
            goal: {fact[1] for fact in g.problem.goal_facts if fact[0] == "visited"}
            for goal, g in generated_by_goal.items()
        }
        assert wanted["visit_all"] == set(cells(generated_by_goal["visit_all"]))
        assert 0 < len(wanted["visit_some"]) < len(cells(generated_by_goal["visit_some"]))
        place, shape = cells(generated_by_goal["corners"]), generated_by_goal["corners"].init_parameters
        assert {place[name] for name in wanted["corners"]} == {
            (row, column) for row in (1, shape["rows"]) for column in (1, shape["columns"])
        }
        # The farthest places are those that an exhaustive search reaches last.
        problem = generated_by_goal["farthest"].problem
        lengths = {}
        for name in cells(generated_by_goal["farthest"]):
            alone = Problem("p", "visitall", problem.objects, problem.init, literals([("visited", name)]))
            lengths[name] = len(PLACE.planner(alone))
        assert wanted["farthest"] == {name for name in lengths if lengths[name] == max(lengths.values())}
        trip = generated_by_goal["round_trip"].problem
        assert (
            "at-robot",
            generated_by_goal["round_trip"].init_parameters["start"],
        ) in trip.goal_facts & trip.init
        assert wanted["round_trip"] == set(cells(generated_by_goal["round_trip"]))


DEGREES = {  # how many places have how many neighbors, by rows, columns and places
    "ring": lambda rows, columns, n: {2: n},
    "line": lambda rows, columns, n: {1: 2, 2: n - 2} if n > 2 else {1: 2},
    "star": lambda rows, columns, n: (
        {columns: 1, 1: columns} | {2: 0}
        if rows == 1
        else Counter({1: columns, 2: (rows - 1) * columns}) + Counter({columns: 1})
    ),
    "comb": lambda rows, columns, n: Counter({1: columns, 2: 2 + columns * (rows - 2), 3: columns - 2}),
}


@pytest.mark.parametrize("task", NAMELESS, ids=lambda task: task.name)
@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_maps_without_names_have_their_shape_and_say_no_name(task, level):
    for seed in range(6):
        parameters, generated = generate(PLACE, task, level, seed)
        near, said = map_of(generated.problem), generated.init_parameters
        rows, columns, limits = (
            parameters["rows"],
            parameters["columns"],
            PLACE.description.difficulties[level],
        )
        assert said["places"] == len(near) <= limits["rows"][1] * limits["columns"][1]
        assert not near.keys() & set(re.findall(r"\w+", repr(said)))
        assert len(moves(near, next(iter(near)))) == len(near)
        assert all(place in near[neighbour] for place, neighbours in near.items() for neighbour in neighbours)
        degrees = Counter(len(neighbours) for neighbours in near.values())
        if shape := DEGREES.get(task.init):
            assert degrees == +Counter(shape(rows, columns, len(near)))
        if task.init == "two_rooms":
            within = rows * (columns - 1) + columns * (rows - 1)
            assert len(near) == 2 * rows * columns + 1
            assert sum(degree * n for degree, n in degrees.items()) == 4 * within + 4


def test_goals_on_maps_without_names_are_what_they_are_named():
    for seed, task in product(range(6), NAMELESS):
        problem = generate(PLACE, task, "medium", seed)[1].problem
        near, start = map_of(problem), next(f[1] for f in problem.init if f[0] == "at-robot")
        far = moves(near, start)
        farthest = {place for place in near if far[place] == max(far.values())}
        wanted = {fact[1] for fact in problem.goal_facts if fact[0] == "visited"}
        expected = {
            "ends": {place for place, neighbours in near.items() if len(neighbours) == 1},
            "even": {place for place in near if far[place] % 2 == 0},
            "around": near[start],
            "farthest": farthest,
            "border": {place for place, neighbours in near.items() if len(neighbours) < 4},
            "corners": {place for place, neighbours in near.items() if len(neighbours) == 2},
        }
        assert wanted == expected.get(task.goal, set(near))
        last = {"finish_far": farthest, "round_trip": {start}}.get(task.goal, set())
        assert {fact[1] for fact in problem.goal_facts if fact[0] == "at-robot"} == last


def test_a_row_without_places_is_told_in_a_word():
    generated = generate(PLACE, TASK["grid-to-visit_all"], "hard", 0)[1]
    places = [typed.name for typed in generated.problem.objects][:2]
    grid = {"layout": [[None, None], places], "holes": [[1, 1], [1, 2]], "rows": 2, "columns": 2, "places": 2}
    parameters = generated.init_parameters | grid
    names = names_by_type(generated.problem, PLACE.domain)
    turns = range(0, 64 * 8, 64)  # eight shapes of the grid and eight ways to read it come first
    passages = {PLACE.words.passage("init", "grid", parameters, names, turn) for turn in turns}
    assert any("Row 1 has nothing but holes; row 2 has" in text for text in passages)
    assert not any("a hole and a hole" in text for text in passages)
