"""Rovers: what can be sent is known exactly, some goals are out of reach, maps and instruments are sound."""

import random
from itertools import product

import pytest

from tests.every_domain import entry
from tests.generators.brute_force import generate
from tests.generators.explored import reached, solvable
from tests.generators.test_ladders import in_all, state_of

PLACE = entry("rovers")
GENERATOR = PLACE.generator
TASK = {task.name: task for task in GENERATOR.TASKS}
ALL, SOME, CUT, ONE_WAY = (
    TASK[f"{name}"]
    for name in (
        "open_map-to-send_all", "open_map-to-send_some", "cut_off-to-send_some", "one_way-to-send_some",
    )
)  # fmt: skip
SMALL = {
    "rovers": 2,
    "waypoints": 3,
    "samples": 3,
    "objectives": 1,
    "modes": 2,
    "cameras": 2,
    "cut_off": 0,
    "hopeless": 0,
}


def sent(facts):
    return {fact for fact in facts if fact[0].startswith("communicated")}


@pytest.mark.parametrize("seed", range(4))
def test_all_that_can_be_sent_is_sent(seed):
    problem = GENERATOR.build(ALL, SMALL | {"modes": 1}, random.Random(seed)).problem
    assert problem.goal_facts == sent(reached(PLACE, problem))
    assert solvable(PLACE, problem)


@pytest.mark.parametrize(("task", "hopeless"), [*product((SOME, CUT, ONE_WAY), (0, 1))])
def test_goals_are_within_reach_unless_hopeless(task, hopeless):
    cut = {"rovers": 1, "cut_off": int(task == CUT), "hopeless": hopeless}
    for seed in range(15):
        problem = GENERATOR.build(task, SMALL | cut, random.Random(seed)).problem
        assert solvable(PLACE, problem) == (not hopeless)
        assert sent(problem.init) == set()


def test_little_that_can_be_sent_is_helped(monkeypatch):
    """A rover without any instrument gets one, a way, and something to sample."""
    monkeypatch.setattr(GENERATOR, "FEWEST", 99)
    monkeypatch.setattr(GENERATOR, "DRAWS", 1)
    for seed in range(15):
        bare = SMALL | {"samples": 0, "rovers": 1}
        assert solvable(PLACE, GENERATOR.build(ALL, bare, random.Random(seed)).problem)


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_maps_and_instruments_are_sound(level):
    for seed, task in enumerate(GENERATOR.TASKS * 4):
        parameters, generated = generate(PLACE, task, level, seed)
        facts, names = generated.problem.init, {}
        for typed in generated.problem.objects:
            names.setdefault(typed.types[0], []).append(typed.name)
        stated = {kind: sorted(f[1:] for f in facts if f[0] == kind) for kind in PLACE.domain.predicate_named}
        for kind in ("rover", "waypoint", "camera", "objective", "mode"):
            assert len(names[kind]) == parameters[kind + "s"]
        assert len(stated["at_lander"]) == 1
        assert [rover for rover, _ in stated["at"]] == names["rover"]
        assert [store for store, _ in stated["store_of"]] == [store for (store,) in stated["empty"]]
        assert {camera for camera, _ in stated["supports"]} == set(names["camera"])
        for kind in ("on_board", "calibration_target"):
            assert [camera for camera, _ in stated[kind]] == sorted(names["camera"])
        assert {objective for objective, _ in stated["visible_from"]} == set(names["objective"])
        assert {(b, a) for a, b in stated["visible"]} == set(stated["visible"])
        assert {way[1:] for way in stated["can_traverse"]} <= set(stated["visible"])
        untrodden = set(names["waypoint"]) - {place for _, *way in stated["can_traverse"] for place in way}
        standing = {place for _, place in stated["at"]}
        assert len(untrodden - standing) >= parameters["cut_off"]


def test_steps_counted_for_images_are_at_most_those_of_a_shortest_plan():
    """In every state of small problems with one camera; of most problems they are as many."""
    one_camera, counts = SMALL | {"rovers": 1, "samples": 0, "cameras": 1, "objectives": 2}, []
    for seed in range(20):
        problem = GENERATOR.build(ALL, one_camera, random.Random(seed)).problem
        found = in_all(problem, PLACE)
        for state, distance in enumerate(found[1]) if found else ():
            counted = PLACE.fewest_steps(state_of(problem, found[0], state)) if distance >= 0 else None
            assert counted is None or counted <= distance, problem
            counts += [] if counted is None else [(state, counted == distance)]
    at_first = [equal for state, equal in counts if state == 0]
    assert len(at_first) > 5
    assert sum(at_first) > len(at_first) / 2
    assert len(counts) > 100
