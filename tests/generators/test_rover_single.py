"""Rover-single: every task builds what it names, its text determines it, plans and closures are exact."""

import random
from collections import Counter
from itertools import product

import pytest
import rustworkx

from orrery.language.words import names_by_type
from orrery.model import Atom, ParameterError, Problem
from tests.effort import slow
from tests.every_domain import entry, words
from tests.generators.brute_force import made

PLACE = entry("rover-single")
GENERATOR = PLACE.generator
LEVELS = ("easy", "medium", "hard", "vast")
MAPS = ("grid", "line", "circle", "star", "partitioned")
ALL = ("rocks", "soil", "images")
SENT = {
    "rover_at_lander": (), "transmit_rocks": ("rocks",), "transmit_soil": ("soil",),
    "transmit_objectives": ("images",), "transmit_all": ALL, "transmit_all_and_return": ALL,
}  # fmt: skip
FACTS = {  # to be had, on board, sent
    "rocks": ("at_rock_sample", "have_rock_analysis", "communicated_rock_data"),
    "soil": ("at_soil_sample", "have_soil_analysis", "communicated_soil_data"),
    "images": ("visible_from", "have_image", "communicated_image_data"),
}


def some(facts, *names: str):
    """The arguments of the facts of these predicates."""
    return {fact[1:] for fact in facts if fact[0] in names}


def only(facts, name):
    ((arguments,),) = some(facts, name)
    return arguments


def of_type(problem, kind):
    return [typed.name for typed in problem.objects if typed.types == (kind,)]


# ---- tasks


def test_the_tasks_are_ten_layouts_with_names_and_four_without_times_six_goals():
    layouts = {f"{name}_{start}" for name in MAPS for start in ("navigate", "analysis")}
    surveys = {f"{name}_survey" for name in MAPS if name != "partitioned"}
    assert {(p.init, p.goal) for p in GENERATOR.TASKS} == set(product(layouts | surveys, SENT))
    assert len(GENERATOR.TASKS) == 84
    assert {p.init for p in GENERATOR.TASKS if p.strict} == surveys
    assert {p.init for p in GENERATOR.TASKS[:10]} == layouts
    assert {p.goal for p in GENERATOR.TASKS[:10]} == set(SENT)


def wanted_map(name, shape):
    """The map that the specification names, made by another library."""
    graphs = rustworkx.generators
    if name == "grid":
        return graphs.grid_graph(*shape)
    if name == "partitioned":
        return rustworkx.graph_union(graphs.complete_graph(shape[0]), graphs.complete_graph(shape[1]))
    return {"line": graphs.path_graph, "circle": graphs.cycle_graph, "star": graphs.star_graph}[name](
        shape[0]
    )


@slow
def test_each_map_is_what_its_name_says():
    for parameters, generated in made("rover-single", range(3), LEVELS):
        problem, name = generated.problem, generated.task.init.partition("_")[0]
        roads = some(problem.init, "can_traverse")
        assert roads == some(problem.init, "visible") == {way[::-1] for way in roads}
        places = {place: i for i, place in enumerate(of_type(problem, "waypoint"))}
        graph = rustworkx.PyGraph()
        graph.add_nodes_from([None] * len(places))
        graph.add_edges_from([(places[a], places[b], None) for a, b in roads if a < b])
        assert rustworkx.is_isomorphic(graph, wanted_map(name, parameters["init"]["shape"]))


@slow
def test_each_start_and_goal_are_what_their_names_say():
    for parameters, generated in made("rover-single", range(4), LEVELS):
        problem, (_, _, start) = generated.problem, generated.task.init.partition("_")
        init, goal = problem.init, problem.goal_facts
        reach = reached(init, only(init, "at_rover"))
        assert only(init, "at_lander") in reach
        aboard, out = ({name for kind in ALL for name in [FACTS[kind][i]]} for i in (1, 0))
        assert not some(init, *(out if start == "navigate" else aboard))
        expected: set[Atom] = set()
        for kind in SENT[generated.task.goal]:
            expected |= {(FACTS[kind][2], *data) for data in to_send(problem, kind, start, reach)}
            assert any(fact[0] == FACTS[kind][2] for fact in expected)
        if "lander" in generated.task.goal or "return" in generated.task.goal:
            expected.add(("at_rover", only(init, "at_lander")))
        assert goal == expected
        assert not problem.satisfied(init)
        assert len(init) + len(goal) == GENERATOR._propositions(generated.task, parameters["init"])
        assert {mode for _, mode in some(init, "supports")} == set(of_type(problem, "mode"))
        assert {camera for camera, _ in some(init, "supports")} == set(of_type(problem, "camera"))


def reached(init, start):
    reached, roads = {start}, some(init, "can_traverse") & some(init, "visible")
    while new := {b for a, b in roads if a in reached} - reached:
        reached |= new
    return reached


def to_send(problem, kind, start, reach):
    """The data of a kind that the rover has or can gather."""
    init = problem.init
    if start == "navigate":
        return some(init, FACTS[kind][1])
    if kind != "images":
        return {data for data in some(init, FACTS[kind][0]) if data[0] in reach}
    seen = {objective for objective, place in some(init, "visible_from") if place in reach}
    return set(product(seen, of_type(problem, "mode")))


def test_parts_of_the_map_are_apart_and_the_other_part_often_holds_something():
    out_of_reach = Counter()
    for _, generated in made("rover-single", range(6), ("easy", "hard")):
        if generated.task.init == "partitioned_analysis":
            init = generated.problem.init
            reach = reached(init, only(init, "at_rover"))
            assert reach < set(of_type(generated.problem, "waypoint"))
            samples = {data[0] for data in some(init, "at_rock_sample", "at_soil_sample")}
            out_of_reach[bool(samples - reach)] += 1
    assert out_of_reach[True] > 20


@slow
@pytest.mark.parametrize("level", LEVELS)
def test_sizes_lie_within_the_limits(level):
    limits = PLACE.description.difficulties[level]
    for _, generated in made("rover-single", range(4), (level,)):
        problem = generated.problem
        sizes = {
            f"{kind}s": len(of_type(problem, kind)) for kind in ("waypoint", "objective", "mode", "camera")
        }
        sizes["propositions"] = len(problem.init) + len(problem.goal)
        assert all(limits[key][0] <= n <= limits[key][1] for key, n in sizes.items())
        for kind in ("rocks", "soil"):
            n = len(some(problem.init, *FACTS[kind][:2]))
            least = limits["samples"][0] if kind in SENT[generated.task.goal] else 0
            assert least <= n <= limits["samples"][1]


# ---- words


def every_init(name, start):
    """Parameters on the smallest map: all positions, samples, objectives, modes and cameras of few kinds."""
    shape = {"grid": [2, 2], "line": [2], "circle": [3], "star": [4], "partitioned": [2, 1]}[name]
    n = shape[0] * shape[1] if name == "grid" else sum(shape)
    home = shape[0] if name == "partitioned" else n
    cameras = {1: [[[0]], [[0], [0]]], 2: [[[0, 1]], [[0], [1]], [[0, 1], [1]]]}
    samples = [[], [0], [n - 1], [0, n - 1]]
    choices_found = []
    for modes in (1, 2):
        listed = (
            [[0], [n - 1], [0, 1]]
            if start == "analysis"
            else [[i] for i in range(modes)] + [[0, 1]][: modes - 1]
        )
        lists = [*([choice] for choice in listed), *(list(pair) for pair in product(listed, repeat=2))]
        choices = product(range(home), range(home), cameras[modes], samples, samples, lists)
        keys_ = ("lander", "rover", "cameras", "rocks", "soil", "views" if start == "analysis" else "images")
        choices_found += [
            {"shape": shape, "modes": modes, **dict(zip(keys_, choice, strict=True))} for choice in choices
        ]
    return choices_found


@slow
@pytest.mark.parametrize("start", ["navigate", "analysis"])
@pytest.mark.parametrize("name", MAPS)
def test_an_initial_text_determines_its_problem_to_the_letter(name, start):
    """Different problems of one naming have different texts, and one text never describes two problems."""
    stated: dict[str, Problem] = {}
    problems = set()
    parameters = every_init(name, start)
    for init in parameters[:: max(1, len(parameters) // 250)]:
        task = next(
            p for p in GENERATOR.TASKS if p.init == f"{name}_{start}" and not faulty(p, init)
        )  # any goal that can be asked: only the initial state counts here
        for seed in range(2):
            generated = GENERATOR.build(task, {"init": init, "goal": {}}, random.Random(seed))
            names = names_by_type(generated.problem, PLACE.domain)
            text = words("rover-single").passage("init", task.init, generated.init_parameters, names, 0)
            problem = generated.problem.objects, generated.problem.init
            assert stated.setdefault(text, problem) == problem
            problems.add(problem)
    assert len(problems) > 200


def faulty(task, init):
    try:
        GENERATOR.build(task, {"init": init, "goal": {}}, random.Random(0))
    except ParameterError:
        return True
    return False
