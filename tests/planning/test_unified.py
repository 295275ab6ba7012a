import pytest

from orrery.planning import unified
from orrery.planning.unified import PlannedProblem, validate_plans

# An action shares its name with a predicate; actions have costs, whether or not a metric asks for them.
DOMAIN = """
(define (domain d) (:requirements :strips :negative-preconditions :action-costs)
  (:predicates (open ?x) (done)) (:functions (total-cost) - number)
  (:action open :parameters (?x) :precondition (not (open ?x))
    :effect (and (open ?x) (increase (total-cost) 1)))
  (:action leap :parameters (?x ?y) :precondition (and (open ?x) (not (= ?x ?y)))
    :effect (and (done) (increase (total-cost) 100)))
  (:action wait :parameters () :effect (increase (total-cost) 1))
  (:action look :parameters () :effect (and)))
"""


def planned(goal, *steps, metric=""):
    init = "(:objects A b c) (:init (= (total-cost) 0))"
    problem = f"(define (problem p) (:domain d) {init} (:goal {goal}) {metric})"
    return PlannedProblem(DOMAIN, problem, "\n".join(steps))


@pytest.mark.slow
def test_plans_are_validated_together():
    expected = {
        planned("(done)", "(open a)", "(leap a b)"): "VALID",
        planned("(forall (?x) (open ?x))", "(open a)", "(wait)", "(open b)", "(look)", "(open c)"): "VALID",
        planned("(done)", "(open a)", "(leap a b)", metric="(:metric minimize (total-cost))"): "VALID",
        planned("(done)", "(open a)"): "INVALID",
        planned("(done)", "(leap a b)"): "INVALID",
        planned("(done)", "(fly a)"): "ERROR",
        planned("(nothing)", "(open a)"): "ERROR",
    }
    verdicts = validate_plans(list(expected))
    assert [verdict.split(":")[0] for verdict in verdicts] == list(expected.values())
    assert "nothing" in verdicts[-1]
    assert validate_plans([planned("(done)")], megabytes=30) is None


@pytest.mark.parametrize(
    ("program", "verdicts"),
    [
        ("while True: pass", None),
        ("sys.exit('MemoryError')", None),
        ("sys.exit('x.so: failed to map segment from shared object')", None),
        ("sys.exit('ValueError: what')", ["ERROR: exit code 1; ValueError: what"]),
        ("sys.exit(3)", ["ERROR: exit code 3; Traceback"]),
    ],
)
def test_a_worker_that_fails_is_judged_by_its_last_line(monkeypatch, tmp_path, program, verdicts):
    worker = tmp_path / "worker.py"
    worker.write_text(f"import sys\nprint('Traceback', file=sys.stderr)\n{program}\n")
    monkeypatch.setattr(unified, "WORKER", worker)
    monkeypatch.setattr(unified, "LOADING_SECONDS", 0.0)
    assert validate_plans([planned("(done)")], seconds=0.8) == verdicts
