"""Ugly replies to questions about plans, each with the verdict that it should get."""

from __future__ import annotations

import pytest

from orrery.grading import GRADERS, grade
from tests.grading.plans.rows import ROWS
from tests.grading.plans.samples import REPLIES


@pytest.mark.slow
@pytest.mark.parametrize("case", REPLIES, ids=lambda case: f"{case['row']}:{case['reply'][:40]!r}")
def test_ugly_replies(case):
    score = grade(case["reply"], ROWS[case["row"]])
    assert score.verdict == case["verdict"], (case.get("why", ""), score.detail)


def test_the_golden_file_is_large_enough_and_says_nothing_twice():
    verdicts = {group: set() for group in GRADERS if group.startswith("plan_")}
    for case in REPLIES:
        verdicts[ROWS[case["row"]]["group"]].add(case["verdict"])
    assert set(map(frozenset, verdicts.values())) == {frozenset({"right", "wrong", "unparsed"})}
    assert len({(case["row"], case["reply"]) for case in REPLIES}) == len(REPLIES) >= 150
