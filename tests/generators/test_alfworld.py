"""Alfworld: a house without phantoms, all of it in one place and state; tasks can be done unless hopeless."""

import random

import pytest

from orrery.model import TypedName
from orrery.planning.grounding import ground
from tests.every_domain import entry
from tests.generators.brute_force import generate, reached
from tests.generators.test_refusals import BASES

PLACE = entry("alfworld")
GENERATOR = PLACE.generator
TASK = {task.goal: task for task in GENERATOR.TASKS}
EVERY_GOAL = pytest.mark.parametrize("goal", TASK)


@EVERY_GOAL
def test_what_tasks_ask_for_is_at_hand(goal):
    locked = 0
    for seed in range(40):
        sizes = {"locked": 1, "portable": 6, "portable_types": 3, "tasks": 3}
        problem = GENERATOR.build(TASK[goal], BASES["alfworld"] | sizes, random.Random(seed)).problem
        stated = {
            kind: [f[1:] for f in problem.init if f[0] == kind] for kind in PLACE.domain.predicate_named
        }
        shut = {name for (name,) in stated["closed"]} - {name for (name,) in stated["can-open"]}
        far = {item for item, receptacle in stated["in"] if receptacle in shut}
        for task, kind in stated["asks-item"]:
            near = [item for item, of in stated["item-of"] if of == kind and item not in far]
            assert len(near) > (TypedName(task, ("put-two",)) in problem.objects)
        for _, kind in stated["asks-receptacle"]:
            assert {name for name, of in stated["receptacle-of"] if of == kind} - shut
        locked += len(far)
    assert locked


@EVERY_GOAL
@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_nothing_is_a_phantom(goal, level):
    parameters, generated = generate(PLACE, TASK[goal], level, 4)
    problem = generated.problem
    facts, typed = problem.init, {typed.name: typed.types[0] for typed in problem.objects}
    of = {name: PLACE.domain.ancestors[kind] for name, kind in typed.items()}
    assert {fact[2] for fact in facts if fact[0] == "located"} == {n for n in of if "location" in of[n]}
    for predicate, kind in (("item-of", "item"), ("receptacle-of", "receptacle")):
        assert {f[2] for f in facts if f[0] == predicate} == {n for n in of if f"{kind}-type" in of[n]}
    assert {f[1] for f in facts if f[0] == "portable"} == {
        n for n in of if "item" in of[n] and n.rstrip("0123456789") not in GENERATOR.HEAVY
    }
    kinds = ("portable_types", "heavy_types", "receptacle_types")
    assert sum(n.endswith("type") for n in of) == sum(parameters[kind] for kind in kinds)


def test_heavy_items_stay_and_locked_receptacles_keep_what_they_hold():
    kept_seeds = 0
    for seed in range(20):
        locked = BASES["alfworld"] | {"locked": 1, "portable_types": 2}
        problem = GENERATOR.build(TASK["put_one"], locked, random.Random(seed)).problem
        facts, can = reached(PLACE, problem), {f[1] for f in problem.init if f[0] == "can-open"}
        shut = {f[1] for f in problem.init if f[0] == "closed"} - can
        inside = {f[1] for f in problem.init if f[0] == "in" and f[2] in shut}
        portable = {f[1] for f in problem.init if f[0] == "portable"}
        moved = {fact[2] for fact in facts if fact[0] == "holding"}
        assert moved == portable - inside
        kept_seeds += len(inside & portable)
    assert kept_seeds


@pytest.mark.slow
def test_some_300_objects_are_grounded_to_a_few_thousand_actions():
    objects, actions = set(), set()
    for seed, goal in enumerate(TASK):
        problem = generate(PLACE, TASK[goal], "hard", seed)[1].problem
        objects.add(len(problem.objects))
        if seed < 2:
            actions.add(len(ground(PLACE.domain, problem).actions))
    assert min(objects) < 290 < 307 < max(objects)
    assert max(actions) < 9_000
