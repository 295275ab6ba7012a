"""Grading takes time in proportion to the reply; how much is measured by ``benchmarks/grading.py``."""

from __future__ import annotations

from functools import partial

import pytest

from orrery.grading import grade, pddl
from orrery.grading.plans import simulation
from tests.effort import grows_linearly, sample
from tests.grading.plans.rows import ROWS

PIECES = {
    "open parentheses": "(",
    "pairs": "()",
    "one word": "a",
    "words": "ab ",
    "articles": "the ",
    "commas": ", ",
    "hyphens": "a-",
    "dashes": "-",
    "underscores": "_",
    "spaces": " ",
    "newlines": "\n",
    "quotes": '"',
    "markers": "ANSWER:",
    "answer lines": "answer: x\n",
    "plans": "[PLAN]",
    "ends": "[PLAN END]\n",
    "plan lines": "[PLAN]\nx\n",
    "steps": "(sail l0 l1)\n",
    "steps on one line": "(sail l0 l1) ",
    "bare steps": "sail l0 l1 ",
    "bare step lines": "sail l0 l1\n",
    "open steps": "(sail l0 l1 ",
    "phrases": "sail from location l0 to location l1, ",
    "phrase lines": "sail from location l0 to location l1\n",
    "half phrases": "sail from location l0 to ",
    "numbered": "1. (sail l0 l1)\n",
    "numbered prose": "1. x\n",
    "doubts": "maybe (sail l0 l1)\n",
    "not": "not ",
    "fillers": "then ",
    "labels": "the plan ",
    "lines of labels": "the the answer\n",
    "colons": "plan: ",
    "prose and steps": "x\n(sail l0 l1)\n",
    "blank and steps": "\n\n(sail l0 l1)\nx",
    "brackets": "[",
    "strings": '["a","b",',
    "calls": '{"action":"sail","args":["',
    "backslashes": "\\",
    "fences": "```\n",
    "numbers": "1 ",
    "dots": "1.",
    "facts": "the ferry is empty, ",
    "half facts": "location l1 is ",
    "is not": "car c0 is not ",
    "step numbers": "step 1 ",
    "verdicts": "valid. ",
    "none": "no plan ",
    "clauses": "no plan, ",
    "conditions": "without step 1, ",
    "denied steps": "not step 1 and ",
    "tags": "<answer>",
    "thoughts": "<think>",
}
LONG = pytest.mark.parametrize("size", [20_000, pytest.param(10**6, marks=pytest.mark.exhaustive)])


@pytest.mark.slow
@LONG
@pytest.mark.parametrize(
    "marker", sample(["", "[PLAN]\n", "ANSWER:\n"], 1), ids=["unmarked", "plan", "answer"]
)
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_a_long_reply_takes_time_in_proportion(piece, marker, size):
    count = size // len(piece)
    for name in ("ferry", "unsolvable", "fails", "execution", "provider"):
        work = partial(grade, row=ROWS[name])
        assert grows_linearly(work, marker + piece * (count // 4), marker + piece * count), name


@pytest.mark.parametrize("length", [10, 100, 1000])
def test_a_step_is_grounded_once_and_nothing_else_is(monkeypatch, length):
    grounded = []
    ground = simulation._grounded

    def counted(problem, step):
        grounded.append(step)
        return ground(problem, step)

    monkeypatch.setattr(simulation, "_grounded", counted)
    plan = ["(sail l0 l1)", "(sail l1 l0)"] * length
    row = ROWS["ferry"]
    assert grade("\n".join(plan), row).verdict == "wrong"
    assert grounded == [("sail", "l0", "l1"), ("sail", "l1", "l0")]


def test_pddl_and_wordings_are_read_once():
    pddl.read_domain.cache_clear()
    pddl.read_problem.cache_clear()
    for _ in range(5):
        grade("(sail l0 l1)", ROWS["ferry"])
    assert pddl.read_domain.cache_info().misses == 1
    assert pddl.read_problem.cache_info().misses == 1
