"""How long grading takes: in proportion to the reply, and a tenth of a millisecond in the median."""

from __future__ import annotations

import statistics
import time

import pytest

from orrery.grading import grade
from tests.effort import allowed, sample
from tests.grading.published import right_and_wrong
from tests.grading.samples import REPLIES
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


@LONG
@pytest.mark.parametrize("marker", sample(["ANSWER:\n", ""], 1), ids=["marked", ""])
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_a_long_reply_takes_time_in_proportion(piece, marker, size):
    """Four times as long takes some four times as long: a square would take sixteen."""

    def took(count, row):
        begin = time.process_time()
        grade(marker + piece * count, row)
        return time.process_time() - begin

    count = size // len(piece)
    for name in ("prog", "val", "just", "bool-yes", "mc-app"):
        row = asked(name)[0]
        short = max(took(count // 4, row) for _ in range(2))
        assert min(took(count, row) for _ in range(2)) < 10 * short + 0.05


def test_the_median_reply_takes_less_than_a_tenth_of_a_millisecond():
    def took(case):
        begin = time.perf_counter()
        grade(case["reply"], asked(case["row"])[0])
        return time.perf_counter() - begin

    medians = [statistics.median(took(case) for case in REPLIES) for _ in range(5)]
    assert min(medians) < allowed(100e-6)


def test_a_published_row_is_graded_in_a_tenth_of_a_millisecond(open_rows, closed_rows):
    def took(row):
        reply = f"ANSWER: {right_and_wrong(row)[0][0] if 'verified' in row else row['answer']}"
        begin = time.perf_counter()
        grade(reply, row)
        return time.perf_counter() - begin

    for rows in (open_rows, closed_rows):
        assert min(statistics.median(map(took, rows)) for _ in range(5)) < allowed(100e-6)
