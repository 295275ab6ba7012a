"""The row of a problem: what the quick planner said, and what deciding its states found out later."""

import pytest

from orrery.analysis.decide import decide
from orrery.analysis.plans import FoundPlan
from orrery.families.problems.schemas import GENERATED_PROBLEMS
from orrery.model import Plan
from orrery.planners.outcome import Answer, PlannerOutcome
from orrery.semantics.grounding import ground
from orrery.stages.solve import _solution, _spans
from orrery.store.columns import from_rows
from orrery.store.shards import write_tables
from tests.every_domain import easy_problems, entry
from tests.store import samples

ROW = {"problem_id": "ferry/test/000000"}


@pytest.fixture(scope="module")
def task():
    return ground(entry("ferry").domain, easy_problems("ferry", 1)[0])


@pytest.fixture(scope="module")
def plan(task):
    return Plan(decide(task).plan.steps, "fast-downward LAMA-first")


def undecided(task, known=None):
    return decide(task, plan=known, max_states=1, calls=0, work=0)


def test_a_plan_found_only_while_deciding_is_kept_though_not_optimal(task, plan):
    row = _solution(ROW, FoundPlan(Answer(PlannerOutcome.OUT_OF_TIME), task), undecided(task, plan))
    assert (row["solvable"], row["plan_cost"], row["optimal"]) == (True, len(plan.steps), False)
    assert row["outcome"] == "solved"


def test_a_proof_stands_where_deciding_it_again_ran_out_of_budget(task):
    row = _solution(ROW, FoundPlan(Answer(PlannerOutcome.UNSOLVABLE_PROVEN), task), undecided(task))
    assert (row["solvable"], row["plan"], row["outcome"]) == (False, [], "unsolvable-proven")


def test_an_optimal_plan_takes_the_place_of_another(task, plan):
    row = _solution(ROW, FoundPlan(Answer(PlannerOutcome.SOLVED, plan), task), decide(task, plan=plan))
    assert (row["optimal"], row["planner"], row["outcome"]) == (True, "exhaustive", "solved-optimally")


def test_what_nothing_decided_is_neither_solvable_nor_unsolvable(task):
    for decided in (None, undecided(task)):
        row = _solution(ROW, FoundPlan(Answer(PlannerOutcome.OUT_OF_TIME), task), decided)
        assert (row["solvable"], row["plan_cost"], row["outcome"]) == (None, None, "out-of-time")


def test_what_was_not_grounded_has_no_counts(plan):
    row = _solution(ROW, FoundPlan(Answer(PlannerOutcome.SOLVED, plan)))
    assert (row["num_facts"], row["num_actions"], row["num_states"]) == (None, None, None)
    assert (row["solvable"], row["outcome"], row["plan_cost"]) == (True, "solved", len(plan.steps))


def test_states_that_prove_there_is_no_plan_name_the_search(task):
    row = _solution(ROW, FoundPlan(Answer(PlannerOutcome.UNSOLVABLE_PROVEN), task, 12))
    assert (row["planner"], row["num_states"], row["solvable"]) == ("exhaustive", 12, False)


def test_parts_cover_all_problems_once(tmp_path):
    for total in (1, 9, 10, 11, 399, 8_000, 8_001, 23_456):
        spans = [span.numbers for span in _spans(problems(tmp_path, total))]
        assert [number for span in spans for number in span] == list(range(total))
        assert max(map(len, spans)) <= 200


def problems(folder, count):
    """A table of problems of which only the number matters."""
    path, schema = folder / f"{count}.parquet", GENERATED_PROBLEMS
    one = from_rows(schema, [samples.row(schema)])
    write_tables(path, schema, [one.take([0] * count)])
    return path
