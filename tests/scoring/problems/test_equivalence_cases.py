"""The pairs made by others, read as output of a model: none is out of reach of the tolerant reader."""

import json
from pathlib import Path

import pytest

from orrery.catalog import Catalog
from orrery.equivalence.problem_equivalence import EquivalenceOutcome, compare
from tests.scoring.problems.rows import read_output

CATALOG = Catalog(Path(__file__).resolve().parents[3])


def accepted(row):
    """Whether both sides can be read and are equivalent; None where that is undecided."""
    place = CATALOG.entry(row["domain"])
    pair = [read_output(row[side], place.domain).problem for side in ("problem_a", "problem_b")]
    if None in pair:
        return False
    verdict = compare(place.domain, *pair, placeholder=row["is_placeholder"], rule=place.closure_rule)
    return {EquivalenceOutcome.EQUIVALENT: True, EquivalenceOutcome.DIFFERENT: False}.get(verdict.outcome)


@pytest.mark.slow
def test_every_pair_is_judged_rightly(cases):
    rows = [json.loads(line) for line in (cases / "equivalence_pairs.jsonl").read_text().splitlines()]
    assert [(row["id"], row["kind"]) for row in rows if accepted(row) is not row["expected"]] == []
    assert len(rows) > 150
