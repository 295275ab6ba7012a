"""Grading takes time in proportion to the reply; how much is measured by ``benchmarks/grading.py``."""

from __future__ import annotations

import time
from functools import partial

import pytest

from orrery.grading import grade
from tests.effort import grows_linearly, sample
from tests.question_rows import asked

PIECES = {
    "open parentheses": "(",
    "pairs": "()",
    "one word": "a",
    "letters": "b ",
    "words": "ab ",
    "hyphens": "a-",
    "underscores": "_",
    "inner underscores": "a" + "_" * 50,
    "spaces": " ",
    "newlines": "\n",
    "slashes": "/",
    "quotes": "'",
    "markers": "ANSWER:",
    "marker lines": "the the answer\n",
    "the": "the ",
    "atoms": "(stack b1 b2) ",
    "bare atoms": "stack b1 b2 ",
    "open atom": "(stack b1 b2 ",
    "entries": "(stack b1 b2): so\n",
    "labels": "pos: (clear b1) neg: ",
    "label words": "pos effects ",
    "nouns": "effects ",
    "brackets": "[",
    "backslashes": "\\",
    "fences": "```\n",
    "ticks": "`",
    "numbers": "1 ",
    "negative numbers": "-1",
    "numbered": "1. x\n",
    "dots": "1.",
    "steps": "step 1 ",
    "index": "index ",
    "indices": "index 1 ",
    "denied numbers": "not 1 ",
    "denied sentences": "(wave). (wave) is wrong. ",
    "too many arguments": "pick-up b1 b1 b2 ",
    "yes": "yes ",
    "no it": "no it ",
    "because": "because ",
    "options": "option a is ",
    "texts": "pick up block b1 ",
    "and": "wave and ",
    "tags": "<answer>",
    "thoughts": "<think>",
    "ends of thoughts": "</think>",
}
LONG = pytest.mark.parametrize("size", [20_000, pytest.param(10**6, marks=pytest.mark.exhaustive)])


@pytest.mark.slow
@LONG
@pytest.mark.parametrize("marker", sample(["ANSWER:\n", ""], 1), ids=["marked", ""])
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_a_long_reply_takes_time_in_proportion(piece, marker, size):
    count = size // len(piece)
    for name in ("prog", "val", "just", "bool-yes", "mc-app"):
        row = asked(name)[0]
        assert grows_linearly(partial(grade, row=row), marker + piece * (count // 4), marker + piece * count)


@pytest.mark.parametrize("character", ["(", ")", "a", "\n", "\0", "\ud800", "ANSWER: "])
def test_a_reply_of_fifty_megabytes_is_not_read(character):
    reply = character * (50_000_000 // len(character))
    row = {"group": "applicable_actions_bool", "answer": "yes"}
    started = time.process_time()
    score = grade(reply, row)
    assert (score.value, score.verdict) == (0, "unparsed")
    assert score.detail == "the reply is longer than 1000000 characters"
    assert time.process_time() - started < 0.1
