"""Grading: ugly replies, the rules of reading, no crash, no hang, no guess."""

from __future__ import annotations

import json
import random
import statistics
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.grading import KINDS, Score, grade

GOLDEN = Path(__file__).with_name("golden_replies.jsonl")
DOMAIN = """
; a comment with (parentheses
(define (domain blocks) (:requirements :strips)
 (:predicates (clear ?x) (ontable ?x) (arm-empty) (holding ?x) (on ?x ?y))
 (:action pick-up :parameters (?x) :precondition (clear ?x) :effect (holding ?x))
 (:action stack :parameters (?x - (either block object) ?y) :precondition (clear ?y) :effect (on ?x ?y))
 (:action wave :precondition (arm-empty) :effect (arm-empty)))
"""
PROBLEM = "(define (problem p) (:domain blocks) (:objects b1 b2 - block b10 - (either block object)) (:init))"


def row(group, answer, **more):
    return {"group": group, "answer": answer, "PDDL_domain": DOMAIN, "PDDL_problem": PROBLEM, **more}


ROWS = {
    "app": row("applicable_actions_gen", ["(stack b1 b2)", "(stack b1 b10)", "(wave)"]),
    "app-one": row("applicable_actions_gen", ["(pick-up b1)"]),
    "app-none": row("applicable_actions_gen", []),
    "prog": row("progression_gen", {"pos": ["(arm-empty)", "(on b1 b2)"], "neg": ["(clear b2)"]}),
    "prog-gain": row("progression_gen", {"pos": ["(holding b1)"], "neg": []}),
    "prog-none": row("progression_gen", {"pos": [], "neg": []}),
    "land": row("landmarks_gen", {"yes": ["(holding b1)", "(arm-empty)"], "no": ["(holding b2)"]}),
    "land-none": row("landmarks_gen", {"yes": [], "no": ["(holding b2)"]}),
    "reach": row("reachable_atom_gen", ["on b1 b1"], answer_all=["on b1 b1", "on b2 b2"]),
    "reach-none": row("reachable_atom_gen", [], answer_all=[]),
}
REPLIES = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", REPLIES, ids=lambda case: f"{case['row']}:{case['reply'][:40]!r}")
def test_ugly_replies(case):
    assert grade(case["reply"], ROWS[case["row"]]).verdict == case["verdict"], case.get("why", "")


def test_the_golden_file_is_large_enough_and_says_nothing_twice():
    for kind in {name.split("-")[0] for name in ROWS}:
        of_kind = [case for case in REPLIES if case["row"].split("-")[0] == kind]
        assert len(of_kind) >= 15
        assert {case["verdict"] for case in of_kind} == {"right", "wrong", "unparsed"}
    assert len({(case["row"], case["reply"]) for case in REPLIES}) == len(REPLIES)


def test_other_groups_are_refused():
    with pytest.raises(ValueError, match="poetry_gen"):
        grade("", row("poetry_gen", []))


def test_parts():
    score = grade("ANSWER: (stack b1 b2), (wave), (pick-up b1)", ROWS["app"])
    assert (score.verdict, score.parts) == ("wrong", {"jaccard": 0.5})
    assert "(stack b1 b10)" in score.detail
    assert "(pick-up b1)" in score.detail
    assert grade("ANSWER: none", ROWS["app-none"]).parts == {"jaccard": 1.0}
    score = grade("ANSWER: pos: (arm-empty) (on b1 b2) neg: none", ROWS["prog"])
    assert (score.value, score.parts) == (0, {"pos": 1.0, "neg": 0.0})


def test_a_capped_answer_is_graded_against_all():
    assert grade("ANSWER: (on b2 b2)", ROWS["reach"]).verdict == "right"
    published = {key: value for key, value in ROWS["reach"].items() if key != "answer_all"}
    assert grade("ANSWER: (on b2 b2)", published).verdict == "wrong"


WORDS = [
    *("(stack b1 b2)", "(stack b1 b10)", "(wave)", "stack", "b1", "b2", "wave", "(on b1 b1)", "(holding b1)"),
    *(
        "ANSWER:",
        "answer",
        "None",
        "pos:",
        "neg:",
        "not",
        "(not (clear b2))",
        "[",
        "]",
        "{",
        "}",
        "()",
        "(",
        ")",
    ),
    *(
        "\n",
        "\n\n",
        "```",
        "**",
        ",",
        "and",
        "1.",
        "\\boxed{",
        "</think>",
        '"',
        ":",
        "=",
        "(since b1)",
        "Ⅷ",
        "İ",
    ),
]
REPLY = st.one_of(st.text(), st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join))


@given(REPLY, st.sampled_from(sorted(ROWS)))
@settings(max_examples=1500)
def test_no_reply_crashes(reply, name):
    score = grade(reply, ROWS[name])
    assert isinstance(score, Score)
    assert score.verdict in ("right", "wrong", "unparsed")
    assert score.value == (score.verdict == "right")
    assert score.detail or score.value
    assert all(0 <= part <= 1 for part in score.parts.values())


@given(REPLY, st.sampled_from(["app", "land", "reach"]))
def test_the_last_answer_line_wins(reply, name):
    right = {"app": "(wave), (stack b1 b10), (stack b1 b2)", "land": "(arm-empty)", "reach": "(on b1 b1)"}
    assert grade(f"{reply}\nANSWER: {right[name]}", ROWS[name]).verdict == "right"


@given(st.permutations(ROWS["app"]["answer"]), st.integers(0, 2**32))
def test_dress_does_not_matter(actions, seed):
    rng = random.Random(seed)
    separator = rng.choice([", ", " ", "\n", ",\n", "; ", " and "])
    ornament = rng.choice(["{}", "`{}`", "**{}**", "- {}", '"{}"', "* `{}`"])
    case = rng.choice([str.upper, str.title, str.lower])
    said = separator.join(ornament.format(case(action)) for action in actions)
    frame = rng.choice(
        ["ANSWER: {}", "**Answer:** {}", "ANSWER:\n```\n{}\n```", "[{}]", "Done.\n\n{}", "{}\n"]
    )
    assert grade(frame.format(said), ROWS["app"]).verdict == "right", frame.format(said)
    fewer = separator.join(ornament.format(case(action)) for action in actions[1:])
    assert grade(frame.format(fewer), ROWS["app"]).verdict == "wrong", frame.format(fewer)
    more = separator.join([said, ornament.format(case("(pick-up b1)"))])
    assert grade(frame.format(more), ROWS["app"]).verdict == "wrong", frame.format(more)


MEGABYTES = {
    "open parentheses": "(" * 10**6,
    "pairs": "()" * 500_000,
    "one word": "a" * 10**6,
    "words": "ab " * 350_000,
    "hyphens": "a-" * 500_000,
    "spaces": " " * 10**6,
    "newlines": "\n" * 10**6,
    "markers": "ANSWER:" * 150_000,
    "marker lines": "the the answer\n" * 70_000,
    "the": "the " * 250_000,
    "after the marker": "ANSWER:\n" + "(stack b1 b2)\n" * 75_000,
    "blank after the marker": "ANSWER:" + "\n" * 10**6,
    "atoms": "(stack b1 b2) " * 75_000,
    "bare atoms": "stack b1 b2 " * 85_000,
    "open atom": "(stack b1 b2 " * 75_000,
    "labels": "pos: (clear b1) neg: " * 50_000,
    "label words": "pos effects " * 80_000,
    "nouns": "pos " + "effects " * 120_000,
    "brackets": "[" * 10**6,
    "backslashes": "\\" * 10**6,
    "fences": "```\n" * 250_000,
    "ticks": "`" * 10**6,
}


@pytest.mark.parametrize("reply", MEGABYTES.values(), ids=MEGABYTES.keys())
def test_a_megabyte_is_read_in_seconds(reply):
    for name in ("app", "prog", "land"):
        begin = time.process_time()
        grade(reply, ROWS[name])
        assert time.process_time() - begin < 8


def test_the_median_reply_takes_less_than_a_tenth_of_a_millisecond():
    def took(case):
        begin = time.perf_counter()
        grade(case["reply"], ROWS[case["row"]])
        return time.perf_counter() - begin

    medians = [statistics.median(took(case) for case in REPLIES) for _ in range(5)]
    assert min(medians) < 100e-6


def test_every_group_has_a_row_here():
    assert set(KINDS) == {each["group"] for each in ROWS.values()}
