"""The row of a problem: what the quick planner said, and what deciding its states found out later."""

import pytest

from orrery.model import Plan
from orrery.planning.decide import decide
from orrery.planning.grounding import ground
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.plans import FoundPlan
from orrery.problems.solutions import planner_answer, solution_row
from tests.every_domain import easy_problems, entry

ID = "ferry/test/000000"


@pytest.fixture(scope="module")
def task():
    return ground(entry("ferry").domain, easy_problems("ferry", 1)[0])


@pytest.fixture(scope="module")
def plan(task):
    return Plan(decide(task).plan.steps, "fast-downward LAMA-first")


def undecided(task, known_plans=None):
    return decide(task, plan=known_plans, max_states=1, calls=0)


def test_a_plan_found_only_while_deciding_is_kept_though_not_optimal(task, plan):
    row = solution_row(ID, FoundPlan(PlannerResult(PlannerOutcome.OUT_OF_TIME), task), undecided(task, plan))
    assert (row["solvable"], row["plan_cost"], row["optimal"]) == (True, len(plan.steps), False)
    assert row["outcome"] == "solved"


def test_a_proof_stands_where_deciding_it_again_ran_out_of_budget(task):
    row = solution_row(ID, FoundPlan(PlannerResult(PlannerOutcome.UNSOLVABLE_PROVEN), task), undecided(task))
    assert (row["solvable"], row["plan"], row["outcome"]) == (False, [], "unsolvable-proven")


def test_an_optimal_plan_takes_the_place_of_another(task, plan):
    row = solution_row(
        ID, FoundPlan(PlannerResult(PlannerOutcome.SOLVED, plan), task), decide(task, plan=plan)
    )
    assert (row["optimal"], row["planner"], row["outcome"]) == (True, "exhaustive", "solved-optimally")


def test_what_nothing_decided_is_neither_solvable_nor_unsolvable(task):
    for decided in (None, undecided(task)):
        row = solution_row(ID, FoundPlan(PlannerResult(PlannerOutcome.OUT_OF_TIME), task), decided)
        assert (row["solvable"], row["plan_cost"], row["outcome"]) == (None, None, "out-of-time")


def test_what_was_not_grounded_has_no_counts(plan):
    row = solution_row(ID, FoundPlan(PlannerResult(PlannerOutcome.SOLVED, plan)))
    assert (row["num_facts"], row["num_actions"], row["num_states"]) == (None, None, None)
    assert (row["solvable"], row["outcome"], row["plan_cost"]) == (True, "solved", len(plan.steps))


def test_states_that_prove_there_is_no_plan_name_the_search(task):
    row = solution_row(ID, FoundPlan(PlannerResult(PlannerOutcome.UNSOLVABLE_PROVEN), task, 12))
    assert (row["planner"], row["num_states"], row["solvable"]) == ("exhaustive", 12, False)


def test_a_row_is_read_back_as_the_answer_it_was_written_from(task, plan):
    for answer in (
        PlannerResult(PlannerOutcome.SOLVED, plan),
        PlannerResult(PlannerOutcome.OUT_OF_TIME),
        PlannerResult(PlannerOutcome.UNSOLVABLE_PROVEN),
    ):
        assert planner_answer(solution_row(ID, FoundPlan(answer, task))) == answer
