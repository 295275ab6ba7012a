"""Words behind an answer that deny it, where the question asks for what is possible and where not."""

from __future__ import annotations

import pytest

from orrery.grading.words import REJECTING, is_rejected

POSSIBLE = ("is applicable", "can be executed", "works", "is really possible", "which holds")
IMPOSSIBLE = ("is not applicable", "cannot be executed", "never works", "is impossible", "fails", "is untrue")
ALWAYS = (
    "is wrong",
    "is clearly incorrect",
    "is not the answer",
    "is not needed",
    "would be wrong",
    "is not",
)
NEVER = (
    *("", "is right", "is not wrong", "cannot be avoided", "is impossible to avoid", "by the way", "not"),
    *("is the only action that is not blocked", "is not true initially", "and so on"),
)


@pytest.mark.parametrize("impossible", [False, True])
@pytest.mark.parametrize(
    ("phrase", "where_possible", "where_impossible"),
    [
        *((phrase, False, True) for phrase in POSSIBLE),
        *((phrase, True, False) for phrase in IMPOSSIBLE),
        *((phrase, True, True) for phrase in ALWAYS),
        *((phrase, False, False) for phrase in NEVER),
    ],
)
def test_what_denies_an_answer_depends_on_what_is_asked_for(
    phrase, where_possible, where_impossible, impossible
):
    words = phrase.split()
    rejected = is_rejected(words, impossible)
    assert rejected == (where_impossible if impossible else where_possible)
    assert not rejected or not REJECTING.isdisjoint(words)


@pytest.mark.parametrize("phrase", [phrase for phrase in POSSIBLE if not phrase.startswith("which")])
def test_what_is_possible_in_no_state_is_impossible(phrase):
    assert not is_rejected([*phrase.split(), "in", "no", "state"], True)
