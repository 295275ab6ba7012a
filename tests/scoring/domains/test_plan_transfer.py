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


def test_the_gold_domain_solves_its_problems_with_the_gold_plan():
    score = solved(GRIPPER)
    assert (score.outcome, score.exact, score.forward, score.backward) == (
        Solving.SOLVED,
        True,
        True,
        True,
    )
    assert score.plan == ("(move r2 r1)", "(pick b r1 g)", "(move r1 r2)", "(drop b r2 g)")


def test_an_equal_domain_is_exact_whatever_gold_plan_was_chosen():
    score = solved(GRIPPER, plan=LONGER)
    assert (score.exact, score.forward, score.backward) == (True, True, True)


def test_a_truncated_plan_is_not_exact():
    assert not solved(GRIPPER.replace("(at ?obj ?room) (at-robby ?room)", "(at ?obj ?room)")).exact


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


def test_a_missing_precondition_allows_a_shortcut():
    score = solved(GRIPPER.replace("(at ?obj ?room) (at-robby ?room)", "(at ?obj ?room)"))
    assert (score.outcome, score.exact, score.forward, score.backward) == (
        Solving.SOLVED,
        False,
        False,
        True,
    )
    assert len(score.plan) == 2


def test_a_redundant_precondition_leaves_an_alternative_or_none():
    unsolved = solved(GRIPPER.replace("(room ?from) (room ?to)", "(room ?from) (carry ?from ?to)"))
    assert (unsolved.outcome, unsolved.forward, unsolved.backward) == (Solving.UNSOLVABLE, None, False)
    walk = "(:action walk :parameters (?f ?t) :precondition (at-robby ?f)"
    walk += " :effect (and (at-robby ?t) (not (at-robby ?f))))"
    gold = GRIPPER.rstrip()[:-1] + walk + ")"
    predicted = gold.replace("(room ?from) (room ?to) (at-robby ?from)", "(carry ?from ?to) (at-robby ?from)")
    score = solved(predicted, gold=gold)
    assert (score.outcome, score.exact, score.forward, score.backward) == (
        Solving.SOLVED,
        False,
        True,
        False,
    )


def test_parameters_in_another_order_are_matched():
    swapped = GRIPPER.replace(":parameters (?obj ?room ?gripper)", ":parameters (?gripper ?obj ?room)")
    score = solved(swapped)
    assert score.plan[1] == "(pick g b r1)"
    assert (score.exact, score.forward, score.backward) == (True, True, True)


def test_problems_without_a_plan():
    score = solved(GRIPPER, goal="(at b g)", plan=(), solvable=False)
    assert (score.outcome, score.exact, score.backward) == (Solving.UNSOLVABLE, None, None)
    generous = GRIPPER.replace(
        "(ball ?obj) (room ?room) (gripper ?gripper)\n                       (carry", "(carry"
    )
    score = solved(
        generous.replace("(at-robby ?room))\n    :effect (and (at", "(ball ?obj))\n    :effect (and (at"),
        goal="(at b g)",
        plan=(),
        solvable=False,
    )
    assert (score.outcome, score.forward, score.exact) == (Solving.SOLVED, False, False)


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


LAMP_PROBLEM = """(define (problem p) (:domain lamps) (:objects a b - lamp cellar - room)
  (:init (hangs-in a hall) (hangs-in b cellar) (= (total-cost) 0)) (:goal {}))"""


def test_wider_domains_are_solved_and_their_plans_run():
    plan = (("darken", "a"), ("move", "b", "cellar", "hall"))
    score = solved(LAMPS, "(and (hangs-in b hall) (dark))", plan, gold=LAMPS, problem=LAMP_PROBLEM)
    assert (score.outcome, score.exact, score.forward, score.backward) == (
        Solving.SOLVED,
        True,
        True,
        True,
    )
    careless = LAMPS.replace("(and (hangs-in ?l ?from) (dark))", "(hangs-in ?l ?from)")
    score = solved(careless, "(hangs-in b hall)", plan, gold=LAMPS, problem=LAMP_PROBLEM)
    assert (score.outcome, score.forward, score.backward) == (Solving.SOLVED, False, True)
    stuck = solved(
        LAMPS.replace("(dark) (forall", "(forall"), "(dark)", plan, gold=LAMPS, problem=LAMP_PROBLEM
    )
    assert stuck.outcome is Solving.UNSOLVABLE


def test_a_domain_that_only_the_translator_reads_is_solved_by_it():
    loose = GRIPPER.replace("(:predicates", "(:types thing - nowhere) (:predicates")
    assert solved(loose).outcome is Solving.SOLVED
    with pytest.raises(PddlError):
        executable_domain(GRIPPER.rstrip()[:-1])
