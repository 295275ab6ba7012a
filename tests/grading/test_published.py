"""Published rows: stored answers are right in the markup of models, and other answers are wrong."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from orrery.grading import grade

MARKUP = (
    "ANSWER: {}",
    "**Answer:** {}",
    "Let me think about it (for a while).\n\nANSWER: {}\n",
    "<think>Perhaps not.</think>\n\n{}",
    "So the answer is {}",
    "```\n{}\n```",
    "<answer>{}</answer>",
    "$\\boxed{{{}}}$",
)


def right_and_wrong(row):
    """The stored answers of an open row as replies, with other replies that are wrong."""
    answer = row["answer"]
    match row["kind"]:
        case "app":
            return [" ".join(answer) or "None"], [" ".join(answer[1:]) or "None"]
        case "prog":
            pos, neg = (" ".join(answer[side]) or "None" for side in ("pos", "neg"))
            return [f"pos: {pos} neg: {neg}"], [f"pos: {neg} neg: {pos}"]
        case "reach" | "areach":
            return answer or ["None"], ["None"] if answer else []
        case "land" | "nexta":
            return answer["yes"] or ["None"], answer["no"]
        case "val":
            return [str(answer)], [str(answer + 1), "None"]
        case "just":
            return simplified(row)
    raise AssertionError(row["kind"])


def simplified(row):
    """The plans that the stored removals leave; the plan itself and others with more or less removed."""
    plan = re.findall(r"\([^()]*\)", re.search('"([^"]*)"', row["question"])[1])
    right = []
    for *removed, which in row["answer"]:
        width = len(removed)
        starts = [i for i in range(len(plan)) if plan[i : i + width] == removed]
        assert starts, "the stored removal is in the plan"
        start = starts[0] if width == 2 else starts[int(which) - 1]
        right.append(plan[:start] + plan[start + width :])
    shorter_plans = [
        plan[:i] + plan[i + width :] for width in (0, 1, 2, 3) for i in range(len(plan) - width + 1)
    ]
    # A pair that is listed may stand in several places.
    pairs = [pair[:2] for pair in row["answer"] if len(pair) == 3]
    listed = [plan[:i] + plan[i + 2 :] for i in range(len(plan) - 1) if plan[i : i + 2] in pairs]
    wrong = [plan_tried for plan_tried in shorter_plans if plan_tried not in right + listed][::4]
    return [" ".join(pair) for pair in right], [" ".join(pair) or "None" for pair in wrong]


KINDS = ("app", "prog", "reach", "areach", "val", "just", "land", "nexta")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_stored_answers_are_right_in_every_markup_and_others_wrong(open_rows, kind):
    graded = Counter()
    for row in (row for row in open_rows if row["kind"] == kind):
        right, wrong = right_and_wrong(row)
        for markup in MARKUP:
            for reply in right[:3]:
                for case in (reply, reply.lower()):
                    score = grade(markup.format(case), row)
                    assert score.verdict == "right", (row["id"], markup.format(case), score.detail)
                    graded["right"] += 1
        for reply in wrong:
            score = grade(f"ANSWER: {reply}", row)
            assert score.verdict == "wrong", (row["id"], reply)
            graded["wrong"] += 1
    assert graded["right"] > 600
    assert graded["wrong"] >= 40 or kind in ("reach", "areach")


def test_an_action_that_stands_once_in_the_sequence_names_its_index(open_rows):
    named = 0
    for row in (row for row in open_rows if row["kind"] == "val"):
        sequence = re.findall(r"\([^()]*\)", re.search('"([^"]*)"', row["question"])[1])
        verdict = grade(f"ANSWER: {sequence[row['answer']]}", row).verdict
        once = sequence.count(sequence[row["answer"]]) == 1
        assert verdict == ("right" if once else "unparsed")
        named += once
    assert named


def of_format(rows, name):
    return [row for row in rows if row["format"] == name]


VERDICTS = ("{}", "**{}**.", "{}, because there is no obstacle.", "The answer is {}!", "It is {}")


@pytest.mark.slow
def test_yes_and_no_in_every_markup(closed_rows):
    graded = 0
    for row in of_format(closed_rows, "bool"):
        opposite = {"yes": "no", "no": "yes"}[row["answer"]]
        for markup in MARKUP:
            for form in VERDICTS:
                for word, verdict in ((row["answer"], "right"), (opposite, "wrong")):
                    for reply in (word, word.capitalize(), {"yes": "True", "no": "False"}[word]):
                        text = markup.format(form.format(reply))
                        assert grade(text, row).verdict == verdict, text
                        graded += 1
    assert graded > 50_000


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
    for number, row in enumerate(of_format(closed_rows, "mcq")):
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
    for row in of_format(closed_rows, "mcq"):
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
    for row in of_format(closed_rows, "mcq"):
        listed = zip(row["choices"]["label"], row["choices"]["text"], strict=True)
        assert grade("\n".join(f"{label}. {text}" for label, text in listed), row).verdict == "unparsed"
        assert grade(row["question"], row).verdict == "unparsed"
