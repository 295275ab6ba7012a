import pytest

from orrery.model import Plan
from orrery.planners.outcome import Answer, Outcome


@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_plans_and_proofs_decide(outcome):
    plans = {Outcome.SOLVED, Outcome.SOLVED_OPTIMALLY}
    assert outcome.solved == (outcome in plans)
    assert outcome.decided == (outcome in plans | {Outcome.UNSOLVABLE_PROVEN})


@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_a_proof_says_that_there_is_no_plan(outcome):
    assert Answer(outcome).solvable is (False if outcome is Outcome.UNSOLVABLE_PROVEN else None)
    assert Answer(outcome, Plan((), "any")).solvable is True


def test_the_names_of_outcomes():
    assert sorted(Outcome) == [
        "error",
        "incomplete",
        "out-of-memory",
        "out-of-time",
        "solved",
        "solved-optimally",
        "unsolvable-proven",
    ]
