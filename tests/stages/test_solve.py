"""The row of a problem: what the quick planner said, and what deciding its states found out later."""

import pytest

from pipeline.facts.decide import decide
from pipeline.model import Plan
from pipeline.planners.outcome import Answer, Outcome
from pipeline.semantics.grounding import ground
from pipeline.stages.solve import _solution
from tests.every_domain import easy_problems, entry

ROW = {"problem_id": "ferry/test/000000"}


@pytest.fixture(scope="module")
def task():
    return ground(entry("ferry").domain, easy_problems("ferry", 1)[0])


@pytest.fixture(scope="module")
def plan(task):
    return Plan(decide(task).plan.steps, "fast-downward LAMA-first")


def undecided(task, known=None):
    return decide(task, plan=known, max_states=1, calls=0)


def test_a_plan_found_only_while_deciding_is_kept_though_not_optimal(task, plan):
    row = _solution(ROW, task, Answer(Outcome.OUT_OF_TIME), undecided(task, plan))
    assert (row["solvable"], row["plan_cost"], row["optimal"]) == (True, len(plan.steps), False)
    assert row["outcome"] == "solved"


def test_a_proof_stands_where_deciding_it_again_ran_out_of_budget(task):
    row = _solution(ROW, task, Answer(Outcome.UNSOLVABLE_PROVEN), undecided(task))
    assert (row["solvable"], row["plan"], row["outcome"]) == (False, [], "unsolvable-proven")


def test_an_optimal_plan_takes_the_place_of_another(task, plan):
    row = _solution(ROW, task, Answer(Outcome.SOLVED, plan), decide(task, plan=plan))
    assert (row["optimal"], row["planner"], row["outcome"]) == (True, "exhaustive", "solved-optimally")


def test_what_nothing_decided_is_neither_solvable_nor_unsolvable(task):
    for decided in (None, undecided(task)):
        row = _solution(ROW, task, Answer(Outcome.OUT_OF_TIME), decided)
        assert (row["solvable"], row["plan_cost"], row["outcome"]) == (None, None, "out-of-time")
