"""Replies that models wrote, and formats that they are reported to write, with the wanted verdicts."""

from __future__ import annotations

import gzip
import json

import pytest

import orrery
from orrery.grading import GRADERS, grade

PHRASES = {
    "actions": {
        "pick-up": ["pick up the {0} block"],
        "put-down": ["put down the {0} block"],
        "stack": ["stack the {0} block on top of the {1} block"],
        "unstack": ["unstack the {0} block from on top of the {1} block"],
    },
    "facts": {
        "clear": ["the {0} block is clear"],
        "on": ["the {0} block is on top of the {1} block"],
        "ontable": ["the {0} block is on the table"],
        "holding": ["the hand is holding the {0} block"],
        "handempty": ["the hand is empty"],
    },
}


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_reported_formats_get_the_wanted_verdict(cases):
    rows = {
        (row["table"], row["row"]["id"]): row["row"]
        for row in lines(cases / "replies/reported_formats_rows.jsonl")
    }
    wrong = []
    replies = [case for case in lines(cases / "replies/reported_formats.jsonl") if not case.get("arguable")]
    for case in replies:
        row = rows[case["table"], case["id"]]
        score = grade if row.get("group") in GRADERS else orrery.score
        verdict = score(case["reply"], row).verdict
        if verdict != case["want"]:
            wrong.append((case["name"], case["want"], verdict))
    assert len(replies) > 100
    assert wrong == []


@pytest.mark.slow
def test_plans_of_models_agree_with_val(cases):
    domain = (cases / "replies/blocksworld_domain.pddl").read_text(encoding="utf-8")
    with gzip.open(cases / "replies/planbench_blocksworld.jsonl.gz", "rt", encoding="utf-8") as file:
        replies = [json.loads(line) for line in file]
    accepted = refused = 0
    for case in replies:
        row = {
            "group": "plan_generation",
            "domain_pddl": domain,
            "problem_pddl": case["problem_pddl"],
            "nl_templates": PHRASES,
        }
        if case["val_on_their_extraction"]:
            accepted += grade(case["reply"], row).verdict == "right"
            refused += grade(case["reply"], row).verdict == "wrong"
    right = sum(case["val_on_their_extraction"] for case in replies)
    assert accepted >= 0.985 * right
    assert refused <= 0.003 * right
