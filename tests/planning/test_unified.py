import pytest

from orrery.model import Proof
from orrery.planning import unified
from orrery.planning.outcome import PlannerOutcome
from orrery.planning.unified import PlannedProblem, solve_text, validate_plans

# An action shares its name with a predicate; actions have costs, whether or not a metric asks for them.
DOMAIN = """
(define (domain d) (:requirements :strips :negative-preconditions :action-costs)
  (:predicates (open ?x) (done)) (:functions (total-cost) - number)
  (:action open :parameters (?x) :precondition (not (open ?x))
    :effect (and (open ?x) (increase (total-cost) 1)))
  (:action leap :parameters (?x ?y) :precondition (and (open ?x) (not (= ?x ?y)))
    :effect (and (done) (increase (total-cost) 100)))
  (:action walk :parameters (?x ?y ?z) :precondition (and (open ?x) (open ?y) (open ?z)
      (not (= ?x ?y)) (not (= ?y ?z)) (not (= ?x ?z)))
    :effect (and (done) (increase (total-cost) 1))))
"""

CARRY = """
(define (domain carry) (:requirements :strips :typing) (:types room ball hand)
  (:predicates (robot ?x - room) (free ?h - hand) (in ?b - ball ?x - room) (held ?b - ball ?h - hand))
  (:action go :parameters (?x ?y - room) :precondition (robot ?x) :effect (and (robot ?y) (not (robot ?x))))
  (:action take :parameters (?b - ball ?x - room ?h - hand)
    :precondition (and (robot ?x) (in ?b ?x) (free ?h))
    :effect (and (held ?b ?h) (not (in ?b ?x)) (not (free ?h))))
  (:action put :parameters (?b - ball ?x - room ?h - hand)
    :precondition (and (robot ?x) (held ?b ?h))
    :effect (and (in ?b ?x) (free ?h) (not (held ?b ?h)))))
"""


def problem(goal, metric=""):
    return (
        f"(define (problem p) (:domain d) (:objects A b c) (:init (= (total-cost) 0))(:goal {goal}) {metric})"
    )


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["", "(:metric minimize (total-cost))"])
def test_a_shortest_plan_counts_actions_and_ignores_costs(metric):
    answer = solve_text(DOMAIN, problem("(done)", metric), optimal=True)
    assert answer.outcome is PlannerOutcome.SOLVED_OPTIMALLY
    assert answer.plan.optimal is Proof.ASTAR
    assert [step[0] for step in answer.plan.steps] == ["open", "leap"]


@pytest.mark.slow
def test_any_plan_of_the_wider_language():
    answer = solve_text(DOMAIN, problem("(forall (?x) (open ?x))"))
    assert answer.outcome is PlannerOutcome.SOLVED
    assert answer.plan.optimal is None
    assert sorted(answer.plan.steps) == [("open", "a"), ("open", "b"), ("open", "c")]


def test_actions_that_change_nothing_are_no_obstacle():
    """Whether they have a cost or not."""
    wait = "(:action wait :parameters () :effect (increase (total-cost) 1))"
    idle = f"{wait} (:action look :parameters () :effect (and)) (:action"
    found = solve_text(DOMAIN.replace("(:action", idle, 1), problem("(open a)"), optimal=True)
    assert found.outcome is PlannerOutcome.SOLVED_OPTIMALLY
    assert len(found.plan.steps) == 1


def test_unsolvable():
    goal = "(and (done) (not (open a)) (not (open b)) (not (open c)))"
    assert solve_text(DOMAIN, problem(goal)).outcome is PlannerOutcome.UNSOLVABLE_PROVEN


def test_wrong_text_is_an_error_that_says_why():
    answer = solve_text(DOMAIN, problem("(nothing)"))
    assert answer.outcome is PlannerOutcome.ERROR
    assert "nothing" in answer.detail


@pytest.mark.slow
def test_plans_are_validated_together():
    problems = [
        PlannedProblem(DOMAIN, problem("(done)"), "(open a)\n(leap a b)"),
        PlannedProblem(DOMAIN, problem("(done)"), "(open a)"),
        PlannedProblem(DOMAIN, problem("(done)"), "(leap a b)"),
        PlannedProblem(DOMAIN, problem("(done)"), "(fly a)"),
        PlannedProblem(DOMAIN, problem("(nothing)"), "(open a)"),
        PlannedProblem(DOMAIN, problem("(open a)"), "(open a)"),
    ]
    verdicts = validate_plans(problems)
    assert [verdict.split(":")[0] for verdict in verdicts] == [
        "VALID", "INVALID", "INVALID", "ERROR", "ERROR", "VALID",
    ]  # fmt: skip
    assert "nothing" in verdicts[4]
    assert validate_plans(problems[:1], megabytes=45) is None


@pytest.mark.slow
def test_a_worker_whose_time_is_spent_settles_nothing(monkeypatch, tmp_path):
    busy = tmp_path / "worker.py"
    busy.write_text("while True: pass\n")
    monkeypatch.setattr(unified, "WORKER", busy)
    monkeypatch.setattr(unified, "LOADING_SECONDS", 0.0)
    assert solve_text(DOMAIN, problem("(done)"), seconds=0.2).outcome is PlannerOutcome.OUT_OF_TIME
    assert validate_plans([PlannedProblem(DOMAIN, problem("(done)"), "(open a)")], seconds=0.2) is None


@pytest.mark.slow
def test_limits():
    balls = " ".join(f"ball{number}" for number in range(40))
    here = " ".join(f"(in {ball} a)" for ball in balls.split())
    there = " ".join(f"(in {ball} b)" for ball in balls.split())
    large = (
        f"(define (problem p) (:domain carry) (:objects a b - room {balls} - ball l r - hand)"
        f" (:init (robot a) (free l) (free r) {here}) (:goal (and {there})))"
    )
    assert solve_text(CARRY, large, optimal=True, seconds=1.0).outcome is PlannerOutcome.OUT_OF_TIME
    assert solve_text(DOMAIN, problem("(done)"), megabytes=45).outcome is PlannerOutcome.OUT_OF_MEMORY


@pytest.mark.parametrize(
    ("last_line", "outcome"),
    [
        ("MemoryError", PlannerOutcome.OUT_OF_MEMORY),
        ("x.so: failed to map segment from shared object", PlannerOutcome.OUT_OF_MEMORY),
        ("ValueError: what", PlannerOutcome.ERROR),
        ("", PlannerOutcome.ERROR),
    ],
)
def test_a_worker_that_fails_is_judged_by_its_last_line(monkeypatch, tmp_path, last_line, outcome):
    failing = tmp_path / "worker.py"
    failing.write_text(f"import sys\nprint('Traceback', file=sys.stderr)\nsys.exit({last_line!r})\n")
    monkeypatch.setattr(unified, "WORKER", failing)
    answer = solve_text(DOMAIN, problem("(done)"))
    assert answer.outcome is outcome
    assert outcome is not PlannerOutcome.ERROR or last_line in answer.detail
