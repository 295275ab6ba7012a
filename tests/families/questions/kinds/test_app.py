"""Applicable actions against brute force over the types."""

from __future__ import annotations

from functools import partial

from orrery.families.questions.kinds import app
from orrery.grading import grade
from tests.families.questions.asked_rows import ask_open, asked

rows = partial(asked, app.TASK)
ask = partial(ask_open, app.TASK)


def test_fewer_or_more_actions_grade_wrong(cases_made):
    for case, row in rows(cases_made):
        wrong = [action for action in case.item.task.actions if action not in case.item.applicable]
        for left_out in row["answer"]:
            other_actions = [action for action in row["answer"] if action != left_out]
            assert grade("ANSWER: " + (", ".join(other_actions) or "None"), row).verdict == "wrong"
        for action in wrong:
            one_more = [*row["answer"], f"({' '.join(action.step)})"]
            assert grade("ANSWER: " + ", ".join(one_more), row).verdict == "wrong"
