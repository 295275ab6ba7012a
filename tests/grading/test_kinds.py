"""Published open questions: stored answers are right in every markup, every other answer is wrong."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from orrery.grading import grade
from tests.grading.published import MARKUP, right_and_wrong

KINDS = ("app", "prog", "reach", "areach", "val", "just", "land", "nexta")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_stored_answers_are_right_in_every_markup_and_others_wrong(open_rows, kind):
    graded = Counter()
    for row in (row for row in open_rows if row["kind"] == kind):
        right, wrong = right_and_wrong(row)
        for markup in MARKUP:
            for reply in right[:3]:
                for case in (reply, reply.lower()):
                    score = grade(markup.format(case), row)
                    assert score.verdict == "right", (row["id"], markup.format(case), score.detail)
                    graded["right"] += 1
        for reply in wrong:
            score = grade(f"ANSWER: {reply}", row)
            assert score.verdict == "wrong", (row["id"], reply)
            graded["wrong"] += 1
    assert graded["right"] > 600
    assert graded["wrong"] >= 40 or kind in ("reach", "areach")


def test_an_action_that_stands_once_in_the_sequence_names_its_index(open_rows):
    named = 0
    for row in (row for row in open_rows if row["kind"] == "val"):
        sequence = re.findall(r"\([^()]*\)", re.search('"([^"]*)"', row["question"])[1])
        verdict = grade(f"ANSWER: {sequence[row['answer']]}", row).verdict
        once = sequence.count(sequence[row["answer"]]) == 1
        assert verdict == ("right" if once else "unparsed")
        named += once
    assert named
