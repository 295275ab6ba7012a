"""Unreachable facts: all of them, and the first as published sets have them."""

from __future__ import annotations

from dataclasses import replace

from orrery.families.questions.kinds import reach
from orrery.families.questions.question_row import NotAsked, QuestionRow
from orrery.grading import grade

ask = reach.KIND.question


def rows(cases):
    found = [(case, ask(case.item, case.words, case.rng)) for case in cases]
    found = [(case, row) for case, row in found if isinstance(row, QuestionRow)]
    assert len(found) >= len(cases) // 3, "too few questions to show anything"
    return found


def test_stores_the_published_form_and_all(cases_made, monkeypatch):
    monkeypatch.setattr(reach, "PUBLISHED_MOST", 2)
    capped = 0
    for case, row in rows(cases_made):
        columns = row.columns()
        assert columns["answer_all"] == [" ".join(fact) for fact in sorted(case.item.unreachable)]
        assert columns["answer"] == columns["answer_all"][:2]
        capped += len(columns["answer_all"]) > 2
        for fact in columns["answer_all"]:
            assert grade(f"ANSWER: ({fact})", columns).value == 1
    assert capped


def test_is_not_asked_where_facts_are_open(cases_made):
    case = cases_made[0]
    assert isinstance(ask(replace(case.item, unreachable=None), case.words, case.rng), NotAsked)
