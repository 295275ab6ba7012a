"""Rovers: what can be sent is known exactly, some goals are out of reach, maps and instruments are sound."""

import random

import pytest

from tests.every_domain import entry
from tests.generators.brute_force import generate, reached, solvable
from tests.generators.test_ladders import in_all, state_of
from tests.generators.test_refusals import BASES

PLACE = entry("rovers")
GENERATOR = PLACE.generator
TASK = {task.name: task for task in GENERATOR.TASKS}
ALL = TASK["open_map-to-send_all"]


def sent(facts):
    return {fact for fact in facts if fact[0].startswith("communicated")}


@pytest.mark.parametrize("seed", range(4))
def test_all_that_can_be_sent_is_sent(seed):
    problem = GENERATOR.build(ALL, BASES["rovers"] | {"modes": 1}, random.Random(seed)).problem
    assert problem.goal_facts == sent(reached(PLACE, problem))
    assert solvable(PLACE, problem)


def test_little_that_can_be_sent_is_helped(monkeypatch):
    """A rover without any instrument gets one, a way, and something to sample."""
    monkeypatch.setattr(GENERATOR, "FEWEST", 99)
    monkeypatch.setattr(GENERATOR, "DRAWS", 1)
    for seed in range(15):
        bare = BASES["rovers"] | {"samples": 0, "rovers": 1}
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
        assert {camera for camera, _ in stated["supports"]} == set(names["camera"])
        assert {objective for objective, _ in stated["visible_from"]} == set(names["objective"])
        assert {(b, a) for a, b in stated["visible"]} == set(stated["visible"])
        assert {way[1:] for way in stated["can_traverse"]} <= set(stated["visible"])
        untrodden = set(names["waypoint"]) - {place for _, *way in stated["can_traverse"] for place in way}
        standing = {place for _, place in stated["at"]}
        assert len(untrodden - standing) >= parameters["cut_off"]


@pytest.mark.slow
def test_steps_counted_for_images_are_at_most_those_of_a_shortest_plan():
    """In every state of small problems with one camera; of most problems they are as many."""
    one_camera, counts = BASES["rovers"] | {"rovers": 1, "samples": 0, "cameras": 1, "objectives": 2}, []
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
