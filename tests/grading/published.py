"""Replies to published rows: stored answers as replies, and the markup that models put around them."""

from __future__ import annotations

import re

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
