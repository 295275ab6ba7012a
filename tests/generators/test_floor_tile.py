"""Floor-tile: its configurations are what they are named, plans work, closures equal exhaustive search."""

import random
import re
from dataclasses import replace
from functools import partial
from itertools import chain, combinations, pairwise, product

import pytest

from orrery.model import (
    Problem,
    TypedName,
    literals,
    parameters_beside,
)
from tests.effort import by_day, slow
from tests.every_domain import entry, words
from tests.generators import prose
from tests.generators.brute_force import exact_goals, generate

PLACE = entry("floor-tile")
GENERATOR = PLACE.generator
TASK = {task.name: task for task in GENERATOR.TASKS}
BOARD = {"colors": 4, "robots": 2, "start": "corner", "held": "same"}


def built(name, seed=0, **parameters):
    return GENERATOR.build(TASK[name], parameters, random.Random(seed))


def cells(problem):
    """Each tile's (row, column), read from the adjacency facts alone."""
    up = {fact[1]: fact[2] for fact in problem.init if fact[0] == "up"}
    to_the_left = {fact[1]: fact[2] for fact in problem.init if fact[0] == "right"}
    steps = lambda tile, roads: 0 if tile not in roads else 1 + steps(roads[tile], roads)  # noqa: E731
    tiles = [typed.name for typed in problem.objects if typed.types == ("tile",)]
    height = max(steps(tile, up) for tile in tiles)
    return {tile: (height - steps(tile, up), steps(tile, to_the_left)) for tile in tiles}


def paint(problem):
    """Each tile's set of wanted colors."""
    color_of = {}
    for _, tile, color in problem.goal_facts:
        color_of.setdefault(tile, set()).add(color)
    return color_of


def test_the_nine_tasks_are_offered():
    assert len(TASK) == 9
    assert [name for name, task in TASK.items() if task.tied] == ["disconnected_rows-to-disconnected_rows"]


@pytest.mark.parametrize("shape", [(1, 2), (2, 3), (3, 5), (5, 2)])
def test_checkerboards_alternate_on_every_grid(shape):
    problem = built("grid-to-checkerboard", rows=shape[0], columns=shape[1], **BOARD).problem
    color, place = paint(problem), cells(problem)
    assert sorted(color) == sorted(place)
    assert len(frozenset().union(*color.values())) == 2
    for first, (row, column) in place.items():
        for second, place_below in place.items():
            if place_below in ((row + 1, column), (row, column + 1)):
                assert color[first].isdisjoint(color[second])


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_rings_have_a_color_each_and_the_text_names_those_there_are(size):
    generated = built("rings-to-rings", size=size, **BOARD)
    color, place = paint(generated.problem), cells(generated.problem)
    depth = {
        tile: min(row, column, size - 1 - row, size - 1 - column) for tile, (row, column) in place.items()
    }
    assert (
        generated.goal_parameters["rings"] == len(set(depth.values())) == len(set(map(str, color.values())))
    )
    for tile in place:
        assert {second for second in place if color[second] == color[tile]} == {
            o for o in place if depth[o] == depth[tile]
        }
    for index, ring in enumerate(generated.init_parameters["rings"]):
        assert {tile for tile in place if depth[tile] == index} == set(ring)
        # Clockwise from the upper left tile: each next tile lies beside the one before.
        assert place[ring[0]] == (index, index)
        for first, second in pairwise(ring):
            assert sum(abs(a - b) for a, b in zip(place[first], place[second], strict=True)) == 1
        assert len(ring) == 1 or place[ring[1]] == (index, index + 1)


@pytest.mark.parametrize(("size", "palette"), [(3, 1), (3, 2), (4, 1), (6, 2)])
def test_the_x_covers_both_diagonals(size, palette):
    problem = built("grid-to-paint_x", rows=size, columns=size, palette=palette, **BOARD).problem
    color, place = paint(problem), cells(problem)
    crossed = {tile for tile, (row, column) in place.items() if row == column or row + column == size - 1}
    assert set(color) == (crossed if palette == 1 else set(place))
    assert len({str(color[tile]) for tile in crossed}) == 1
    assert len(set(map(str, color.values()))) == palette


@by_day(4)
@pytest.mark.parametrize("level", PLACE.description.difficulties)
@pytest.mark.parametrize("task", [task for task in GENERATOR.TASKS if not task.tied], ids=str)
def test_texts_say_which_tile_is_where_or_name_no_object(task, level):
    named = 0
    for seed in range(20):
        _, generated = generate(PLACE, task, level, seed)
        parameters = generated.init_parameters
        listed = {"layout", "rings"} & parameters.keys()
        for beside in (False, True):
            changed = replace(generated, init_parameters=parameters_beside(parameters, explicit_goal=beside))
            text = prose.abstract(words("floor-tile"), PLACE.domain, changed, seed)
            known_names = {typed.name for typed in generated.problem.objects} & {*re.findall(r"[\w-]+", text)}
            tiles = {typed.name for typed in generated.problem.objects if typed.types == ("tile",)}
            on_map = listed or (beside and task.goal not in GENERATOR.ANYWHERE)
            assert known_names >= tiles if on_map else not known_names, text
        named += bool(listed)
    assert 0 < named < 12


@pytest.mark.parametrize("goal", GENERATOR.ANYWHERE)
def test_goals_told_without_a_map_are_the_same_for_all_tiles(goal):
    problem = built(f"grid-to-{goal}", rows=2, columns=2, **BOARD).problem
    tiles = {typed.name for typed in problem.objects if typed.types == ("tile",)}
    assert paint(problem).keys() == tiles
    assert len({str(color) for color in paint(problem).values()}) in (1, len(tiles))


def test_robots_on_one_tile_are_counted_where_they_have_no_names():
    said = partial(prose.abstract, words("floor-tile"), PLACE.domain)
    parameters = {"colors": 4, "robots": 3, "start": "scattered", "held": "own", "places": [5, 3, 3]}
    generated = built("grid-to-paint_all", rows=2, columns=3, named=False, **parameters)
    assert generated.init_parameters["cells"] == [[2, 1, 2], [2, 3, 1]]
    assert "two in row 2, column 1; one in row 2, column 3" in said(generated)
    problems_built = built(
        "grid-to-paint_all", rows=2, columns=3, named=False, **(parameters | {"robots": 2, "places": [3, 3]})
    )
    assert "start as follows: both in row 2, column 1." in said(problems_built)


def test_all_different_gives_each_tile_its_own_color():
    problem = built("grid-to-all_different", rows=2, columns=3, **(BOARD | {"colors": 7})).problem
    assert len(paint(problem)) == 6 == len({str(color) for color in paint(problem).values()})


def test_disconnected_rows_want_both_ends_in_the_color_of_their_robot():
    problem = built("disconnected_rows-to-disconnected_rows", lengths=[2, 4, 4]).problem
    assert not any(fact[0] in ("up", "available-color") for fact in problem.init)
    held = {fact[1]: fact[2] for fact in problem.init if fact[0] == "robot-has"}
    to_the_left = {fact[1]: fact[2] for fact in problem.init if fact[0] == "right"}
    ends = {}
    for tile in (typed.name for typed in problem.objects if typed.types == ("tile",)):
        if tile not in to_the_left.values():
            start = tile
            while start in to_the_left:
                start = to_the_left[start]
            ends[start] = tile
    wanted = {("painted", tile, held[fact[1]]) for fact in problem.init if fact[0] == "robot-at"
              for tile in (fact[2], ends[fact[2]])}  # fmt: skip
    assert problem.goal == literals(wanted)
    assert len(set(held.values())) == 3


def test_scattered_robots_stand_where_the_parameters_say():
    """So that a second problem of the same parameters has the same text, and must be the same."""
    places = {"rows": 2, "columns": 3, "start": "scattered", "robots": 2, "places": [5, 0]}
    for seed in range(5):
        stated = built("grid-to-paint_all", seed, **(BOARD | places)).init_parameters
        assert sorted(stated["places"].values()) == [[1, 1], [2, 3]]
    limits, rng = {"rows": (2, 3), "columns": (2, 3)}, random.Random(0)
    drawn = [GENERATOR.draw(TASK["grid-to-paint_all"], limits, rng) for _ in range(100)]
    for parameters in drawn:
        assert len(parameters.get("places", ())) == parameters["robots"] * (
            parameters["start"] == "scattered"
        )


TINY = [("painted", tile, color) for tile in "ab" for color in "xy"]
TINY += [("robot-at", robot, tile) for robot in "rs" for tile in "ab"]
TINY += [("robot-has", robot, color) for robot in "rs" for color in "xy"]


@slow
@pytest.mark.parametrize("roads", [[], ["right b a"]], ids=["apart", "joined"])
@pytest.mark.parametrize("available", ["", "x", "xy"])
def test_closures_of_every_goal_of_three_facts_for_two_robots_with_few_available_colors(available, roads):
    floor = [*roads, *(f"available-color {color}" for color in available)]
    goals = list(chain.from_iterable(combinations(TINY, size) for size in range(4)))
    implied = 0
    for tile, first, second in product("ab", "xy", "xy"):
        robots = ["robot-at r a", f"robot-at s {tile}", f"robot-has r {first}", f"robot-has s {second}"]
        outcomes = exact_goals(PLACE, problem_of([*floor, *robots], []), goals)
        implied += outcomes.total() - len(goals)
    assert implied or (available == "xy" and roads)


def problem_of(init, goal, tiles="ab", colors="xy", robots="rs"):
    kinds = [
        TypedName(n, (k,))
        for k, names in (("tile", tiles), ("color", colors), ("robot", robots))
        for n in names
    ]
    facts = frozenset(tuple(fact.split()) for fact in init)
    return Problem(
        "p", "floor-tile", tuple(sorted(kinds)), facts, literals(tuple(fact.split()) for fact in goal)
    )
