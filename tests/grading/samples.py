"""Replies for tests: those of the golden files, and replies put together or mutated at random."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import strategies as st

from tests.grading.plans import rows as plans
from tests.question_rows import ROWS, asked

FOLDER = Path(__file__).parent
REPLIES = [
    json.loads(line)
    for folder in (FOLDER, FOLDER / "plans")
    for line in (folder / "golden_replies.jsonl").read_text(encoding="utf-8").splitlines()
]
NAMES = (*ROWS, "bool-yes", "bool-no", *plans.ROWS)
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
    *("[PLAN]", "[PLAN END]", "[STATEMENT]", "ANSWER:", "answer", "<think>", "</think>", "<answer>", "```"),
    *("(board c0 l0)", "(sail l0 l1)", "(debark c0 l1)", "(sail l1 l0)", "sail l0 l1", "sail", "(fly)", "()"),
    *("board car c0 onto the ferry at location l0", "sail from", "location l1", "the", "a", "c0", "l0", "b"),
    *("(at c0 l1)", "(not (on c0))", "(not", "the ferry is empty", "car c0 is not on the ferry", "it is not"),
    *(
        "valid",
        "invalid",
        "not",
        "step 3",
        "step",
        "3",
        "end",
        "(clear b)",
        "goal",
        "reached",
        "fails",
        "first",
    ),
    *("none", "impossible", "no", "plan", "exists", "maybe", "or", "and", "then", "initial state", "yes"),
    *(
        "\n",
        "\n\n",
        ",",
        ";",
        ".",
        ":",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        '"',
        "'",
        "1.",
        "2)",
        "-",
        "|",
        "#",
        "?",
    ),
    *(
        "9" * 5000,
        "0.000:",
        "²",
        "٣",
        "Ⅷ",
        "İ",
        "\x00",
        "\ud800",
        "\f",
        "\\n",
        "\\boxed{",
        "=",
        "the case that",
    ),
)


def rows_of(name):
    """The rows, of questions or plans, that a case is tried on."""
    return [plans.ROWS[name]] if name in plans.ROWS else asked(name)


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
