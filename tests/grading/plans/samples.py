"""Replies for tests: those of the golden file, and replies put together or mutated at random."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import strategies as st

GOLDEN = Path(__file__).with_name("golden_replies.jsonl")
REPLIES = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
WORDS = (
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
