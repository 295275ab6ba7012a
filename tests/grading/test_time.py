"""Grading takes time in proportion to the reply; how much is measured by ``benchmarks/grading.py``."""

from __future__ import annotations

import time
from functools import partial
from random import Random

import pytest

import orrery
from orrery.grading import GRADERS, grade, pddl, problem
from orrery.grading.plans import simulation
from orrery.grading.score import MAX_ANSWER
from tests.effort import by_day, grows_linearly, sample, slow
from tests.grading.plans.rows import ROWS
from tests.grading.samples import rows_of
from tests.grading.test_matrix import modelled

PIECES = (
    "(",
    "()",
    "a",
    "b ",
    "ab ",
    "a-",
    "_",
    "a" + "_" * 50,
    " ",
    "\n",
    "/",
    "'",
    "ANSWER:",
    "the the answer\n",
    "the ",
    "(stack b1 b2) ",
    "stack b1 b2 ",
    "(stack b1 b2 ",
    "(stack b1 b2): so\n",
    "pos: (clear b1) neg: ",
    "pos effects ",
    "effects ",
    "[",
    "\\",
    "```\n",
    "`",
    "1 ",
    "-1",
    "1. x\n",
    "1.",
    "step 1 ",
    "index ",
    "index 1 ",
    "not 1 ",
    "(wave). (wave) is wrong. ",
    "pick-up b1 b1 b2 ",
    "yes ",
    "no it ",
    "because ",
    "option a is ",
    "pick up block b1 ",
    "wave and ",
    "<answer>",
    "<think>",
    "</think>",
    ", ",
    "-",
    '"',
    "answer: x\n",
    "[PLAN]",
    "[PLAN END]\n",
    "[PLAN]\nx\n",
    "(sail l0 l1)\n",
    "(sail l0 l1) ",
    "sail l0 l1 ",
    "sail l0 l1\n",
    "(sail l0 l1 ",
    "sail from location l0 to location l1, ",
    "sail from location l0 to location l1\n",
    "sail from location l0 to ",
    "1. (sail l0 l1)\n",
    "maybe (sail l0 l1)\n",
    "not ",
    "then ",
    "the plan ",
    "plan: ",
    "x\n(sail l0 l1)\n",
    "\n\n(sail l0 l1)\nx",
    '["a","b",',
    '{"action":"sail","args":["',
    "the ferry is empty, ",
    "location l1 is ",
    "car c0 is not ",
    "valid. ",
    "no plan ",
    "no plan, ",
    "without step 1, ",
    "not step 1 and ",
    "(a b) ",
    "1. ",
    "(a->",
    "<a b ",
    "<|channel|>analysis",
    "0.0",
    '{"action": "a", "args": [',
    "if step 1 ",
    "\n+",
    "x\n\n",
    "(sail l0 l1) (SAIL L0 L1) ",
    "(sail l0 l1) (sail from location l0 to location l1) ",
    ") - (",
    "maybe that ",
    "maybe (fly x y) ",
    "(sail l0 l1)\nit might be that (fly x y)\n",
    "(sail l0 l1)\nThis sails from location l0 to location l1.\n",
    "Step 1:\n",
    "Step 1:\n(sail l0 l1)\n",
    "not (fly x y)\n",
    Random(1).randbytes(2000).decode("latin-1"),
    *"1)]{}<>=:;,.#|&!?^+\0",
)
NESTED = {
    "one word": lambda size: "a" * size,
    "one line of words": lambda size: "abc " * (size // 4),
    "parentheses": lambda size: "(" * (size // 2) + ")" * (size // 2),
    "brackets": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "an entry in parentheses": lambda size: "(" * (size // 2) + "(sail l0 l1)" + ")" * (size // 2),
    "an entry amid spaces": lambda size: " " * (size // 2) + "(sail l0 l1)" + " " * (size // 2),
    "objects of JSON": lambda size: '{"a": [' * (size // 9) + "]}" * (size // 9),
    "lists of lists": lambda size: "".join(" " * (n % 40) + "- (sail l0 l1)\n" for n in range(size // 35)),
    "prose between two steps": lambda size: "1. (sail l0 l1)\n" + "x\n" * (size // 2) + "2. (sail l1 l0)",
    "words below a step": lambda size: "(sail l0 l1)\nThis " + "sails from l0 to l1 " * (size // 20),
    "quoted entries": lambda size: '"(sail l0 l1)", ' * (size // 16),
    "open quotes": lambda size: '"a ' * (size // 3),
}
QUESTIONS = ("app", "prog", "land", "reach", "areach", "nexta", "val", "just", "bool-yes", "mc-app")
NAMES = (*QUESTIONS, "ferry", "unsolvable", "fails", "execution", "provider")
LONG = pytest.mark.parametrize(
    "size", [20_000, *(pytest.param(size, marks=pytest.mark.exhaustive) for size in (90_000, 10**6))]
)


@slow
@LONG
@pytest.mark.parametrize(
    "marker", sample(["ANSWER:\n", "", "[PLAN]\n"], 2), ids=["answer", "unmarked", "plan"]
)
@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: repr(piece[:20]))
def test_a_long_reply_takes_time_in_proportion(piece, marker, size):
    count = size // len(piece)
    for name in NAMES:
        work = partial(grade, row=rows_of(name)[0])
        assert grows_linearly(work, marker + piece * (count // 4), marker + piece * count), name


@slow
@LONG
@pytest.mark.parametrize("marker", ["ANSWER:\n", ""], ids=["answer", "unmarked"])
@pytest.mark.parametrize("reply_of", NESTED.values(), ids=NESTED.keys())
def test_a_reply_with_one_long_or_deep_part_takes_time_in_proportion(reply_of, marker, size):
    for name in NAMES:
        work = partial(grade, row=rows_of(name)[0])
        assert grows_linearly(work, marker + reply_of(size // 4), marker + reply_of(size)), name


def test_the_time_of_every_reader_of_replies_is_tested():
    tested = {GRADERS[rows_of(name)[0]["group"]].read for name in NAMES}
    assert tested == {grader.read for grader in GRADERS.values()}


@slow
@pytest.mark.parametrize("table", ["action_modeling", "domain_modeling"])
def test_a_long_reply_with_a_domain_takes_time_in_proportion(table):
    [row] = [row for name, row, _ in modelled("blocksworld") if name == table]
    replies = {**NESTED, **{piece: partial(_repeated, piece) for piece in PIECES}}
    for name, reply_of in replies.items():
        for begin in ("", "(define (domain x) "):
            shorter, longer = (begin + reply_of(size) for size in (5_000, 20_000))
            assert grows_linearly(partial(orrery.score, row=row, table=table), shorter, longer), name


def _repeated(piece, size):
    return piece * (size // len(piece))


@pytest.mark.parametrize("character", ["(", ")", "a", "\n", "\0", "\ud800", "ANSWER: "])
def test_a_reply_of_fifty_megabytes_is_not_read(character):
    reply = character * (50_000_000 // len(character))
    row = {"group": "applicable_actions_bool", "answer": "yes"}
    started = time.process_time()
    score = grade(reply, row)
    assert (score.value, score.verdict) == (0, "unparsed")
    assert score.detail == "the reply is longer than 1000000 characters"
    assert time.process_time() - started < 0.1


@by_day(1)
@pytest.mark.parametrize(
    ("name", "answer"), [("app", "(wave)"), ("ferry", "(sail l0 l1)"), ("bool-yes", "no")]
)
def test_only_the_answer_has_to_be_short(name, answer):
    row = rows_of(name)[0]
    before = "The goal is far away. " * 20_000
    assert grade(f"{before}\nANSWER: {answer}", row).verdict == "wrong"
    for reply in (f"{before} {answer}", f"ANSWER: {answer} {before}"):
        detail = f"the text of the answer is longer than {MAX_ANSWER} characters"
        assert (grade(reply, row).verdict, grade(reply, row).detail) == ("unparsed", detail)


@pytest.mark.parametrize("length", [10, 100, 1000])
def test_the_steps_of_a_plan_are_grounded_and_nothing_else_is(monkeypatch, length):
    grounded = []
    ground = simulation.ground

    def counted(schema, step):
        grounded.append(step)
        return ground(schema, step)

    monkeypatch.setattr(simulation, "ground", counted)
    plan = ["(sail l0 l1)", "(sail l1 l0)"] * length
    row = ROWS["ferry"]
    assert grade("\n".join(plan), row).verdict == "wrong"
    assert len(grounded) == len(plan)
    assert set(grounded) == {("sail", "l0", "l1"), ("sail", "l1", "l0")}


def test_pddl_and_wordings_are_read_once():
    pddl.read_domain.cache_clear()
    problem.read_problem.cache_clear()
    for _ in range(5):
        grade("(sail l0 l1)", ROWS["ferry"])
    assert pddl.read_domain.cache_info().misses == 1
    assert problem.read_problem.cache_info().misses == 1
