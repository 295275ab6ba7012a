import pytest

from pipeline.planners.outcome import Outcome


@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_plans_and_proofs_decide(outcome):
    plans = {Outcome.SOLVED, Outcome.SOLVED_OPTIMALLY}
    assert outcome.solved == (outcome in plans)
    assert outcome.decided == (outcome in plans | {Outcome.UNSOLVABLE_PROVEN})


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
