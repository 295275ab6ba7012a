"""Grid: what can be reached is known exactly, goals are within reach but for a few, layouts are sound."""

import random
import re
from itertools import product

import pytest

from orrery.model import ParameterError, Problem, Task, TypedName, literals
from tests.generators.brute_force import entry, generate
from tests.generators.explored import idle, reached, solvable

PLACE = entry("grid")
GENERATOR = PLACE.generator
TASK = {task.goal: task for task in GENERATOR.TASKS}
SMALL = {"rows": 2, "columns": 3, "shapes": 2, "keys": 2, "locks": 3}


@pytest.mark.parametrize("seed", range(30))
def test_the_area_of_a_layout_is_what_the_robot_reaches(seed):
    layout = GENERATOR._Layout(SMALL, random.Random(seed), easy=seed % 5 == 0)
    name = {cell: f"p{cell[0]}-{cell[1]}" for cell in layout.cells}
    objects = [TypedName(place, ("place",)) for place in name.values()]
    objects += [TypedName(key, ("key",)) for key in layout.key]
    objects += [TypedName(shape, ("shape",)) for shape in layout.shapes]
    problem = Problem("p", "grid", tuple(objects), frozenset(layout.facts(name)), literals([("arm-empty",)]))
    area, keys = layout.reach()
    facts = reached(PLACE, problem)
    assert {fact[1] for fact in facts if fact[0] == "at-robot"} == {name[cell] for cell in area}
    opened = {fact[1] for fact in facts if fact[0] == "open"}
    assert opened == {name[cell] for cell in layout.cells if cell in area or cell not in layout.lock}
    assert {fact[1] for fact in facts if fact[0] == "holding"} == keys
    places = {(key, name[cell]) for key, cell in product(keys, area)}
    left = {(key, name[cell]) for key, cell in layout.at.items() if key not in keys}
    assert {fact[1:] for fact in facts if fact[0] == "at"} == places | left


@pytest.mark.parametrize("goal", TASK)
def test_goals_are_within_reach_unless_nobody_looked(goal, monkeypatch):
    counts = {}
    for often in (10**9, 1):
        monkeypatch.setattr(GENERATOR, "HOPELESS", often)
        made = [GENERATOR.build(TASK[goal], SMALL, random.Random(seed)).problem for seed in range(25)]
        assert not any(problem.satisfied(problem.init) for problem in made)
        counts[often] = sum(solvable(PLACE, problem) for problem in made)
    assert counts[10**9] == 25
    assert counts[1] < 25


def test_a_layout_that_serves_every_goal_can_always_be_had(monkeypatch):
    monkeypatch.setattr(GENERATOR, "DRAWS", 0)
    monkeypatch.setattr(GENERATOR, "HOPELESS", 10**9)
    for seed, goal in product(range(20), TASK):
        least = {"rows": 1, "columns": 2, "shapes": 6, "keys": 1, "locks": 1}
        assert solvable(PLACE, GENERATOR.build(TASK[goal], least, random.Random(seed)).problem)


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_every_place_is_open_or_locked_and_every_key_in_one_place(level):
    for seed, task in enumerate(GENERATOR.TASKS * 2):
        parameters, generated = generate(PLACE, task, level, seed)
        facts, names = generated.problem.init, {kind: set() for kind in ("key", "place", "shape")}
        for typed in generated.problem.objects:
            names[typed.types[0]].add(typed.name)
        stated = {
            kind: sorted(f[1] for f in facts if f[0] == kind) for kind in ("open", "locked", "lock-shape")
        }
        assert sorted(stated["open"] + stated["locked"]) == sorted(names["place"])
        assert stated["locked"] == stated["lock-shape"]
        assert sorted(f[1] for f in facts if f[0] in ("at", "holding")) == sorted(names["key"])
        assert len(names["key"]) == parameters["keys"]
        assert len(stated["locked"]) == parameters["locks"]
        assert ("arm-empty",) in facts or any(f[0] == "holding" for f in facts)


def test_every_action_that_can_be_taken_changes_something():
    assert idle(PLACE, generate(PLACE, TASK["deliver"], "easy", 1)[1].problem) == set()


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"locks": 6}, "places"),
        ({"locks": 0}, "locks"),
        ({"shapes": 7}, "shapes"),
        ({"keys": "two"}, "kinds"),
        ({"doors": 1}, "keys"),
    ],
)
def test_a_violated_constraint_is_named(change, constraint):
    with pytest.raises(ParameterError, match=re.escape(f"grid/grid-to-visit: constraint '{constraint}'")):
        GENERATOR.build(TASK["visit"], SMALL | change, random.Random(0))


def test_limits_and_tasks_that_cannot_be_are_refused():
    with pytest.raises(ParameterError, match="limits"):
        GENERATOR.draw(TASK["visit"], {"rows": (1, 1), "columns": (2, 2), "locks": (2, 3)}, random.Random(0))
    with pytest.raises(ParameterError, match="task"):
        GENERATOR.build(Task("grid", "nowhere"), SMALL, random.Random(0))
