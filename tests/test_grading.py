"""Grading: ugly replies, the rules of reading, no crash, no hang, no guess."""

from __future__ import annotations

import json
import random
import statistics
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orrery.grading import KINDS, Score, grade
from tests.question_rows import PLAN, ROWS, asked, row

GOLDEN = Path(__file__).with_name("golden_replies.jsonl")
REPLIES = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", REPLIES, ids=lambda case: f"{case['row']}:{case['reply'][:40]!r}")
def test_ugly_replies(case):
    for each in asked(case["row"]):
        score = grade(case["reply"], each)
        assert score.verdict == case["verdict"], (each["group"], case.get("why", ""), score.detail)


def test_the_golden_file_is_large_enough_and_says_nothing_twice():
    verdicts = {group: [] for group in KINDS}
    for case in REPLIES:
        for each in asked(case["row"]):
            verdicts[each["group"]].append(case["verdict"])
    for group, of_group in verdicts.items():
        assert len(of_group) >= 15, group
        assert set(of_group) == {"right", "wrong", "unparsed"}, group
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


@pytest.mark.parametrize(
    ("name", "reply", "detail"),
    [
        ("areach", "(go ball1 room1)", "'ball1' is no room"),
        ("areach-few", "(carry room1 room1)", "'room1' is no ball"),
        ("areach", "(go room1)", "no action 'go' of 1 arguments"),
        ("areach-few", "(fly room1)", "no action 'fly'"),
        ("areach-few", "(rest)", "can become applicable"),
        ("areach", "(rest)", "is not an answer"),
        ("areach", "none", "there is one, for example (carry ball2 room1)"),
        ("nexta", "(wave)", "does not bring the goal closer"),
        ("nexta", "(stack b2 b1)", "is not applicable"),
        ("val", "7", "it is not index 7"),
        ("val", "(stack b2 b1)", "it is not in the sequence"),
        ("just", " ".join(PLAN), "6 of 6 are left"),
        ("just", " ".join(PLAN[:3]), "3 of 6 are left"),
        ("just", " ".join(PLAN[1:]), "cannot be removed"),
    ],
)
def test_details_say_why(name, reply, detail):
    score = grade(f"ANSWER: {reply}", ROWS[name])
    assert score.verdict == "wrong"
    assert detail in score.detail


@pytest.mark.parametrize("spell", ["( GO  room1   ROOM1 )", "go room1 room1", "(Go room1 room1)"])
def test_stored_actions_may_be_spelled_otherwise(spell):
    stored = ROWS["areach-published"] | {"answer": [spell, "(carry ball1 room1)"]}
    assert grade("ANSWER: (go room1 room1)", stored).verdict == "right"
    assert grade("ANSWER: (go room2 room2)", stored).verdict == "wrong"
    assert grade("ANSWER: none", stored).detail == "there is one, for example (go room1 room1)"


def as_json(value):
    return value if isinstance(value, str) else json.dumps(value)


def as_numpy(value):
    if isinstance(value, dict):
        return {key: as_numpy(each) for key, each in value.items()}
    if isinstance(value, list):
        found = np.empty(len(value), dtype=object)
        found[:] = [as_numpy(each) for each in value]
        return found
    return np.int64(value) if isinstance(value, int) else value


@pytest.mark.parametrize("convert", [as_json, as_numpy, pa.scalar], ids=["json", "numpy", "arrow"])
@pytest.mark.parametrize("name", ROWS)
def test_rows_may_come_from_other_libraries(name, convert):
    converted = {key: convert(value) for key, value in ROWS[name].items()}
    for case in (case for case in REPLIES if case["row"] in (name, "mc" if name.startswith("mc-") else "")):
        assert grade(case["reply"], converted) == grade(case["reply"], ROWS[name])


def test_columns_that_a_table_lacks_may_be_null():
    for name, of_kind in ROWS.items():
        absent = dict.fromkeys(("answer_all", "answer_all_is", "typing", "sequence", "positions"))
        absent |= dict.fromkeys(("plan", "choices_pddl", "choices"))
        for reply in ("ANSWER: None", "ANSWER: 2", "ANSWER: B", "ANSWER: (wave)", "ANSWER: yes"):
            assert grade(reply, absent | of_kind) == grade(reply, of_kind), name


NAMES = (*ROWS, "bool-yes", "bool-no")
WORDS = (
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
    *("A", "a", "(B)", "option", "d", "I'd", "is", "because", "pick up block b1", "or", "/", "_", "'", "=b"),
    *(
        "yes",
        "No",
        "true",
        "it",
        "index",
        "2",
        "-1",
        "2.5",
        "²",
        "٣",
        "9" * 5000,
        "two",
        "step",
        "(go room1 room1)",
    ),
    *("(carry ball1)", "<answer>", "</answer>", "\ud800", "\x00", "İ"),
)


@st.composite
def mutated(draw):
    """A reply of the golden file with pieces cut out, doubled, or put elsewhere."""
    text = draw(st.sampled_from(REPLIES))["reply"]
    for _ in range(draw(st.integers(1, 4))):
        start, end, place = sorted(draw(st.integers(0, len(text))) for _ in range(3))
        piece = draw(st.one_of(st.just(text[start:end]), st.sampled_from(WORDS), st.text(max_size=3)))
        text = text[:start] + piece + text[end:place] + piece * draw(st.integers(0, 2)) + text[place:]
    return text


REPLY = st.one_of(st.text(), st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join), mutated())


@given(REPLY, st.sampled_from(NAMES))
@settings(max_examples=2500)
def test_no_reply_crashes(reply, name):
    score = grade(reply, asked(name)[0])
    assert isinstance(score, Score)
    assert score.verdict in ("right", "wrong", "unparsed")
    assert score.value == (score.verdict == "right")
    assert score.detail or score.value
    assert all(0 <= part <= 1 for part in score.parts.values())


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


@given(REPLY, st.sampled_from(sorted(SAID)))
@settings(max_examples=500)
def test_the_last_answer_line_wins(reply, name):
    before = reply.replace("<think", "")  # thought that does not end swallows all
    for said, verdict in zip(SAID[name], ("right", "wrong"), strict=True):
        assert grade(f"{before}\nANSWER: {said}", asked(name)[0]).verdict == verdict


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
@pytest.mark.parametrize("marker", ["", "ANSWER:\n"], ids=["", "marked"])
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
    assert min(medians) < 100e-6


def test_every_group_has_a_row_here():
    assert set(KINDS) == {each["group"] for name in NAMES for each in asked(name)}
