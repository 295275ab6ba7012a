"""The rows of open questions on states, for tests of what is asked."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from orrery.families.drafts import Rejected
from orrery.families.questions.context import context_of
from orrery.families.questions.evidence import StateEvidence
from tests.every_domain import CATALOG

ASKED = [name for name in CATALOG.names if CATALOG.entry(name).description.questions]
every_domain_with_questions = pytest.mark.parametrize("name", ASKED)


def ask_open(kind, item, words, rng):
    """The row of the open question of a kind on a state, or why there is none."""
    try:
        return kind.draw.draft(item, words, rng).rows[0]
    except Rejected as rejected:
        return rejected


def claim_rows(kind, item, words, turn, rng, rng_of_evidence):
    """The rows of the claims of a kind on a state, each after its format."""
    evidence = StateEvidence(item, rng_of_evidence)
    with suppress(Rejected):
        for form, drafts in kind.claims(kind, evidence, context_of(item, words), turn, rng).items():
            for draft in () if isinstance(drafts, Rejected) else drafts:
                yield form, draft.rows[0]


def asked(kind, cases, seeds=None, least=None):
    """The rows on some cases, each after its case: as many draws as there are seeds, or the case's own."""
    drawn = [(case, rng) for case in cases for rng in (map(Random, range(seeds)) if seeds else [case.rng])]
    rows = [(case, ask_open(kind, case.item, case.words, rng)) for case, rng in drawn]
    rows = [(case, row) for case, row in rows if isinstance(row, dict)]
    assert len(rows) >= (least or len(cases) // 3), "too few questions to show anything"
    return rows


def steps_of(texts):
    """The steps, or facts, in texts of PDDL."""
    return [tuple(text.strip("()").split()) for text in texts]
