"""Logistics: sound starts, goals within reach, and packages that cannot go everywhere where that is meant."""

import random
import re

import pytest

from orrery.model import ParameterError, Task
from orrery.semantics.grounding import ground
from tests.generators.brute_force import entry, every_task, generate, states

PLACE = entry("logistics")
GENERATOR = PLACE.generator
TASK = {task.name: task for task in GENERATOR.TASKS}
SIZES = {"cities": 2, "locations": 4, "trucks": 2, "airplanes": 1, "packages": 2}


def named(problem, *kinds):
    return {each.name for each in problem.objects if set(each.types) & set(kinds)}


def cities(problem):
    return {fact[1]: fact[2] for fact in problem.init if fact[0] == "in-city"}


def served(problem):
    """The cities that have a truck."""
    trucks, city = named(problem, "truck"), cities(problem)
    return {city[fact[2]] for fact in problem.init if fact[0] == "at" and fact[1] in trucks}


@pytest.mark.parametrize(("task", "level"), list(every_task(PLACE)), ids=str)
def test_everything_is_in_one_place_and_there_is_something_to_do(task, level):
    for seed in range(12):
        parameters, generated = generate(PLACE, task, level, seed)
        problem, limits = generated.problem, PLACE.description.difficulties[level]
        placed = [fact[1] for fact in problem.init if fact[0] in ("at", "in")]
        assert sorted(placed) == sorted(named(problem, "truck", "airplane", "package"))
        city = cities(problem)
        assert set(city) == named(problem, "location", "airport")
        airports = [city[name] for name in named(problem, "airport")]
        assert sorted(airports) == sorted(named(problem, "city"))
        stand = {fact[1]: fact[2] for fact in problem.init if fact[0] == "at"}
        assert all(stand[plane] in named(problem, "airport") for plane in named(problem, "airplane"))
        assert problem.goal
        assert not problem.satisfied(problem.init)
        assert len({fact[1] for fact in problem.goal_facts}) == len(problem.goal_facts)
        assert all(limits[key][0] <= parameters[key] <= limits[key][1] for key in GENERATOR.SIZES)
        assert generate(PLACE, task, level, seed) == (parameters, generated)


@pytest.mark.parametrize("task", GENERATOR.TASKS, ids=lambda task: task.name)
def test_easy_problems_are_solvable_and_few_enough_states(task):
    for seed in range(8):
        planning_task = ground(PLACE.domain, generate(PLACE, task, "easy", seed)[1].problem)
        reached = states(planning_task)
        assert 1 < len(reached) <= 20_000
        assert any(map(planning_task.is_goal, reached))


def test_a_city_has_a_truck_unless_the_task_is_about_its_lack():
    lacking = 0
    for seed in range(30):
        problem = generate(PLACE, TASK["served-to-delivered"], "easy", seed)[1].problem
        assert served(problem) == named(problem, "city")
        problem = generate(PLACE, TASK["unserved-to-delivered"], "easy", seed)[1].problem
        assert served(problem) != named(problem, "city") or not named(problem, "airplane")
        lacking += served(problem) != named(problem, "city")
    assert 0 < lacking < 30


def test_without_a_truck_a_package_does_not_come_everywhere():
    found = set()
    for seed in range(20):
        problem = generate(PLACE, TASK["unserved-to-delivered"], "easy", seed)[1].problem
        planning_task = ground(PLACE.domain, problem)
        seen = frozenset().union(*(planning_task.facts_of(state) for state in states(planning_task)))
        wanted = {("at", one, place) for one in named(problem, "package") for place in cities(problem)}
        found.add(len(wanted - seen))
    assert len(found) > 3


@pytest.mark.parametrize(
    ("name", "parameters", "constraint"),
    [
        ("served-to-delivered", {"locations": 1}, "locations"),
        ("served-to-delivered", {"packages": 0}, "packages"),
        ("served-to-delivered", {"airplanes": -1}, "airplanes"),
        ("served-to-delivered", {"trucks": 1}, "served"),
        ("holding-to-parked", {"airplanes": 0}, "served"),
        ("unserved-to-delivered", {"cities": 1}, "unserved"),
        ("unserved-to-delivered", {"locations": 2, "airplanes": 0}, "unserved"),
        ("served-to-delivered", {"cities": "2"}, "kinds"),
        ("served-to-delivered", {"ships": 2}, "keys"),
    ],
)
def test_a_violated_constraint_is_named(name, parameters, constraint):
    with pytest.raises(ParameterError, match=re.escape(f"logistics/{name}: constraint '{constraint}'")):
        GENERATOR.build(TASK[name], SIZES | parameters, random.Random(0))


def test_limits_and_tasks_that_cannot_be_are_refused():
    limits = {"cities": (1, 1), "packages": (1, 2)}
    with pytest.raises(ParameterError, match="limits"):
        GENERATOR.draw(TASK["unserved-to-delivered"], limits, random.Random(0))
    with pytest.raises(ParameterError, match="task"):
        GENERATOR.build(Task("served", "nowhere"), SIZES, random.Random(0))


@pytest.mark.parametrize("task", GENERATOR.TASKS, ids=lambda task: task.name)
def test_narrow_limits_are_met_and_hard_problems_are_drawn(task):
    narrow = {key: (size, size) for key, size in SIZES.items() if key != "packages"}
    assert GENERATOR.draw(task, narrow | {"states": (10, 200)}, random.Random(0))["packages"] == 1
    for seed in range(20):
        generate(PLACE, task, "hard", seed)
