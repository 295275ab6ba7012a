"""Keys against equivalence by definition, over all pairs of small problems."""

import os
import random
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from orrery.equivalence.closure import Budget
from orrery.equivalence.graph import Undecided
from orrery.equivalence.keys import as_spelled, keys, keys_of, spelled_strict_key
from orrery.model import Literal, literals
from orrery.pddl.read import read_domain
from tests.every_domain import CATALOG, easy_problems, entry

from .small_problems import domain, facts, mapped, problem, reworded, worlds

DOMAINS = ("blocksworld", "ferry", "gripper", "visitall")


@pytest.mark.parametrize("name", DOMAINS)
def test_moving_the_goal_objects_keeps_the_loose_key(name):
    """Placeholder equivalence implies equal loose keys: the goal moved by a symmetry of the statics."""
    for world in worlds(name):
        assert len(world.renamings) > 1 or len(world.start.objects) == 1
        rng = random.Random(5)
        for candidate in world.problems(2, share=20, seed=6):
            move = rng.choice(world.renamings)
            if {tuple(mapped(s, move)) for s in world.reachable_from(candidate.init)} != {
                tuple(sorted(s)) for s in world.reachable_from(candidate.init)
            }:
                continue
            goal = frozenset(Literal(mapped([g.atom], move)[0], g.positive) for g in candidate.goal)
            assert (
                keys(domain(name), candidate).loose == keys(domain(name), replace(candidate, goal=goal)).loose
            )


def test_loose_keys_follow_both_parts():
    """Equal loose keys iff initial states match and goal sets match, each by a renaming of its own."""
    world = worlds("blocksworld")[2]
    forms, loose = defaultdict(set), defaultdict(set)
    for candidate in world.problems(2, share=300, seed=8):
        goals = world.goal_states(candidate)
        form = (world.form(candidate.init, frozenset()), world.form(frozenset(), goals))
        key = keys(domain("blocksworld"), candidate).loose
        forms[key].add(form)
        loose[form].add(key)
    assert all(len(f) == 1 for f in forms.values())
    assert all(len(k) == 1 for k in loose.values())


@pytest.mark.parametrize("name", DOMAINS)
def test_names_and_order_do_not_matter(name):
    rng = random.Random(0)
    for world in worlds(name):
        for candidate in world.problems(3, share=20, seed=10):
            assert keys(domain(name), candidate) == keys(domain(name), reworded(candidate, rng))


def test_the_smallest_published_mistake():
    """On the table are two blocks: (clear a) and (on-table b) are different goals."""
    init = facts("on-table a, clear a, on-table b, clear b, arm-empty")
    keys_by_goal = {
        goal: keys(
            domain("blocksworld"), problem("blocksworld", {"object": "a b"}, init, literals(facts(goal)))
        )
        for goal in ("clear a", "on-table b", "on-table a", "clear a, on-table a")
    }
    assert keys_by_goal["clear a"].strict != keys_by_goal["on-table b"].strict
    assert keys_by_goal["on-table a"].strict == keys_by_goal["on-table b"].strict


def test_types_constants_and_long_facts_matter():
    rules = read_domain(
        """(define (domain d) (:requirements :strips :typing) (:types t u - object v - t) (:constants k m - t)
        (:predicates (near ?x ?y ?z - object) (lit ?x - object))
        (:action light :parameters (?x - object) :precondition (and) :effect (lit ?x)))"""
    )

    def key(objects, init, goal="lit k"):
        return keys(rules, problem("d", objects, facts(init), literals(facts(goal)))).strict

    plain = key({"t": "a b", "u": "c"}, "near a b c")
    assert plain == key({"t": "b a", "u": "x"}, "near b a x")
    different = [
        key({"t": "a b", "u": "c"}, "near b c a"),
        key({"t": "a b", "u": "c"}, "near a a c"),
        key({"t": "a b", "u": "c"}, "near a k c"),
        key({"t": "a b", "u": "c"}, "near a m c"),
        key({"t": "a", "u": "b c"}, "near a b c"),
        key({"t": "a", "v": "b", "u": "c"}, "near a b c"),
        key({"t": "a b", "u": "c"}, "near a b c", "lit m"),
        key({"t": "a b", "u": "c"}, "near a b c", "lit a"),
        key({"t": "a b", "u": "c"}, "near a b c, near a c b"),
        key({"t": "a b e", "u": "c"}, "near a b c"),
    ]
    assert len({plain, *different}) == len(different) + 1


def test_unsolvable_problems_are_reported_by_their_initial_state():
    init = facts("on-table a, clear a, on-table b, clear b, arm-empty")
    another_init = facts("on-table a, on b a, clear b, arm-empty")

    def key(facts_true, goal):
        return keys(
            domain("blocksworld"),
            problem("blocksworld", {"object": "a b"}, facts_true, literals(facts(goal))),
        )

    assert key(init, "on a b, on b a") == key(init, "on a a")
    assert key(init, "on a b, on b a").strict != key(another_init, "on a b, on b a").strict
    assert key(init, "on a b, on b a").loose != key(init, "arm-empty").loose


def test_a_spent_budget_is_undecided():
    blocks = "abcdefgh"
    init = [f for b in blocks for f in (("on-table", b), ("clear", b))] + [("arm-empty",)]
    candidate = problem("blocksworld", {"object": " ".join(blocks)}, init, [Literal(("on", "a", "b"))])
    with pytest.raises(Undecided):
        keys(domain("blocksworld"), candidate, budget=Budget(states=1, calls=0))


@pytest.mark.slow
def test_keys_do_not_depend_on_the_hash_seed():
    code = (
        "from tests.equivalence.small_problems import *; from orrery.equivalence.keys import keys;"
        "w = worlds('gripper')[0];"
        "print([keys(domain('gripper'), p) for p in w.problems(2, share=3)])"
    )
    root = Path(__file__).resolve().parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert "strict" in outputs.pop()


@pytest.mark.parametrize("name", CATALOG.names)
def test_spelled_keys_know_a_problem_under_other_names_and_no_other_wording(name):
    """Renamed: the same key. One goal literal fewer: another one. Neither is a key of a closed goal."""
    land = entry(name).domain
    for candidate in easy_problems(name, 3):
        spelled = spelled_keys(land, candidate)
        assert spelled_keys(land, reworded(candidate, random.Random(5))) == spelled
        assert spelled_strict_key(land, candidate) == spelled.strict
        fewer = replace(candidate, goal=frozenset(sorted(candidate.goal)[1:]))
        assert spelled_keys(land, fewer).strict != spelled.strict
        assert spelled_keys(land, fewer).init == spelled.init


def spelled_keys(domain, problem):
    return keys_of(domain, problem, as_spelled(domain, problem))
