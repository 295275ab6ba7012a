"""Pairs made by others, the second problem scored as what a model wrote, the first as its gold."""

import json

import pytest

from orrery.pddl.faults import SyntaxFault
from orrery.pddl.write import write_domain
from orrery.scoring.problems.pairs import score_pair
from tests.every_domain import entry
from tests.scoring.problems.rows import known

GOLD, OUTPUT = "problem_a", "problem_b"


@pytest.mark.slow
def test_every_pair_has_the_wanted_score(cases):
    wrong, undecided = [], []
    for row in map(json.loads, (cases / "equivalence_pairs.jsonl").read_text().splitlines()):
        gold = {
            "id": row["id"],
            "domain_pddl": write_domain(entry(row["domain"]).domain),
            "problem_pddl": row[GOLD],
            "is_placeholder": row["is_placeholder"],
        }
        score = score_pair(row[OUTPUT], gold, known=known(row["domain"]))
        if score.plain.correct is not row["expected"]:
            wrong.append((row["id"], row["kind"], score))
        if score.plain.solvable is None:
            undecided.append((row["id"], score.plain.solvable_reason))
        if row["kind"] == "hard-unknown-literal":
            assert score.plain.error in (SyntaxFault.UNKNOWN_PREDICATE, SyntaxFault.WRONG_ARITY)
        else:
            assert score.plain.parseable
    assert wrong == []
    assert undecided == []
