"""Ugly replies, each with the verdict that it should get, and some with a part of the detail."""

from __future__ import annotations

import pytest

from orrery.grading import GRADERS, grade
from tests.grading.samples import NAMES, REPLIES, rows_of


@pytest.mark.parametrize("name", sorted({case["row"] for case in REPLIES}))
def test_ugly_replies(name):
    mistakes = []
    for case in [case for case in REPLIES if case["row"] == name]:
        for row_asked in rows_of(name):
            score = grade(case["reply"], row_asked)
            if score.verdict != case["verdict"] or case.get("detail", "") not in score.detail:
                mistakes.append((case, row_asked["group"], score.verdict, score.detail))
    assert mistakes == []


def test_the_golden_files_are_large_enough_and_say_nothing_twice():
    verdicts = {group: [] for group in GRADERS}
    for case in REPLIES:
        for row_asked in rows_of(case["row"]):
            verdicts[row_asked["group"]].append(case["verdict"])
    for group, of_group in verdicts.items():
        assert len(of_group) >= (3 if group.startswith("plan_") else 15), group
        assert set(of_group) == {"right", "wrong", "unparsed"}, group
    assert len({(case["row"], case["reply"]) for case in REPLIES}) == len(REPLIES) >= 500


def test_every_group_has_a_row_here():
    assert set(GRADERS) == {row_asked["group"] for name in NAMES for row_asked in rows_of(name)}
