import os

import pytest

from orrery.model import Proof
from orrery.planners import process, unified, worker_server
from orrery.planners.outcome import PlannerOutcome
from orrery.planners.process import Ended
from orrery.planners.unified import PlannedProblem, _failure, solve_text, validate_plans

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


@pytest.mark.parametrize("metric", ["", "(:metric minimize (total-cost))"])
def test_a_shortest_plan_counts_actions_and_ignores_costs(metric):
    answer = solve_text(DOMAIN, problem("(done)", metric), optimal=True)
    assert answer.outcome is PlannerOutcome.SOLVED_OPTIMALLY
    assert answer.plan.optimal is Proof.ASTAR
    assert [step[0] for step in answer.plan.steps] == ["open", "leap"]


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


def test_plans_are_validated_together():
    problems = [
        PlannedProblem(problem("(done)"), "(open a)\n(leap a b)"),
        PlannedProblem(problem("(done)"), "(open a)"),
        PlannedProblem(problem("(done)"), "(leap a b)"),
        PlannedProblem(problem("(done)"), "(fly a)"),
        PlannedProblem(problem("(nothing)"), "(open a)"),
        PlannedProblem(problem("(open a)"), "(open a)"),
    ]
    verdicts = validate_plans(DOMAIN, problems)
    assert [verdict.split(":")[0] for verdict in verdicts] == [
        "VALID", "INVALID", "INVALID", "ERROR", "ERROR", "VALID",
    ]  # fmt: skip
    assert "nothing" in verdicts[4]
    assert validate_plans(DOMAIN, problems[:1], megabytes=45) is None


def test_a_worker_whose_time_is_spent_settles_nothing(monkeypatch, tmp_path):
    busy = tmp_path / "worker.py"
    busy.write_text("while True: pass\n")
    monkeypatch.setattr(unified, "WORKER", worker_server.Worker(busy))
    monkeypatch.setattr(worker_server, "can_serve", lambda: False)
    monkeypatch.setattr(unified, "LOADING_SECONDS", 0.0)
    assert solve_text(DOMAIN, problem("(done)"), seconds=0.2).outcome is PlannerOutcome.OUT_OF_TIME
    assert validate_plans(DOMAIN, [PlannedProblem(problem("(done)"), "(open a)")], seconds=0.2) is None


def test_one_process_answers_many_requests_each_within_its_own_limits(monkeypatch):
    """A request that spends its time, or its memory, costs the next one nothing."""
    server = worker_server._server_of(os.getpid(), unified.WORKER)
    goal = problem("(done)")
    assert solve_text(DOMAIN, goal).outcome is PlannerOutcome.SOLVED
    process = server._process
    monkeypatch.setattr(unified, "LOADING_SECONDS", 0.0)
    many = " ".join(f"(open a{number})" for number in range(30_000))
    names = " ".join(f"a{number}" for number in range(30_000))
    slow = f"(define (problem p) (:domain d) (:objects {names}) (:init {many}) (:goal (done)))"
    assert validate_plans(DOMAIN, [PlannedProblem(slow, "")], seconds=0.5) is None
    assert validate_plans(DOMAIN, [PlannedProblem(goal, "(open a)")], megabytes=45) is None
    assert validate_plans(DOMAIN, [PlannedProblem(goal, "(open a)")]) == ["INVALID"]
    assert server._process is process


def test_a_server_that_was_killed_is_started_again():
    server = worker_server._server_of(os.getpid(), unified.WORKER)
    assert solve_text(DOMAIN, problem("(done)")).outcome is PlannerOutcome.SOLVED
    killed = server._process
    killed.kill()
    killed.wait()
    assert solve_text(DOMAIN, problem("(done)")).outcome is PlannerOutcome.SOLVED
    assert server._process is not killed


def test_a_request_whose_process_died_does_not_end_the_one_that_another_has_started(monkeypatch, tmp_path):
    dying_once = tmp_path / "worker.py"
    dying_once.write_text(f"""
import os
def prepared():
    try:
        os.mkdir({str(tmp_path / "started")!r})
    except FileExistsError:
        return lambda request: None
    os._exit(3)
""")
    server = worker_server._Server(worker_server.Worker(dying_once))
    read, others = worker_server.text_of, []

    def read_after_another_has_asked(path):
        if not others:
            others.append(None)
            others.append(server.ask({}, 5.0, 2_000))
        return read(path)

    monkeypatch.setattr(worker_server, "text_of", read_after_another_has_asked)
    assert server.ask({}, 5.0, 2_000).code == 3
    assert others[1].code == 0
    assert server._process is not None
    assert server._process.poll() is None
    server._end()


def test_a_worker_that_waits_for_ever_is_ended_and_named(monkeypatch, tmp_path):
    idle = tmp_path / "idle.py"
    idle.write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setattr(worker_server, "LOADING", 0.2)
    monkeypatch.setattr(process, "FUSE_SECONDS", 0.0)
    server = worker_server._Server(worker_server.Worker(idle))
    with pytest.raises(process.Hung, match=r"idle\.py: has not ended in"):
        server.ask({}, 0.0, 500)
    assert server._process is None


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
    ("errors", "outcome"),
    [
        ("Traceback\nMemoryError", PlannerOutcome.OUT_OF_MEMORY),
        ("x.so: failed to map segment from shared object", PlannerOutcome.OUT_OF_MEMORY),
        ("ValueError: what", PlannerOutcome.ERROR),
        ("", PlannerOutcome.ERROR),
    ],
)
def test_failures_by_their_last_line(errors, outcome):
    assert _failure(Ended(1, "", errors)).outcome is outcome
