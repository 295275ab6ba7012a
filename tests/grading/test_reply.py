"""Where the answer stands within a reply, and the markup around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.grading import grade
from tests.effort import examples
from tests.grading.samples import REPLY
from tests.question_rows import PLAN, asked

SAID = {
    "app": ("(wave), (stack b1 b10), (stack b1 b2)", "(wave)"),
    "land": ("(arm-empty)", "(clear b1)"),
    "reach": ("(on b1 b1)", "(on b1 b2)"),
    "areach": ("(carry ball2 room1)", "(rest)"),
    "areach-few": ("(carry ball1 room1)", "(rest)"),
    "nexta": ("(stack b1 b2)", "(wave)"),
    "val": ("2", "(wave)"),
    "just": (" ".join(PLAN[:2] + PLAN[4:]), " ".join(PLAN[:2])),
    "bool-yes": ("true", "no"),
    "mc-app": ("B", "(wave)"),
    "mc-prog": ("b", "The arm is empty and block b1 is clear"),
}


@pytest.mark.slow
@given(REPLY, st.sampled_from(sorted(SAID)))
@examples(500)
def test_the_last_answer_line_wins(reply, name):
    before = reply.replace("<think", "")  # thought that does not end swallows all
    for said, verdict in zip(SAID[name], ("right", "wrong"), strict=True):
        assert grade(f"{before}\nANSWER: {said}", asked(name)[0]).verdict == verdict


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("ANSWER: C. wait for rain, then thank a", "right"),
        ("ANSWER: B. wait for snow", "wrong"),
        ("ANSWER: wait for rain, then thank a", "right"),
        ("ANSWER: C\nSorry, it is B", "unparsed"),
    ],
)
def test_a_word_of_an_option_corrects_no_answer(reply, verdict):
    texts = ["thank a", "wait for snow", "wait for rain, then thank a", "thank b"]
    choices = {"label": ["A", "B", "C", "D"], "text": texts}
    row = {"id": "1", "group": "action_justification_mcq", "answer": "C", "choices": choices}
    assert grade(reply, row).verdict == verdict
