"""Answers of which any one is right."""

from __future__ import annotations

import pytest

from orrery.grading import grade
from tests.question_rows import ROWS


def test_a_capped_answer_is_graded_against_all():
    assert grade("ANSWER: (on b2 b2)", ROWS["reach"]).verdict == "right"
    published = {key: value for key, value in ROWS["reach"].items() if key != "answer_all"}
    assert grade("ANSWER: (on b2 b2)", published).verdict == "wrong"


@pytest.mark.parametrize("spell", ["( GO  room1   ROOM1 )", "go room1 room1", "(Go room1 room1)"])
def test_stored_actions_may_be_spelled_otherwise(spell):
    stored = ROWS["areach-published"] | {"answer": [spell, "(carry ball1 room1)"]}
    assert grade("ANSWER: (go room1 room1)", stored).verdict == "right"
    assert grade("ANSWER: (go room2 room2)", stored).verdict == "wrong"
    assert grade("ANSWER: none", stored).detail == "there is one, for example (go room1 room1)"
