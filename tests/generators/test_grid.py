"""Grid: what can be reached is known exactly, goals are within reach but for a few, layouts are sound."""

import re

import pytest

from tests.every_domain import entry
from tests.generators.brute_force import generate

PLACE = entry("grid")
GENERATOR = PLACE.generator
TOLD = [task for task in GENERATOR.TASKS if task.init != "grid"]


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_there_are_as_many_keys_and_locks_as_asked_for_and_each_lock_has_a_shape(level):
    for seed, task in enumerate(GENERATOR.TASKS):
        parameters, generated = generate(PLACE, task, level, seed)
        problem = generated.problem
        stated = {kind: {f[1] for f in problem.init if f[0] == kind} for kind in ("locked", "lock-shape")}
        assert stated["locked"] == stated["lock-shape"]
        assert len(stated["locked"]) == parameters["locks"]
        assert sum("key" in typed.types for typed in problem.objects) == parameters["keys"]


def neighbors(problem):
    """The places, each with those that it is connected to."""
    neighbours = {typed.name: set() for typed in problem.objects if typed.types == ("place",)}
    for fact in problem.init:
        if fact[0] == "conn":
            neighbours[fact[1]].add(fact[2])
    return neighbours


def ways(init, parameters):
    """How many connections a map has, each counted once."""
    rows, columns = parameters["rows"], parameters["columns"]
    within = rows * (columns - 1) + columns * (rows - 1)
    return 2 * within + 2 if init == "two_rooms" else within


@pytest.mark.parametrize("task", TOLD, ids=lambda task: task.name)
@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_maps_told_without_names_are_what_they_are_named(task, level):
    for seed in range(6):
        parameters, generated = generate(PLACE, task, level, seed)
        problem, near = generated.problem, neighbors(generated.problem)
        limits = PLACE.description.difficulties[level]
        assert len(near) == generated.init_parameters["places"] <= limits["rows"][1] * limits["columns"][1]
        assert sum(map(len, near.values())) == 2 * ways(task.init, parameters)
        assert not set(near) & set(re.findall(r"\w+", repr(generated.init_parameters)))
        assert not any(fact[0] == "holding" for fact in problem.init)
        locks = {fact[1]: fact[2] for fact in problem.init if fact[0] == "lock-shape"}
        if task.init == "corridor":
            assert max(map(len, near.values())) == 2
        if task.init in ("wall", "two_rooms"):
            assert len(set(locks.values())) == 1
            assert len(locks) == (parameters["rows"] if task.init == "wall" else 1)
        keys = {typed.name for typed in problem.objects if typed.types == ("key",)}
        home = next(fact[1] for fact in problem.init if fact[0] == "at-robot")
        wanted = {
            "all_open": {("open", place) for place in locks},
            "keys_home": {("at", key, home) for key in keys},
        }
        goal, ends = problem.goal_facts, {fact[-1] for fact in problem.goal_facts}
        assert goal == wanted.get(task.goal, goal)
        assert len(ends) == 1 or task.goal == "all_open"
        assert len(goal) == {"all_open": len(locks), "arrive": 1}.get(task.goal, len(keys))
        assert PLACE.closure_rule(problem) is not None
        assert not problem.satisfied(problem.init)
