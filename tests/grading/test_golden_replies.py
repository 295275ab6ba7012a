"""Ugly replies, each with the verdict that it should get."""

from __future__ import annotations

import pytest

from orrery.grading import GRADERS, grade
from tests.grading.samples import NAMES, REPLIES
from tests.question_rows import asked


@pytest.mark.slow
@pytest.mark.parametrize("case", REPLIES, ids=lambda case: f"{case['row']}:{case['reply'][:40]!r}")
def test_ugly_replies(case):
    for row_asked in asked(case["row"]):
        score = grade(case["reply"], row_asked)
        assert score.verdict == case["verdict"], (row_asked["group"], case.get("why", ""), score.detail)


def test_the_golden_file_is_large_enough_and_says_nothing_twice():
    verdicts = {group: [] for group in GRADERS if not group.startswith("plan_")}
    for case in REPLIES:
        for row_asked in asked(case["row"]):
            verdicts[row_asked["group"]].append(case["verdict"])
    for group, of_group in verdicts.items():
        assert len(of_group) >= 15, group
        assert set(of_group) == {"right", "wrong", "unparsed"}, group
    assert len({(case["row"], case["reply"]) for case in REPLIES}) == len(REPLIES)


def test_every_group_has_a_row_here():
    assert {group for group in GRADERS if not group.startswith("plan_")} == {
        row_asked["group"] for name in NAMES for row_asked in asked(name)
    }
