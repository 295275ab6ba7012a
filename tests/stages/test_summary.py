"""What a stage says in the end."""

from orrery.stages.summary import StageSummary

MANY = {f"kind {number}": number for number in range(1, 9)}


def test_all_counts_and_reasons_are_told():
    summary = StageSummary(
        "ask", "ferry", {"rows": 3}, {"too easy": 2, "nothing": 0, "a twin": 1}, ("one short",)
    )
    assert summary.lines() == [
        "ask ferry: 3 rows",
        "ask ferry: left out 1: a twin",
        "ask ferry: left out 2: too easy",
        "ask ferry: warning: one short",
    ]


def test_in_brief_sums_are_told_and_all_warnings():
    summary = StageSummary("ask", "ferry", MANY, {"too easy": 2, "nothing": 0, "a twin": 1}, ("one short",))
    assert summary.brief() == [
        "ask ferry: 36 rows; left out 3, for 2 reasons",
        "ask ferry: warning: one short",
    ]
    assert (
        StageSummary("ask", "", {}).brief() == StageSummary("ask", "", {}).lines() == ["ask: nothing to do"]
    )
    assert StageSummary("ask", "swap", {"rows": 3, "more": 4}).brief() == ["ask swap: 3 rows, 4 more"]
