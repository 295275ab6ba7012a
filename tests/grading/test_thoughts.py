"""What was thought is no answer, in the tags, tokens and channels of models."""

from __future__ import annotations

import pytest

from orrery.grading import grade
from orrery.grading.thoughts import without_thoughts
from tests.grading.plans.rows import FERRY_PLAN
from tests.grading.plans.rows import ROWS as PLAN_ROWS
from tests.grading.wraps import THOUGHTS
from tests.question_rows import ROWS

CHANNEL = "<|channel|>analysis<|message|>{}<|end|>"
STYLES = [form.split("{}") for form in (*THOUGHTS.values(), CHANNEL) if not form.startswith("{}")]
BOOL = {"group": "validation_bool", "answer": "no"}
# A row, its answer, and a wrong answer as a draft.
CASES = [
    (ROWS["val"], "2", "4"),
    (ROWS["app-one"], "(pick-up b1)", "(wave)"),
    (ROWS["mc-app"], "B", "C"),
    (BOOL, "no", "yes"),
    (PLAN_ROWS["ferry"], "\n".join(FERRY_PLAN), "(sail l0 l1)\n(sail l1 l0)"),
    (PLAN_ROWS["valid"], "valid", "invalid, step 2"),
]


@pytest.mark.parametrize(("opening", "closing"), STYLES, ids=lambda mark: mark[:20])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0]["group"])
def test_the_answer_after_the_thought_counts(opening, closing, case):
    row, answer, draft = case
    for mark in ("", "ANSWER: "):
        said = answer if "\n" in answer else mark + answer
        assert grade(f"{opening}Perhaps {draft}. ANSWER: {draft}{closing}\n\n{said}", row).verdict == "right"
        assert grade(f"{opening}{mark}{answer}{closing}\n\nANSWER: {draft}", row).verdict == "wrong"
        assert grade(f"{opening}{said}\nBut wait, it may still be", row).verdict == "unparsed"
        assert (
            grade(f"I thought {draft} first.{closing}\n\n{said}", row).verdict == "right"
            or "<|end|>" in closing
        )


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("no thought", "no thought"),
        ("the answer<think>why</think>\n", "the answer"),
        ("yes<|end|>", "yes<|end|>"),
        ("yes<think>why</think><|im_end|>", "yes"),
        ("<think>a</think>b<think>c</think>d", "d"),
        ("<think>a <think> b</think>c", "c"),
        ("I think that x < y", "I think that x < y"),
        ("analysisWe look. assistantfinalYes", "Yes"),
    ],
)
def test_the_answer_is_the_text_after_the_last_thought_or_before_the_first(reply, answer):
    assert without_thoughts(reply).strip() == answer
