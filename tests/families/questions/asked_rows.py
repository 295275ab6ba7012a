"""The rows of open questions on states, for tests of what is asked."""

from __future__ import annotations

from random import Random

from orrery.families.drafts import Rejected


def ask_open(kind, item, words, rng):
    """The row of the open question of a kind on a state, or why there is none."""
    draft = kind.draw.draft(item, words, rng)
    return draft if isinstance(draft, Rejected) else draft.rows[0]


def asked(kind, cases, seeds=None, least=None):
    """The rows on some cases, each after its case: as many draws as there are seeds, or the case's own."""
    drawn = [(case, rng) for case in cases for rng in (map(Random, range(seeds)) if seeds else [case.rng])]
    rows = [(case, ask_open(kind, case.item, case.words, rng)) for case, rng in drawn]
    rows = [(case, row) for case, row in rows if isinstance(row, dict)]
    assert len(rows) >= (least or len(cases) // 3), "too few questions to show anything"
    return rows
