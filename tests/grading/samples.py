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
    *(word for case in REPLIES for word in case["reply"].split()),
    *(
        "\n",
        "\n\n",
        "\f",
        "\\n",
        "\\boxed{",
        "\ud800",
        "\x00",
        "9" * 5000,
        "\u00b2",
        "\u0663",
        "\u2167",
        "\u0130",
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
