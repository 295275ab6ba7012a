"""Check the proof labels of a question: they must be those of the decided state.

A label tells how a value is known; it is compared with the decided state. For open questions, this is done
for each element. For a claim on one fact or action, the label is also that of the state. Other true claims
are known by a witness, and other false claims by a proof of unreachability.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from orrery.checks.questions.columns import BOOL, OPEN, format_of
from orrery.checks.task_check import QuestionCheck
from orrery.model import Proof, Row

REFUTING = frozenset(Proof) - {Proof.WITNESS, Proof.ASTAR}
LABELS = "ABCD"


def check(row: Row, task: QuestionCheck, state: Row | None) -> list[str]:
    """Return where the proofs of a question are not those of its state; empty without a state."""
    if state is None:
        return []
    proofs, proof_of = json.loads(row["proofs"]), known_proofs(task, state)
    if not isinstance(proofs, dict):
        return ["proofs is no JSON object"]
    wanted = _of_lists(row, task, proof_of) if format_of(row) == OPEN else _of_claims(row, task, proof_of)
    faults = [f"proofs: of {name}, which has none" for name in sorted(proofs.keys() - wanted.keys())]
    for name, allowed in wanted.items():
        stated = proofs.get(name, [])
        if len(stated) != len(allowed):
            faults.append(f"proofs: {len(stated)} for {len(allowed)} elements of {name}")
            continue
        faults += [
            f"proofs: '{proof}' for element {place} of {name}, should be {' or '.join(sorted(expected))}"
            for place, (proof, expected) in enumerate(zip(stated, allowed, strict=True))
            if proof not in expected
        ]
    return faults


def known_proofs(task: QuestionCheck, state: Row) -> dict[str, str]:
    """Return the proof that a decided state has for each fact or action, as PDDL without parentheses."""
    proof_of: dict[str, str] = {}
    for names, proofs in task.proven:
        elements = [element for name in names for element in state[name]]
        proof_of |= dict(zip(map(_bare, elements), state[proofs], strict=True))
    return proof_of


def _of_lists(row: Row, task: QuestionCheck, proof_of: Mapping[str, str]) -> dict[str, list[frozenset[str]]]:
    """Return the proofs allowed for each element of the lists of an open question."""
    lists = {name: _list(row, name) for name in task.proof_lists}
    return {
        name: [frozenset({proof_of.get(_bare(element), "none")}) for element in elements]
        for name, elements in lists.items()
    }


def _list(row: Row, name: str) -> Sequence[str]:
    answer = row["answer"]
    return list(answer[name] if isinstance(answer, dict) else row[name])


def _of_claims(row: Row, task: QuestionCheck, proof_of: Mapping[str, str]) -> dict[str, list[frozenset[str]]]:
    """Return the proofs allowed for the claims of a question; empty for kinds without proofs of claims."""
    if not task.proven or task.holds is None:
        return {}
    if format_of(row) == BOOL:
        return {"claim": [_of_claim(json.loads(row["claim"]), row["answer"] == "yes", task, proof_of)]}
    claims = json.loads(row["claims"])
    right = LABELS.index(row["answer"])
    return {
        "claims": [_of_claim(claim, place == right, task, proof_of) for place, claim in enumerate(claims)]
    }


def _of_claim(
    claim: Mapping[str, Any], holds: bool, task: QuestionCheck, proof_of: Mapping[str, str]
) -> frozenset[str]:
    elements = [value for key in sorted(task.keys) for value in _as_list(claim[key])]
    if len(elements) == 1 and (proof := proof_of.get(_bare(elements[0]))):
        return frozenset({proof})
    return frozenset({Proof.WITNESS}) if holds else REFUTING


def _as_list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _bare(text: str) -> str:
    return text.strip("()")
