"""Alfworld: a house without phantoms, all of it in one place and state; tasks can be done unless hopeless."""

import random
from collections import Counter

import pytest

from orrery.model import TypedName
from orrery.planning.grounding import ground
from tests.every_domain import entry
from tests.generators.brute_force import generate
from tests.generators.explored import explored, reached, solvable

PLACE = entry("alfworld")
GENERATOR = PLACE.generator
TASK = {task.goal: task for task in GENERATOR.TASKS}
SMALL = {
    "locations": 3, "receptacles": 4, "receptacle_types": 3, "lamps": 1, "portable": 2, "portable_types": 1,
    "heavy": 2, "heavy_types": 2, "tasks": 1, "locked": 0, "hopeless": 0,
}  # fmt: skip
EVERY_GOAL = pytest.mark.parametrize("goal", TASK)


@EVERY_GOAL
def test_tasks_can_be_done_unless_hopeless(goal):
    for seed in range(8):
        hopeless, sizes = seed % 2, {"tasks": 1 + seed // 4, "locked": seed // 2 % 2}
        parameters = SMALL | sizes | {"hopeless": hopeless}
        problem = GENERATOR.build(TASK[goal], parameters, random.Random(seed)).problem
        heavy = any(fact[0] == "asks-item" and fact[2][:-4] in GENERATOR.HEAVY for fact in problem.init)
        assert solvable(PLACE, problem) == (not heavy)
        assert heavy == bool(hopeless)
        assert not any(fact[0] == "done" for fact in problem.init)


@EVERY_GOAL
def test_what_tasks_ask_for_is_at_hand(goal):
    locked = 0
    for seed in range(40):
        sizes = {"locked": 1, "portable": 6, "portable_types": 3, "tasks": 3}
        problem = GENERATOR.build(TASK[goal], SMALL | sizes, random.Random(seed)).problem
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
def test_everything_is_in_one_state_and_one_place(goal):
    problem = generate(PLACE, TASK[goal], "easy", 2)[1].problem
    space = explored(PLACE, problem)
    names = {}
    for typed in problem.objects:
        for kind in PLACE.domain.ancestors[typed.types[0]]:
            names.setdefault(kind, []).append(typed.name)
    exclusive = {
        "receptacle": ("closed", "accessible"), "food": ("hot", "cool"), "lamp": ("dark", "lit"),
        "task": ("pending", "done"),
    }  # fmt: skip
    for mask in {space.mask(index) for index in range(0, len(space), 53)}:
        facts = space.task.facts_of(mask)
        for kind, predicates in exclusive.items():
            assert sorted(fact[1] for fact in facts if fact[0] in predicates) == names.get(kind, [])
        cut = sorted(fact[1] for fact in facts if fact[0] in ("whole", "sliced"))
        assert cut == names.get("food", [])
        held = [fact[2] for fact in facts if fact[0] == "holding"]
        assert Counter([fact[1] for fact in facts if fact[0] == "in"] + held) == Counter(names["item"])
        assert len(held) + (("free-hand", "robot1") in facts) == 1
        assert max(Counter(f[1] for f in facts if f[0] in ("dirty", "clean")).values(), default=1) == 1


@EVERY_GOAL
@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_nothing_is_a_phantom(goal, level):
    parameters, generated = generate(PLACE, TASK[goal], level, 4)
    problem = generated.problem
    facts, typed = problem.init, {typed.name: typed.types[0] for typed in problem.objects}
    of = {name: PLACE.domain.ancestors[kind] for name, kind in typed.items()}
    located = [fact[1] for fact in facts if fact[0] == "located"]
    assert sorted(located) == sorted(name for name in of if "fixture" in of[name])
    assert {fact[2] for fact in facts if fact[0] == "located"} == {n for n in of if "location" in of[n]}
    for predicate, kind in (("item-of", "item"), ("receptacle-of", "receptacle")):
        assert sorted(f[1] for f in facts if f[0] == predicate) == sorted(n for n in of if kind in of[n])
        assert {f[2] for f in facts if f[0] == predicate} == {n for n in of if f"{kind}-type" in of[n]}
    assert sorted(f[1] for f in facts if f[0] == "asks-item") == sorted(n for n in of if "task" in of[n])
    places = [n for n in of if "put-task" in of[n]]
    assert sorted(f[1] for f in facts if f[0] == "asks-receptacle") == places
    assert {f[1] for f in facts if f[0] == "portable"} == {
        n for n in of if "item" in of[n] and n.rstrip("0123456789") not in GENERATOR.HEAVY
    }
    kinds = ("portable_types", "heavy_types", "receptacle_types")
    assert sum(n.endswith("type") for n in of) == sum(parameters[kind] for kind in kinds)


def test_heavy_items_stay_and_locked_receptacles_keep_what_they_hold():
    kept_seeds = 0
    for seed in range(20):
        locked = SMALL | {"locked": 1, "portable_types": 2}
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
