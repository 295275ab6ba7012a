"""Tasks of which start or goal may be told without names: who a name stands for makes no difference."""

import random
from collections import defaultdict
from dataclasses import replace

import pytest

from orrery.equivalence.keys import keys
from orrery.model import Literal
from tests.generators.brute_force import entry, generate

FREE = [
    (name, task)
    for name in ("depots", "logistics")
    for task in entry(name).generator.TASKS
    if task.interchangeable
]


def exchanged(problem, rng):
    """The problem with other objects of the same types in its goal."""
    by_types = defaultdict(list)
    for name, types in problem.objects:
        by_types[types].append(name)
    to = {a: b for some in by_types.values() for a, b in zip(some, rng.sample(some, len(some)), strict=True)}
    moved = (Literal((at[0], *(to[name] for name in at[1:])), sign) for at, sign in problem.goal)
    return replace(problem, goal=frozenset(moved))


def test_six_tasks_are_free():
    assert {f"{name} {task.name}" for name, task in FREE} == {
        "depots truckload-to-shared", "logistics downtown-to-in_plane", "logistics hub-to-in_plane",
        "logistics hub-to-shared_out", "logistics loaded-to-shared_out", "logistics one_city-to-at_airport",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "task"), FREE, ids=str)
def test_goals_with_any_other_names_make_the_same_problem(name, task):
    place, different = entry(name), 0
    for seed in range(6):
        _, generated = generate(place, task, "medium", seed)
        known = keys(place.domain, generated.problem, rule=place.closure_rule)
        for again in range(4):
            other = exchanged(generated.problem, random.Random(again))
            different += other.goal != generated.problem.goal
            assert keys(place.domain, other, rule=place.closure_rule).strict == known.strict
    assert different or task.goal == "at_airport"
