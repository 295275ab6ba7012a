"""The pairs of problems made by others: each gets the verdict that the definition dictates.

What only the tolerant reader reads is judged in ``tests/scoring``.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from orrery.catalog import Catalog
from orrery.equivalence.keys import keys
from orrery.equivalence.problem_equivalence import EquivalenceOutcome, compare
from orrery.model import OrreryError
from orrery.pddl.read import read_problem

CATALOG = Catalog(Path(__file__).resolve().parents[2])
EXPECTED = {True: EquivalenceOutcome.EQUIVALENT, False: EquivalenceOutcome.DIFFERENT}


@cache
def entry(name):
    return CATALOG.entry(name)


def readable(cases):
    """The rows with both problems read, but for those that the strict reader refuses."""
    for row in map(json.loads, (cases / "equivalence_pairs.jsonl").read_text().splitlines()):
        try:
            yield (
                row,
                [read_problem(row[side], entry(row["domain"]).domain) for side in ("problem_a", "problem_b")],
            )
        except OrreryError:
            assert row["kind"] in {"hard-reading", "hard-unknown-literal"}, row["id"]


@pytest.mark.slow
@pytest.mark.parametrize("stored", [False, True], ids=["two problems", "stored key"])
def test_every_pair_gets_its_verdict_from_both_sides(cases, stored):
    wrong, judged = [], 0
    for row, pair in readable(cases):
        place = entry(row["domain"])
        for predicted, gold in (pair, pair[::-1]):
            key = keys(place.domain, gold, place.closure_rule) if stored else None
            verdict = compare(
                place.domain,
                predicted,
                gold,
                placeholder=row["is_placeholder"],
                rule=place.closure_rule,
                gold_key=key,
            )
            judged += 1
            if verdict.outcome is not EXPECTED[row["expected"]]:
                wrong.append((row["id"], row["kind"], verdict))
    assert not wrong
    assert judged > 350


@pytest.mark.slow
def test_keys_agree_with_the_verdicts(cases):
    """Equal strict keys are strict equivalence; accepted placeholder pairs share the loose key."""
    for row, pair in readable(cases):
        place = entry(row["domain"])
        first, second = (keys(place.domain, candidate, place.closure_rule) for candidate in pair)
        if not row["is_placeholder"]:
            assert (first.strict == second.strict) == row["expected"], row["id"]
        elif row["expected"]:
            assert first.loose == second.loose, row["id"]
