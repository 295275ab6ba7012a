"""Goldminer: a way to the gold is known, mines are sound, what is lost is lost for good."""

import random

import pytest

from orrery.model import Problem, TypedName, literals
from tests.every_domain import entry
from tests.generators.brute_force import generate, reached
from tests.generators.test_refusals import BASES

PLACE = entry("goldminer")
GENERATOR = PLACE.generator
TASK = {task.goal: task for task in GENERATOR.TASKS if task.init == "mine"}
GALLERY = next(task for task in GENERATOR.TASKS if task.init == "gallery")


@pytest.mark.parametrize("seed", range(30))
def test_the_area_of_a_mine_is_what_the_robot_reaches(seed):
    parameters = BASES["goldminer"] | {"gold": 1 + seed % 2}
    mine = GENERATOR._Mine(parameters, random.Random(seed), easy=seed % 5 == 0)
    name = {cell: f"c{cell[0]}-{cell[1]}" for cell in mine.cells}
    objects = tuple(TypedName(location, ("loc",)) for location in name.values())
    problem = Problem("p", "goldminer", objects, frozenset(mine.facts(name)), literals([("holds-gold",)]))
    facts, area = reached(PLACE, problem), mine.area()
    assert not mine.gold & area or ("holds-gold",) in facts
    assert {name[cell] for cell in area} <= {fact[1] for fact in facts if fact[0] == "robot-at"}
    if len(mine.gold) == 1:  # a second one may be opened by giving up the first
        assert (("holds-gold",) in facts) == bool(mine.gold & area)


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_both_tools_are_there_gold_lies_under_soft_rock_and_the_robot_is_free(level):
    for seed, task in enumerate(GENERATOR.TASKS * 2):
        parameters, generated = generate(PLACE, task, level, seed)
        places = {}
        for fact in generated.problem.init:
            places.setdefault(fact[0], set()).update(fact[1:2])
        rock = [places.get(kind, set()) for kind in ("clear", "soft-rock-at", "hard-rock-at")]
        assert sum(map(len, rock)) == parameters["rows"] * parameters["columns"]
        assert len(places["gold-at"]) == parameters["gold"]
        assert len(places["bomb-at"]) == len(places["laser-at"]) == 1
        assert places["gold-at"] <= places["soft-rock-at"]
        assert places["robot-at"] <= places["clear"]
        assert not places["gold-at"] & (places["bomb-at"] | places["laser-at"])


@pytest.mark.parametrize("columns", [4, 5, 7])
def test_in_a_gallery_all_can_be_had_but_the_gold(columns):
    for seed in range(6):
        parameters = {"rows": 1, "columns": columns, "gold": 1}
        problem = GENERATOR.build(GALLERY, parameters, random.Random(seed)).problem
        facts = reached(PLACE, problem)
        assert ("holds-gold",) not in facts
        assert ("holds-bomb",) in facts
        assert {fact[1] for fact in facts if fact[0] == "robot-at"} == {
            typed.name for typed in problem.objects
        }
