"""Depots: what is not hopeless can be solved, what stands without a hoist stays, states are sound."""

import random
from dataclasses import replace

import pytest

from orrery.planning.execution import check_plan
from tests.every_domain import entry
from tests.generators.brute_force import explored, generate, reached, solvable
from tests.generators.test_refusals import BASES
from tests.generators.test_refusals import YARD as LONE_YARD

PLACE = entry("depots")
GENERATOR = PLACE.generator
SERVED, UNSERVED, ALL, YARD = (
    next(task for task in GENERATOR.TASKS if task.name == name)
    for name in (
        "served-to-some_crates",
        "unserved-to-some_crates",
        "served-to-all_crates",
        "yard-to-some_crates",
    )
)
LONELY = BASES["depots"] | {"unserved": 1}


def test_the_planner_starts_from_any_state():
    problem = GENERATOR.build(UNSERVED, LONELY, random.Random(1)).problem
    space = explored(PLACE, problem)
    for mask in {space.mask(index) for index in range(0, len(space), 29)}:
        begun = replace(problem, init=frozenset(space.task.facts_of(mask)) | space.task.statics)
        assert check_plan(PLACE.domain, begun, PLACE.planner(begun)).valid


def test_what_stands_where_no_hoist_is_stays_there():
    stuck = 0
    for seed in range(12):
        problem = GENERATOR.build(UNSERVED, LONELY, random.Random(seed)).problem
        hoisted = {fact[2] for fact in problem.init if fact[0] == "at" and fact[1].startswith("h")}
        far = {fact[1:] for fact in problem.init if fact[0] == "at" and fact[2] not in hoisted}
        crates = {name for name, _ in far if name.startswith("c")}
        facts = reached(PLACE, problem)
        assert not any(fact[0] in ("lifting", "in") and crates & set(fact) for fact in facts)
        stuck += len(crates)
    assert stuck


@pytest.mark.parametrize("crates", [3, 4])
def test_a_yard_can_be_solved_though_what_lies_deep_stays(crates):
    for seed in range(8):
        problem = GENERATOR.build(YARD, LONE_YARD | {"crates": crates}, random.Random(seed)).problem
        assert not problem.satisfied(problem.init)
        assert solvable(PLACE, problem)
        lifted = {fact[2] for fact in reached(PLACE, problem) if fact[0] == "lifting"}
        assert len(lifted) == LONE_YARD["hoists"]


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_every_place_has_a_pallet_and_all_but_the_unserved_a_hoist(level):
    for seed, task in enumerate(GENERATOR.TASKS * 4):
        parameters, generated = generate(PLACE, task, level, seed)
        at = {kind: set() for kind in ("p", "h")}
        for fact in generated.problem.init:
            if fact[0] == "at" and (kind := fact[1].rstrip("0123456789")) in at:
                at[kind].add(fact[2])
        assert len(at["p"]) == parameters["depots"] + parameters["distributors"]
        assert len(at["p"] - at["h"]) == parameters["unserved"]
        assert at["h"] <= at["p"]


PILED = [task for task in GENERATOR.TASKS if task.init in ("one_pile", "two_piles", "truckload")]


def piles(facts):
    """What stands on each pallet, from the bottom up."""
    upper = {fact[2]: fact[1] for fact in facts if fact[0] == "on"}
    above = {}
    for pallet in sorted(name for name in upper if name.startswith("p")):
        pile = [pallet]
        while pile[-1] in upper:
            pile.append(upper[pile[-1]])
        above[pallet] = pile[1:]
    return above


def shaped(goal, before, after):
    """Whether the piles wanted are what the goal is named, from the piles of the depot and then of others."""
    joined, merged = [crate for pile in before for crate in pile], [crate for pile in after for crate in pile]
    shapes = {
        "moved": after == before,
        "inverted": after == [pile[::-1] for pile in before],
        "halved": len(after) == 2 and merged == joined and len(after[0]) - len(after[1]) in (0, 1),
        "joined": after == [joined],
        "exchanged": after == before[::-1],
        "shared": len({len(pile) for pile in after}) == 1,
        "piled": len(after) == 1,
    }
    return shapes[goal]


@pytest.mark.parametrize("task", PILED, ids=lambda task: task.name)
@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_piles_are_what_their_configurations_are_named(task, level):
    for seed in range(6):
        parameters, generated = generate(PLACE, task, level, seed)
        problem, at = generated.problem, {f[1]: f[2] for f in generated.problem.init if f[0] == "at"}
        crates, places = parameters["crates"], parameters["depots"] + parameters["distributors"]
        assert parameters["pallets"] == parameters["hoists"] == places
        assert len({place for name, place in at.items() if name.startswith("t")}) == 1
        piles_read = [piles(facts) for facts in (problem.init, problem.goal_facts)]
        before, after = (
            [piles_of[name] for name in sorted(piles_of, key=at.__getitem__)] for piles_of in piles_read
        )
        assert sorted(name for pile in after for name in pile) == crates_of(problem)
        sizes = {"one_pile": [crates], "two_piles": [crates // 2, crates - crates // 2], "truckload": []}
        assert sorted(map(len, before)) == sizes[task.init]
        assert shaped(task.goal, before, after), (before, after)
        kinds = [sorted(at[pallet].rstrip("0123456789") for pallet in piles_of) for piles_of in piles_read]
        assert kinds[0] == ["d", "s"][: len(before)]
        ends = {"shared": None, "inverted": kinds[0], "joined": ["d"], "moved": ["s"]}
        ends["piled"] = ["s"]
        assert kinds[1] == ends.get(task.goal, ["d", "s"]) or task.goal == "shared"
        assert len(after) == places or task.goal != "shared"


def crates_of(problem):
    return sorted(typed.name for typed in problem.objects if typed.types == ("crate",))
