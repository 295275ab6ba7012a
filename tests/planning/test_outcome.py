from orrery.planning.outcome import PlannerOutcome


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
