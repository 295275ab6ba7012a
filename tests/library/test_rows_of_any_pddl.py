"""Replies to rows of a user's own PDDL get the verdict of an execution, or an error with the construct."""

from __future__ import annotations

from itertools import product

import pytest

import orrery
from orrery.grading import grade
from orrery.model import OrreryError
from tests.library.test_user_pddl import NUMERIC, PRESS, ROOMS, SWITCHES, walk

GROUPS = ("generation", "reuse", "replanning", "reformulation", "generalization", "solvability", "optimal")


def row(domain, problem, group="generation", **columns):
    return {
        "id": "own",
        "group": f"plan_{group}",
        "domain_pddl": domain,
        "problem_pddl": problem,
        "solvable": True,
        "cost": 1,
        "action_costs": {"press": 1, "go": 1},
        **columns,
    }


def reached(goal, init="(wired a b)"):
    return f"(define (problem p) (:domain switches) (:objects a b c) (:init {init}) (:goal {goal}))"


@pytest.mark.parametrize("group", GROUPS)
def test_conditional_effects_are_executed_for_every_task_with_a_plan(group):
    own = row(SWITCHES, PRESS, group)
    assert orrery.score("(press a)", own).verdict == "right"
    assert orrery.score("(press b)", own).verdict == "wrong"
    assert orrery.score("(press a)\n(press b)", own).detail.startswith("step 2: ")
    assert orrery.score("(press x)", own).verdict == "wrong"
    assert orrery.score("I do not know.", own).verdict == "unparsed"


GOALS = {
    "(or (on a) (on b))": lambda on: "a" in on or "b" in on,
    "(forall (?x) (on ?x))": lambda on: {"a", "b", "c"} <= on,
    "(exists (?x) (and (on ?x) (wired ?x b)))": lambda on: "a" in on,
    "(imply (on a) (on c))": lambda on: "a" not in on or "c" in on,
    "(not (and (on a) (on c)))": lambda on: not {"a", "c"} <= on,
    "(and (on c) (not (on b)))": lambda on: "c" in on and "b" not in on,
    "(or)": lambda on: False,
}


@pytest.mark.parametrize("goal", GOALS)
def test_verdicts_are_those_of_trying_every_plan_of_two_steps(goal):
    for first, second in product("abc", repeat=2):
        lit = {first} | ({"b"} if first == "a" else set())
        executable = second not in lit
        lit |= {second} | ({"b"} if second == "a" else set())
        verdict = orrery.score(f"(press {first})\n(press {second})", row(SWITCHES, reached(goal))).verdict
        assert verdict == ("right" if executable and GOALS[goal](lit) else "wrong"), (first, second)


def test_a_fact_that_is_initially_false_is_false():
    problem = reached("(on c)", "(not (on c)) (wired a b)")
    assert orrery.score("(press c)", row(SWITCHES, problem)).verdict == "right"
    plain = walk("x", "y", "x", "y").replace("(:init ", "(:init (not (in y)) ")
    assert orrery.score("(go y y)\n(go x y)", row(ROOMS, plain)).verdict == "wrong"
    assert orrery.score("(go x y)", row(ROOMS, plain)).verdict == "right"


WALK = walk("x", "y", "x", "y")
OUTSIDE = {
    "derived": (ROOMS[:-1] + "(:derived (in ?r - room) (in ?r)))", WALK),
    "durative-action": (
        ROOMS[:-1] + "(:durative-action fly :parameters () :duration (= ?duration 1)"
        " :condition (and) :effect (and)))",
        WALK,
    ),
    "fuel|>": (NUMERIC, WALK),
    "decrease": (
        ROOMS.replace(":effect (and", ":effect (and (decrease (fuel) 1)").replace(
            "(:predicates", "(:functions (fuel)) (:predicates"
        ),
        WALK,
    ),
    "constraints": (ROOMS, WALK.replace("(:goal", "(:constraints (always (in x))) (:goal")),
    "at": (ROOMS, WALK.replace("(:init ", "(:init (at 5 (in y)) ")),
    "preference": (ROOMS, WALK.replace("(:goal (in y))", "(:goal (preference p (in y)))")),
}


@pytest.mark.parametrize("construct", OUTSIDE)
def test_what_cannot_be_executed_is_refused_by_name(construct):
    own, reply = row(*OUTSIDE[construct]), "(go x y)"
    with pytest.raises(OrreryError, match=rf"own.*({construct})"):
        orrery.score(reply, own)
    with pytest.raises(ValueError, match="is outside the PDDL that is graded"):
        grade(reply, own)


def test_an_empty_plan_is_refused_too_if_facts_are_derived():
    with pytest.raises(OrreryError, match="derived"):
        orrery.score("[PLAN]\n[PLAN END]", row(*OUTSIDE["derived"]))


def test_facts_that_change_under_a_condition_are_no_static_facts():
    own = row(SWITCHES, reached("(on a)"), "execution", answer=["(on a)", "(on b)"])
    assert orrery.score("ANSWER: (on a), (on b), (wired a b)", own).verdict == "right"
    assert orrery.score("ANSWER: (on a), (wired a b)", own).verdict == "wrong"
