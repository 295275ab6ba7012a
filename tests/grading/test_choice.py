"""Published choices: by letter, by text, and repeated."""

from __future__ import annotations

from collections import Counter

import pytest

from orrery.grading import grade
from tests.grading.published import MARKUP

LETTERS = (
    "{}",
    "({})",
    "{}.",
    "Option {}",
    "**{}**",
    "The correct option is {}, because the others fail.",
    "{}) it is",
)


@pytest.mark.slow
def test_letters_in_every_markup_and_every_other_letter_is_wrong(closed_rows):
    graded = 0
    for number, row in enumerate(row for row in closed_rows if row["format"] == "mcq"):
        for label in row["choices"]["label"]:
            verdict = "right" if label == row["answer"] else "wrong"
            for turn, form in enumerate(LETTERS):
                for letter in (label, label.lower()):
                    text = MARKUP[(number + turn) % len(MARKUP)].format(form.format(letter))
                    assert grade(text, row).verdict == verdict, (row["id"], text)
                    graded += 1
    assert graded > 10_000


@pytest.mark.slow
def test_texts_of_options_are_read(closed_rows):
    verdicts = Counter()
    for row in (row for row in closed_rows if row["format"] == "mcq"):
        texts = row["choices"]["text"]
        for label, option in zip(row["choices"]["label"], texts, strict=True):
            same = sum(text.lower() == option.lower() for text in texts)
            verdict = "unparsed" if same > 1 else "right" if label == row["answer"] else "wrong"
            for form in ("{}", "{}.", "**{}**", "The right one is to {}."):
                for markup in ("ANSWER: {}", "{}", "I have looked at all four.\n\n{}"):
                    text = markup.format(form.format(option))
                    assert grade(text, row).verdict == verdict, (row["id"], text)
                    verdicts[verdict] += 1
            for form in ("{}. {}", "({}) {}", "Option {}: {}", "{} - {}", "{}: {}"):
                said_twice = "right" if label == row["answer"] else "wrong"
                text = "ANSWER: " + form.format(label, option)
                assert grade(text, row).verdict == said_twice, (row["id"], text)
    assert min(verdicts["right"], verdicts["wrong"]) > 1000


def test_repeating_the_options_is_no_answer(closed_rows):
    for row in (row for row in closed_rows if row["format"] == "mcq"):
        listed = zip(row["choices"]["label"], row["choices"]["text"], strict=True)
        assert grade("\n".join(f"{label}. {text}" for label, text in listed), row).verdict == "unparsed"
        assert grade(row["question"], row).verdict == "unparsed"
