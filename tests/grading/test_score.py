"""Scores: verdict, value, detail and parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.grading import GRADERS, Score, grade
from tests.effort import examples
from tests.grading.plans import rows as plan_rows
from tests.grading.samples import NAMES, REPLY, rows_of
from tests.question_rows import ROWS


def test_parts():
    score = grade("ANSWER: (stack b1 b2), (wave), (pick-up b1)", ROWS["app"])
    assert (score.verdict, score.parts) == ("wrong", {"jaccard": 0.5})
    assert "(stack b1 b10)" in score.detail
    assert "(pick-up b1)" in score.detail
    assert grade("ANSWER: none", ROWS["app-none"]).parts == {"jaccard": 1.0}
    score = grade("ANSWER: pos: (arm-empty) (on b1 b2) neg: none", ROWS["prog"])
    assert (score.value, score.parts) == (0, {"pos": 1.0, "neg": 0.0, "jaccard": 2 / 3})
    assert grade("ANSWER: pos: none neg: (arm-empty)", ROWS["prog"]).parts["jaccard"] == 0.0
    assert grade("ANSWER: (stack b2 b1)", ROWS["val"]).parts == {"off_by_one": 0.0}
    gold = int(ROWS["val"]["answer"])
    beside = [grade(f"ANSWER: {gold + step}", ROWS["val"]).parts["off_by_one"] for step in (-1, 0, 1, 2)]
    assert beside == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("reply", ["ANSWER: yes", "ANSWER: A", "nothing", "", "x" * 2_000_000])
@pytest.mark.parametrize(
    "row",
    [ROWS["app"], ROWS["land"], ROWS["val"], ROWS["mc-app"], {"group": "landmarks_bool", "answer": "no"}],
)
def test_a_row_that_lost_its_answer_is_refused(row, reply):
    """Every reply to it would be wrong, and nobody would know why."""
    with pytest.raises(ValueError, match="the row has no 'answer', without which"):
        grade(reply, {**row, "answer": None})


def test_a_row_that_lost_its_names_is_refused():
    with pytest.raises(ValueError, match="the row has no 'PDDL_domain', without which"):
        grade("ANSWER: (wave)", {name: value for name, value in ROWS["app"].items() if name != "PDDL_domain"})


def test_parts_of_a_reply_that_cannot_be_read_are_0():
    read = {"app": "ANSWER: (wave)", "app-none": "ANSWER: none", "prog": "pos: (arm-empty) neg: none"}
    for name, reply in read.items():
        unread = grade("well", ROWS[name])
        assert unread.verdict == "unparsed"
        assert unread.parts == dict.fromkeys(grade(reply, ROWS[name]).parts, 0.0) != {}
    assert grade("well", ROWS["just"]).parts == {}


@pytest.mark.slow
@given(REPLY, st.sampled_from(NAMES))
@examples(5000)
def test_no_reply_crashes(reply, name):
    row = rows_of(name)[0]
    score = grade(reply, row)
    assert isinstance(score, Score)
    assert score.verdict in ("right", "wrong", "unparsed")
    assert score.value == (score.verdict == "right")
    assert score.detail or score.value
    assert set(score.parts) == set(GRADERS[row["group"]].parts)
    assert all(0 <= part <= 1 for part in score.parts.values())


@pytest.mark.parametrize("column", ["step", "answer"])
def test_a_question_on_links_that_lost_its_numbers_is_refused(column):
    row = plan_rows.ROWS["follows"]
    assert grade("ANSWER: 3", row).value == 1
    with pytest.raises(ValueError, match=f"the row has no '{column}', without which"):
        grade("ANSWER: 3", {**row, column: None})
