"""Applicable actions against brute force over the types."""

from __future__ import annotations

from orrery.families.drafts import Rejected
from orrery.families.questions.kinds import app
from orrery.families.questions.question_row import QuestionRow
from orrery.grading import grade
from tests.universe import applicable_steps


def rows(cases):
    found = [(case, app.TASK.draw.row(case.item, case.words, case.rng)) for case in cases]
    found = [(case, row) for case, row in found if isinstance(row, QuestionRow)]
    assert len(found) >= len(cases) // 3, "too few questions to show anything"
    return found


def test_lists_what_brute_force_over_the_types_finds(cases_made):
    for case, row in rows(cases_made):
        item = case.item
        steps = applicable_steps(item.domain, item.problem, item.problem.init)
        assert row.answer == [f"({' '.join(step)})" for step in sorted(steps)]


def test_is_not_asked_where_the_list_is_long(cases_made, monkeypatch):
    case = next(case for case in cases_made if len(case.item.applicable) > 1)
    monkeypatch.setattr(app, "MOST", len(case.item.applicable))
    assert isinstance(app.TASK.draw.row(case.item, case.words, case.rng), QuestionRow)
    monkeypatch.setattr(app, "MOST", len(case.item.applicable) - 1)
    assert isinstance(app.TASK.draw.row(case.item, case.words, case.rng), Rejected)


def test_fewer_or_more_actions_grade_wrong(cases_made):
    for case, row in rows(cases_made):
        columns = row.columns()
        wrong = [action for action in case.item.task.actions if action not in case.item.applicable]
        for left_out in columns["answer"]:
            kept = [action for action in columns["answer"] if action != left_out]
            assert grade("ANSWER: " + (", ".join(kept) or "None"), columns).verdict == "wrong"
        for action in wrong:
            more = [*columns["answer"], f"({' '.join(action.step)})"]
            assert grade("ANSWER: " + ", ".join(more), columns).verdict == "wrong"
