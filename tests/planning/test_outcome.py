import pytest

from orrery.model import Plan
from orrery.planning.outcome import PlannerOutcome, PlannerResult


@pytest.mark.parametrize("outcome", list(PlannerOutcome))
def test_only_plans_and_proofs_decide(outcome):
    plans = {PlannerOutcome.SOLVED, PlannerOutcome.SOLVED_OPTIMALLY}
    assert outcome.solved == (outcome in plans)
    assert outcome.decided == (outcome in plans | {PlannerOutcome.UNSOLVABLE_PROVEN})


@pytest.mark.parametrize("outcome", list(PlannerOutcome))
def test_only_a_proof_says_that_there_is_no_plan(outcome):
    assert PlannerResult(outcome).solvable is (False if outcome is PlannerOutcome.UNSOLVABLE_PROVEN else None)
    assert PlannerResult(outcome, Plan((), "any")).solvable is True


def test_the_names_of_outcomes():
    assert sorted(PlannerOutcome) == [
        "error",
        "incomplete",
        "out-of-memory",
        "out-of-time",
        "solved",
        "solved-optimally",
        "unsolvable-proven",
    ]
