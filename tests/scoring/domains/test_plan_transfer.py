"""Solving gold problems with predicted domains: proofs, exact plans, and transfer of plans both ways."""

from dataclasses import replace

import pytest

from orrery.pddl.read import PddlError
from orrery.pddl.tolerant import read_adl
from orrery.planning import adl_domain as worlds
from orrery.planning.adl_domain import SearchLimits, executable_domain
from orrery.planning.adl_execution import Outside
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.scoring.domains import plan_transfer
from orrery.scoring.domains.columns import columns_of
from orrery.scoring.domains.component_f1 import components
from orrery.scoring.domains.evaluation import evaluate
from orrery.scoring.domains.plan_transfer import (
    GoldProblem,
    PlanTranslation,
    Solved,
    Solving,
    solve_problems,
)
from tests.every_domain import ROOT
from tests.scoring.domains.lamps import LAMPS

GRIPPER = (ROOT / "domains" / "gripper" / "domain.pddl").read_text()
BALLS = """(define (problem p) (:domain gripper) (:objects r1 r2 b g)
  (:init (room r1) (room r2) (ball b) (gripper g) (at-robby r2) (at b r1) (free g)) (:goal {}))"""
MOVED = "(at b r2)"
PLAN = (("move", "r2", "r1"), ("pick", "b", "r1", "g"), ("move", "r1", "r2"), ("drop", "b", "r2", "g"))
LONGER = (("move", "r2", "r2"), *PLAN)


def solved(predicted, goal=MOVED, plan=PLAN, solvable=True, gold=GRIPPER, problem=BALLS, limits=None):
    mine, theirs = read_adl(predicted), read_adl(gold)
    steps = PlanTranslation(mine, theirs, components(mine, theirs).alignments)
    record = {
        "name": "p",
        "pddl": problem.format(goal),
        "solvable": solvable,
        "plan": [],
        "optimal_cost": None,
    }
    record["plan"] = [f"({' '.join(step)})" for step in plan]
    return solve_problems(predicted, gold, [GoldProblem.from_row(record)], steps, limits)[0]


LAMP_PROBLEM = """(define (problem p) (:domain lamps) (:objects a b - lamp cellar - room)
  (:init (hangs-in a hall) (hangs-in b cellar) (= (total-cost) 0)) (:goal {}))"""
WALK = """(:action walk :parameters (?f ?t) :precondition (at-robby ?f)
 :effect (and (at-robby ?t) (not (at-robby ?f)))))"""
WALKING = GRIPPER.rstrip()[:-1] + WALK
GENEROUS = GRIPPER.replace("(ball ?obj) (room ?room) (gripper ?gripper)\n" + " " * 23 + "(carry", "(carry")
LAMPS_ASKED = {
    "plan": (("darken", "a"), ("move", "b", "cellar", "hall")), "gold": LAMPS, "problem": LAMP_PROBLEM,
}  # fmt: skip
UNSOLVABLE = {"goal": "(at b g)", "plan": (), "solvable": False}


@pytest.mark.by_day(5)
@pytest.mark.parametrize(
    ("predicted", "asked", "wanted"),
    [
        (GRIPPER, {}, (Solving.SOLVED, True, True, True)),
        (GRIPPER, {"plan": LONGER}, (Solving.SOLVED, True, True, True)),
        # A missing precondition allows a shortcut.
        (
            GRIPPER.replace("(at ?obj ?room) (at-robby ?room)", "(at ?obj ?room)"),
            {},
            (Solving.SOLVED, False, False, True),
        ),
        # A redundant one leaves another way, or none.
        (
            GRIPPER.replace("(room ?from) (room ?to)", "(room ?from) (carry ?from ?to)"),
            {},
            (Solving.UNSOLVABLE, None, None, False),
        ),
        (
            WALKING.replace("(room ?from) (room ?to) (at-robby ?from)", "(carry ?from ?to) (at-robby ?from)"),
            {"gold": WALKING},
            (Solving.SOLVED, False, True, False),
        ),
        (
            GRIPPER.replace(":parameters (?obj ?room ?gripper)", ":parameters (?gripper ?obj ?room)"),
            {},
            (Solving.SOLVED, True, True, True),
        ),
        (GRIPPER, UNSOLVABLE, (Solving.UNSOLVABLE, None, None, None)),
        (
            GENEROUS.replace("(at-robby ?room))\n    :effect (and (at", "(ball ?obj))\n    :effect (and (at"),
            UNSOLVABLE,
            (Solving.SOLVED, False, False, None),
        ),
        # Conditional and quantified effects, and costs.
        (
            LAMPS,
            {"goal": "(and (hangs-in b hall) (dark))", **LAMPS_ASKED},
            (Solving.SOLVED, True, True, True),
        ),
        (
            LAMPS.replace("(and (hangs-in ?l ?from) (dark))", "(hangs-in ?l ?from)"),
            {"goal": "(hangs-in b hall)", **LAMPS_ASKED},
            (Solving.SOLVED, False, False, True),
        ),
        (
            LAMPS.replace("(dark) (forall", "(forall"),
            {"goal": "(dark)", **LAMPS_ASKED},
            (Solving.UNSOLVABLE, None, None, False),
        ),
    ],
)
def test_plans_are_exact_and_transfer_both_ways_or_not(predicted, asked, wanted):
    score = solved(predicted, **asked)
    assert (score.outcome, score.exact, score.forward, score.backward) == wanted


def test_plans_are_written_with_the_predicted_actions():
    assert solved(GRIPPER).plan == ("(move r2 r1)", "(pick b r1 g)", "(move r1 r2)", "(drop b r2 g)")
    swapped = GRIPPER.replace(":parameters (?obj ?room ?gripper)", ":parameters (?gripper ?obj ?room)")
    assert solved(swapped).plan[1] == "(pick g b r1)"


@pytest.mark.parametrize(
    ("outcome", "exact"),
    [(outcome, None) for outcome in PlannerOutcome if not outcome.decided]
    + [
        (PlannerOutcome.UNSOLVABLE_PROVEN, False),
        (Outside("no meaning"), None),
        (PddlError("p", "odd"), None),
    ],
    ids=repr,
)
def test_exact_is_open_where_the_search_with_the_gold_domain_settles_nothing(monkeypatch, outcome, exact):
    """The plan found is not the gold plan, so only that search could tell."""
    gold, answer = executable_domain(GRIPPER), plan_transfer._answer

    def answered(domain, problem, limits):
        if domain is not gold:
            return answer(domain, problem, limits)
        if isinstance(outcome, Exception):
            raise outcome
        return PlannerResult(outcome)

    monkeypatch.setattr(plan_transfer, "_answer", answered)
    score = solved(GRIPPER + "; predicted", plan=LONGER)
    assert (score.outcome, score.exact) == (Solving.SOLVED, exact)


@pytest.mark.parametrize(("plan", "exact"), [(PLAN, True), (LONGER, None)])
def test_a_gold_domain_that_cannot_be_opened_leaves_open_what_the_gold_plan_does_not_settle(plan, exact):
    score = solved(GRIPPER, plan=plan, gold=GRIPPER.rstrip()[:-1])
    assert (score.outcome, score.exact, score.forward) == (Solving.SOLVED, exact, None)


@pytest.mark.parametrize(
    ("predicted", "outcome"),
    [
        ("", Solving.DOMAIN_UNREADABLE),
        ("I cannot.", Solving.DOMAIN_UNREADABLE),
        (GRIPPER.rstrip()[:-1], Solving.DOMAIN_UNREADABLE),
        (GRIPPER.replace("(free ?g)\n", ""), Solving.PROBLEM_UNREADABLE),
        (GRIPPER.replace("(domain gripper)", "(domain balls)"), Solving.SOLVED),
        (
            GRIPPER.replace("(not (at-robby ?from))", "(when (room ?to) (not (at-robby ?from)))"),
            Solving.SOLVED,
        ),
    ],
)
def test_every_end_has_its_name(predicted, outcome):
    score = solved(predicted)
    assert score.outcome is outcome
    assert score.detail


def test_open_problems_and_comparisons_are_counted_among_the_solvable_ones():
    row = {"gold_domain": GRIPPER, "problems": []}
    results = (
        Solved("exact", True, Solving.SOLVED, exact=True),
        Solved("other", True, Solving.SOLVED, exact=False),
        Solved("uncompared", True, Solving.SOLVED),
        Solved("none", True, Solving.UNSOLVABLE),
        Solved("open", True, Solving.UNDECIDED),
        Solved("unsolvable and open", False, Solving.UNDECIDED),
        Solved("unsolvable and solved", False, Solving.SOLVED),
    )
    columns = columns_of(row, replace(evaluate(GRIPPER, row), solved=results))
    names = (
        "solvable_problems",
        "solved",
        "undecided",
        "undecided_solvable",
        "exact_plans",
        "undecided_exact",
    )
    assert [columns[name] for name in names] == [5, 3, 2, 1, 1, 2]


def test_limits_end_in_undecided(monkeypatch):
    monkeypatch.setattr(
        worlds, "solve", lambda *a, **k: worlds.PlannerResult(PlannerOutcome.OUT_OF_TIME, detail="stopped")
    )
    score = solved(GRIPPER, limits=SearchLimits(states=1))
    assert (score.outcome, score.forward, score.backward) == (Solving.UNDECIDED, None, True)
    assert "out-of-time" in score.detail


def test_what_is_too_large_to_ground_here_goes_to_the_translator():
    score = solved(GRIPPER, limits=SearchLimits(actions=1))
    assert score.outcome is Solving.SOLVED
    assert "translator" in score.detail
    assert score.forward is True


def test_a_domain_that_only_the_translator_reads_is_solved_by_it():
    loose = GRIPPER.replace("(:predicates", "(:types thing - nowhere) (:predicates")
    assert solved(loose).outcome is Solving.SOLVED
    with pytest.raises(PddlError):
        executable_domain(GRIPPER.rstrip()[:-1])
