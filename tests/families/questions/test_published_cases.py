"""Rows of a published set, judged as ``orrery import acpbench`` judges them."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from orrery.corpus.acpbench import INCOMPLETE, KINDS, OUTSIDE, RIGHT, UNDECIDED, WRONG, redecide
from orrery.planning.decide import ProofBudget

FILE = "acpbench_hard_dev.jsonl"
Row = dict[str, Any]
# Every state is visited for these: by day the rows of the smallest problems have to do, some of each verdict.
LONG = ("areach", "land", "nexta", "reach")
FEW, EVERY = 3, 1000
ALL = [
    *(pytest.param(kind, FEW if kind in LONG else EVERY, id=kind) for kind in sorted(KINDS.values())),
    *(pytest.param(kind, EVERY, marks=pytest.mark.exhaustive, id=f"{kind}-all") for kind in LONG),
]


@pytest.fixture(scope="session")
def rows(cases) -> list[Row]:
    return [json.loads(line) for line in (cases / FILE).read_text(encoding="utf-8").splitlines()]


def smallest(rows: list[Row], kind: str, most: int) -> list[Row]:
    """Of each verdict so many rows of a kind, those of the smallest problems."""
    rows_asked = sorted(
        (row for row in rows if row["kind"] == kind), key=lambda row: len(row["PDDL_problem"])
    )
    verdicts = sorted({row["verified"] for row in rows_asked})
    return [row for verdict in verdicts for row in [r for r in rows_asked if r["verified"] == verdict][:most]]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "most"), ALL)
def test_right_rows_are_confirmed_and_wrong_rows_refuted(rows, kind, most, record_property):
    """Each row carries the verdict of an independent check by brute force."""
    counts: Counter[str] = Counter()
    differing = []
    for row in smallest(rows, kind, most):
        judged = redecide(row, ProofBudget(states=300_000, seconds=5))
        counts[judged.verdict] += 1
        if (judged.verdict == WRONG) != (row["verified"] == WRONG):
            differing.append((row["id"], row["verified"], judged))
    record_property("counts", dict(counts))
    print(kind, dict(counts))
    assert differing == []
    assert counts[OUTSIDE] == counts[UNDECIDED] == 0
    assert counts[RIGHT] + counts[INCOMPLETE] >= min(most, 20)
