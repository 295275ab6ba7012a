"""Solvability of arbitrary problems, against search by the definition."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from orrery.model import Literal, OrreryError, ToolMissing
from orrery.pddl.read import read_problem
from orrery.planning import process
from orrery.planning.execution import check_plan
from orrery.scoring.problems import solvability as module
from orrery.scoring.problems.solvability import ProofLimits, Prover
from tests.effort import slow, some
from tests.every_domain import entry
from tests.scoring.problems.arbitrary import NAMES, changed, has_plan, made_up
from tests.stand_in import stand_in

EACH = max(48, some(120))


def solvability(domain, problem, planner=None, limits=None):
    """What a prover of its own says of one problem."""
    return Prover(domain, planner).solve(problem, limits)


@slow
@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_exhaustive_search_on_arbitrary_problems(name):
    place, rng = entry(name), random.Random(4)
    verdicts, routes = Counter(), Counter()
    for number in range(EACH):
        problem = (changed if number % 2 else made_up)(name, rng)
        wanted = has_plan(place.domain, problem, 800) if problem else None
        if wanted is None:
            continue
        for planner in (place.planner, None):
            answer = solvability(place.domain, problem, planner)
            assert answer.solvable is wanted, problem
            assert not answer.remark
            assert (answer.plan is not None) == wanted
            if answer.plan:
                assert check_plan(place.domain, problem, answer.plan).valid
            routes[answer.reason] += 1
        verdicts[wanted] += 1
    assert verdicts[True] > 5
    assert verdicts[False] > 5
    assert len(routes) > (3 if place.planner else 2)


def blocks(objects, init, goal):
    domain = entry("blocksworld").domain
    sections = f"(:objects {objects}) (:init {init}) (:goal (and {goal}))"
    return domain, read_problem(f"(define (problem x) (:domain blocksworld) {sections})", domain)


def table(count):
    names = [f"b{number}" for number in range(count)]
    return " ".join(names), "(arm-empty)" + "".join(f"(on-table {b})(clear {b})" for b in names)


@slow
@pytest.mark.parametrize(
    ("goal", "solvable"),
    [
        ("(on b0 b1) (on b1 b0)", False),
        ("".join(f"(on b{n} b{(n + 1) % 17})" for n in range(17)) + "(on b18 b19)", False),
        ("(on b0 b1) (on b2 b1)", False),
        ("(on b0 b0)", False),
        ("(holding b3) (arm-empty)", False),
        ("(holding b3) (holding b4)", False),
        ("(on b0 b1) (clear b1)", False),
        ("(on b0 b1) (not (on b0 b1))", False),
        ("(holding b3) (on b1 b2) (not (arm-empty))", True),
        ("(clear b3) (not (on-table b3))", True),
    ],
)
def test_goals_of_many_blocks_with_and_without_the_domain_s_planner(goal, solvable):
    domain, problem = blocks(*table(20), goal)
    for planner in (entry("blocksworld").planner, None):
        assert solvability(domain, problem, planner).solvable is solvable


@pytest.mark.parametrize(
    ("init", "goal", "solvable"),
    [
        ("(arm-empty) (clear a) (on-table b) (clear b)", "(on a b)", False),  # a floats
        ("(arm-empty) (clear a) (on-table b) (clear b)", "(on b a)", True),  # on a floating block
        ("(clear a) (on-table a) (clear b) (on-table b)", "(on a b)", False),  # no arm
        ("(holding a) (holding b) (clear c) (on-table c)", "(on a c) (on b a)", True),  # two in the hand
        ("(arm-empty) (on a b) (on b a)", "(clear a)", False),
        ("(arm-empty) (on a b) (on a c) (clear a)", "(on b a) (on c b)", False),
        ("(arm-empty) (on a b) (on a c) (clear a)", "(clear b) (clear c)", True),
        ("", "(arm-empty)", False),
        ("", "(not (arm-empty))", True),
    ],
)
def test_blocks_in_odd_states(init, goal, solvable):
    domain, problem = blocks("a b c", init, goal)
    assert has_plan(domain, problem) is solvable
    for planner in (entry("blocksworld").planner, None):
        assert solvability(domain, problem, planner).solvable is solvable


def test_what_the_limits_leave_open_is_undecided():
    domain, problem = blocks(*table(12), "".join(f"(on b{n} b{n + 1})" for n in range(11)))
    assert solvability(domain, problem, None, ProofLimits(actions=100)).reason == module.TOO_LARGE
    assert solvability(domain, problem, None, ProofLimits(actions=100)).solvable is None
    assert solvability(domain, problem, None, ProofLimits(states=10)).reason == module.FAST_DOWNWARD
    assert solvability(domain, problem, None, ProofLimits(states=10)).solvable


@slow
def test_a_planner_that_spends_its_processor_time_leaves_it_open(monkeypatch, tmp_path):
    """One that never ends: the real one may well need less than a second, and no limit is less than that."""
    domain, problem = blocks(*table(12), "(on b0 b1) (on b2 b3)")
    stand_in(monkeypatch, tmp_path, "while :; do :; done")
    late = solvability(domain, problem, None, ProofLimits(states=10, seconds=0.0001))
    assert (late.solvable, late.reason) == (None, "out-of-time")


@slow
def test_a_planner_slowed_down_says_the_same(monkeypatch, tmp_path):
    """It waits for longer than it may work, as on a machine that has no time for it."""
    domain, problem = blocks(*table(12), "(on b0 b1) (on b2 b3)")
    limits = ProofLimits(states=10, seconds=1)
    quick = solvability(domain, problem, None, limits)
    called = stand_in(monkeypatch, tmp_path, "sleep 1.5", 'exec "$REAL" "$@"')
    assert solvability(domain, problem, None, limits) == quick
    assert quick.reason == module.FAST_DOWNWARD
    assert called.read_text() == "called\n"


@slow
def test_a_planner_that_waits_for_ever_is_no_answer(monkeypatch, tmp_path):
    domain, problem = blocks(*table(12), "(on b0 b1) (on b2 b3)")
    stand_in(monkeypatch, tmp_path, "sleep 60")
    monkeypatch.setattr(process, "FUSE_SECONDS", 0.5)
    with pytest.raises(process.Hung, match="processor time is not spent"):
        solvability(domain, problem, None, ProofLimits(states=10, seconds=0.001))


def test_a_missing_planner_leaves_it_open(monkeypatch):
    domain, problem = blocks(*table(12), "(on b0 b1) (on b2 b3)")

    def missing(*_, **__):
        raise ToolMissing("Fast Downward", "is not installed")

    monkeypatch.setattr(module, "solve", missing)
    answer = solvability(domain, problem, None, ProofLimits(states=10))
    assert (answer.solvable, answer.reason) == (None, module.NO_PLANNER)


def test_a_planner_that_fails_is_reported_and_not_believed():
    domain, problem = blocks("a b", "(arm-empty) (clear a) (on-table a) (clear b) (on-table b)", "(on a b)")

    def raising(_):
        raise OrreryError("generators/blocksworld.py:1", "'plan' raised KeyError")

    for planner, word in (
        (raising, "KeyError"),
        (lambda _: [("pickup", "a")], "invalid"),
        (lambda _: [], "invalid"),
    ):
        answer = solvability(domain, problem, planner)
        assert answer.solvable
        assert word in answer.remark
    assert not solvability(domain, problem, lambda _: None).remark


def test_a_rule_that_fails_is_reported_and_keeps_nothing_from_being_decided():
    domain, problem = blocks("a b", "(arm-empty) (clear a) (on-table a) (clear b) (on-table b)", "(on a b)")
    banned = replace(problem, goal=problem.goal | {Literal(("on-table", "b"), False)})

    def raising(_):
        raise OrreryError("generators/blocksworld.py:1", "'close_goal' raised KeyError")

    answer = Prover(domain, None, raising).solve(banned)
    assert (answer.solvable, answer.reason) == (False, module.EXHAUSTIVE)
    assert "'close_goal' raised KeyError" in answer.remark
    assert not Prover(domain, None, raising).solve(problem).remark  # not asked


def test_the_plan_for_a_problem_alike_is_tried():
    sound, init = "(arm-empty) (clear a) (on-table a) (clear b) (on-table b)", "(on c b)"
    domain, problem = blocks("a b c", f"{sound} {init}", "(on a b)")  # b is clear, and c stands on it
    _, like = blocks("b a c", f"{sound} (clear c) (on-table c)", "(on b a)")
    planner = entry("blocksworld").planner
    assert planner(problem) is None
    prover = Prover(domain, planner)
    assert prover.solve(problem).reason == module.EXHAUSTIVE
    assert prover.solve(problem, like=like).reason == module.DOMAIN_PLANNER
    # It is only a hint: a plan that does not work is not believed.
    _, floating = blocks("a b c", "(arm-empty) (clear a) (on-table b) (clear b)", "(on a b)")
    assert prover.solve(floating, like=like).solvable is False
    assert not prover.solve(floating, like=like).remark


def test_what_a_goal_rules_out_is_held_against_the_domain_s_rule_and_planner():
    place = entry("blocksworld")
    tower = "".join(f"(on b{number} b{number + 1})" for number in range(24))
    prover = Prover(place.domain, place.planner, place.closure_rule)
    for unwanted, wanted in (
        ("(on-table b24)", (False, module.GOAL_CLOSURE)),
        ("(clear b0)", (False, module.GOAL_CLOSURE)),
        ("(clear b24)", (True, module.DOMAIN_PLANNER)),
        ("(holding b7)", (True, module.DOMAIN_PLANNER)),
    ):
        domain, problem = blocks(*table(25), f"{tower} (not {unwanted})")
        answer = prover.solve(problem, ProofLimits(states=10, seconds=0.0001))
        assert (answer.solvable, answer.reason) == wanted
        assert answer.plan is None or check_plan(domain, problem, answer.plan).valid
