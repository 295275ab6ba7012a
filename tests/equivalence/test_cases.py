"""The pairs of problems made by others: strict keys are equal exactly where the pair is equivalent."""

import json
from collections import Counter
from functools import cache
from pathlib import Path

from pipeline.catalog import Catalog
from pipeline.equivalence.keys import Keys, keys
from pipeline.model import OrreryError
from pipeline.pddl.read import read_problem

ROOT = Path(__file__).resolve().parents[2]


@cache
def entry(name):
    return Catalog(ROOT).entry(name)


def keys_of_text(name, text):
    given = read_problem(text, entry(name).domain)
    return keys(entry(name).domain, given, getattr(entry(name).generator, "close_goal", None))


def rows(cases, strict):
    lines = (cases / "equivalence_pairs.jsonl").read_text().splitlines()
    return [row for row in map(json.loads, lines) if row["is_placeholder"] != strict]


def judged(row):
    """Whether the two keys are equal, or why that is not known."""
    if row["domain"] not in Catalog(ROOT).names:
        return "no such domain"
    try:
        pair = [keys_of_text(row["domain"], row[side]) for side in ("problem_a", "problem_b")]
    except OrreryError as error:
        return f"unreadable: {error.problem}"
    if not all(isinstance(found, Keys) for found in pair):
        return "undecided"
    return pair


def test_strict_keys_agree_with_the_strict_pairs(cases):
    wrong, left = [], Counter()
    for row in rows(cases, strict=True):
        answer = judged(row)
        if isinstance(answer, str):
            left[answer] += 1
        elif (answer[0].strict == answer[1].strict) != row["expected"]:
            wrong.append((row["id"], row["kind"]))
    assert not wrong
    assert left["undecided"] == 0
    assert left.total() <= 5, left


def test_accepted_placeholder_pairs_share_their_loose_key(cases):
    accepted = [row for row in rows(cases, strict=False) if row["expected"]]
    answers = [judged(row) for row in accepted]
    assert all(isinstance(answer, str) or answer[0].loose == answer[1].loose for answer in answers)
    assert any(isinstance(answer, list) for answer in answers), "none of the pairs can be read"
