"""Fast Downward's translator and search as processes: verdicts, limits, and agreement with our own route."""

import pytest

from orrery.pddl.read import PddlError
from orrery.pddl.write import write_domain, write_problem
from orrery.planning import fast_downward, translator
from orrery.planning.execution import check_plan
from orrery.planning.fast_downward import solve
from orrery.planning.grounding import ground
from orrery.planning.outcome import PlannerOutcome
from orrery.planning.translator import solve_text
from tests.effort import sample
from tests.every_domain import CATALOG, easy_problems, entry

DOMAIN = """(define (domain d) (:requirements :adl) (:predicates (p ?x) (q))
  (:action a :parameters (?x) :precondition (not (p ?x)) :effect (and (p ?x) (when (q) (not (q))))))"""
PROBLEM = "(define (problem x) (:domain d) (:objects o u) (:init (q)) (:goal {}))"


def test_conditional_effects_and_quantified_goals():
    answer = solve_text(DOMAIN, PROBLEM.format("(and (not (q)) (forall (?x) (p ?x)))"))
    assert answer.outcome is PlannerOutcome.SOLVED
    assert sorted(answer.plan.steps) == [("a", "o"), ("a", "u")]
    answer = solve_text(DOMAIN, PROBLEM.format("(and (q) (p o))"))
    assert answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN


def test_a_refusal_says_why():
    with pytest.raises(PddlError, match="Got: r"):
        solve_text(DOMAIN.replace("(not (p ?x))", "(r ?x)"), PROBLEM.format("(q)"))


@pytest.mark.parametrize("name", sample(CATALOG.names, 8))
def test_it_agrees_with_our_own_reading_and_grounding(name):
    domain = entry(name).domain
    for problem in easy_problems(name, 2):
        answer = solve_text(write_domain(domain), write_problem(problem))
        ours = solve(ground(domain, problem))
        assert answer.solvable is ours.solvable is not None
        assert answer.plan is None or check_plan(domain, problem, answer.plan.steps).valid


@pytest.mark.slow
def test_limits_leave_it_open(monkeypatch, tmp_path):
    starter = tmp_path / "starter.py"
    starter.write_text("while True: pass\n")
    monkeypatch.setattr(translator, "_WORKER", starter)
    answer = solve_text(DOMAIN, PROBLEM.format("(q)"), seconds=0.3)
    assert (answer.outcome, answer.grounded) == (PlannerOutcome.OUT_OF_TIME, False)


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (0, PlannerOutcome.ERROR),  # success, yet no plan file
        (11, PlannerOutcome.UNSOLVABLE_PROVEN),
        (23, PlannerOutcome.OUT_OF_TIME),  # and the others as in ``test_fast_downward``
    ],
)
def test_an_exit_code_of_the_search_has_its_outcome(monkeypatch, tmp_path, code, outcome):
    program = tmp_path / "planner"
    program.write_text(f"#!/bin/sh\ncat > /dev/null\necho some words >&2\nexit {code}\n")
    program.chmod(0o755)
    monkeypatch.setattr(fast_downward, "binary", lambda: program)
    answer = solve_text(DOMAIN, PROBLEM.format("(q)"))
    assert (answer.outcome, answer.plan, answer.grounded) == (outcome, None, True)
    assert ("some words" in answer.detail) == (outcome is PlannerOutcome.ERROR)
