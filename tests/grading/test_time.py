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
from tests.effort import grows_linearly, sample
from tests.grading.plans.rows import ROWS
from tests.grading.samples import rows_of
from tests.grading.test_matrix import modelled

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
    "commas": ", ",
    "dashes": "-",
    "quotes of plans": '"',
    "answer lines": "answer: x\n",
    "plans": "[PLAN]",
    "ends": "[PLAN END]\n",
    "plan lines": "[PLAN]\nx\n",
    "steps of plans": "(sail l0 l1)\n",
    "steps on one line": "(sail l0 l1) ",
    "bare steps": "sail l0 l1 ",
    "bare step lines": "sail l0 l1\n",
    "open steps": "(sail l0 l1 ",
    "phrases": "sail from location l0 to location l1, ",
    "phrase lines": "sail from location l0 to location l1\n",
    "half phrases": "sail from location l0 to ",
    "numbered of plans": "1. (sail l0 l1)\n",
    "doubts": "maybe (sail l0 l1)\n",
    "not": "not ",
    "fillers": "then ",
    "labels of plans": "the plan ",
    "colons": "plan: ",
    "prose and steps": "x\n(sail l0 l1)\n",
    "blank and steps": "\n\n(sail l0 l1)\nx",
    "strings": '["a","b",',
    "calls": '{"action":"sail","args":["',
    "facts": "the ferry is empty, ",
    "half facts": "location l1 is ",
    "is not": "car c0 is not ",
    "verdicts": "valid. ",
    "none": "no plan ",
    "clauses": "no plan, ",
    "conditions": "without step 1, ",
    "denied steps": "not step 1 and ",
    "facts that are no facts": "(a b) ",
    "numbers of items": "1. ",
    "arrows": "(a->",
    "tags with words": "<a b ",
    "channels": "<|channel|>analysis",
    "zeros": "0.0",
    "calls in JSON": '{"action": "a", "args": [',
    "conditions of steps": "if step 1 ",
    "lines with a plus": "\n+",
    "short paragraphs": "x\n\n",
    "entries in capitals": "(sail l0 l1) (SAIL L0 L1) ",
    "entries in words": "(sail l0 l1) (sail from location l0 to location l1) ",
    "marks beside entries": ") - (",
    "hedges": "maybe that ",
    "hedged entries": "maybe (fly x y) ",
    "hedged entries below": "(sail l0 l1)\nit might be that (fly x y)\n",
    "remarks below": "(sail l0 l1)\nThis sails from location l0 to location l1.\n",
    "headings": "Step 1:\n",
    "entries below headings": "Step 1:\n(sail l0 l1)\n",
    "denied facts": "not (fly x y)\n",
    "bytes": Random(1).randbytes(2000).decode("latin-1"),
    **{f"the character {character}": character for character in "1)]{}<>=:;,.#|&!?^+\0"},
}
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


@pytest.mark.slow
@LONG
@pytest.mark.parametrize(
    "marker", sample(["ANSWER:\n", "", "[PLAN]\n"], 2), ids=["answer", "unmarked", "plan"]
)
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_a_long_reply_takes_time_in_proportion(piece, marker, size):
    count = size // len(piece)
    for name in NAMES:
        work = partial(grade, row=rows_of(name)[0])
        assert grows_linearly(work, marker + piece * (count // 4), marker + piece * count), name


@pytest.mark.slow
@pytest.mark.parametrize(
    "size", [20_000, *(pytest.param(size, marks=pytest.mark.exhaustive) for size in (90_000, 10**6))]
)
@pytest.mark.parametrize("marker", ["ANSWER:\n", ""], ids=["answer", "unmarked"])
@pytest.mark.parametrize("reply_of", NESTED.values(), ids=NESTED.keys())
def test_a_reply_with_one_long_or_deep_part_takes_time_in_proportion(reply_of, marker, size):
    for name in NAMES:
        work = partial(grade, row=rows_of(name)[0])
        assert grows_linearly(work, marker + reply_of(size // 4), marker + reply_of(size)), name


def test_the_time_of_every_reader_of_replies_is_tested():
    tested = {GRADERS[rows_of(name)[0]["group"]].read for name in NAMES}
    assert tested == {grader.read for grader in GRADERS.values()}


@pytest.mark.slow
@pytest.mark.parametrize("table", ["action_modeling", "domain_modeling"])
def test_a_long_reply_with_a_domain_takes_time_in_proportion(table):
    [row] = [row for name, row, _ in modelled("blocksworld") if name == table]
    replies = {**NESTED, **{name: partial(_repeated, piece) for name, piece in PIECES.items()}}
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
