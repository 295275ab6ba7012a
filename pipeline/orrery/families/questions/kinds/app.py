"""Applicability: the actions that can be taken in a state.

The claim ``{"action": A}`` says that the action is applicable in the state; false ones miss few conditions,
or differ from an applicable action in one object.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.claims import ClaimCandidate, Offer, features_of
from orrery.families.questions.evidence import StateEvidence, sample
from orrery.families.questions.kind import Kind, OpenQuestion
from orrery.families.questions.question_row import NotAsked, listed, written
from orrery.families.questions.state_record import StateRecord
from orrery.pddl.write import write_atom
from orrery.store.kinds import STRINGS, column

MOST = 100  # nobody reads, and no model writes, longer lists
DRAWN = 40  # candidates of a sort


def ask(record: StateRecord, rng: random.Random) -> OpenQuestion | NotAsked:
    """Ask for all applicable actions; not where there are more than ``MOST``."""
    if len(record.applicable) > MOST:
        return NotAsked(f"more than {MOST} applicable actions")
    return OpenQuestion(written(action.step for action in record.applicable))


def offer(evidence: StateEvidence, rng: random.Random) -> Offer | NotAsked:
    """Draw applicable actions, and well-typed ones that are not applicable."""
    applicable = evidence.record.applicable
    if not applicable:
        return NotAsked("no applicable action")
    found = [
        ClaimCandidate((a.step,), True, features_of(a.step), "applicable")
        for a in sample(rng, applicable, DRAWN)
    ]
    one, two = evidence.misses
    for actions, form in ((one, "one condition unmet"), (two, "two conditions unmet")):
        chosen = sample(rng, actions, DRAWN)
        found += [ClaimCandidate((a.step,), False, features_of(a.step), form) for a in chosen]
    return Offer(found + _changed(evidence, rng))


def _changed(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    """Return inapplicable steps that differ from an applicable one in one object."""
    applicable = {action.step for action in evidence.record.applicable}
    known = {action.step for actions in evidence.misses for action in actions}
    trials = [evidence.changed(a.step, rng) for a in sample(rng, evidence.record.applicable, DRAWN)]
    fresh = [step for step in dict.fromkeys(trials) if step not in applicable | known]
    return [ClaimCandidate((step,), False, features_of(step), "one object changed") for step in fresh]


def formal(candidate: ClaimCandidate, offered: Offer) -> Mapping[str, Any]:
    """Write a claim as JSON."""
    return {"action": write_atom(candidate.atoms[0])}


KIND = Kind(
    name="app",
    subject="applicable actions",
    group="applicable_actions",
    ask=ask,
    answer=column("answer", STRINGS, "All ground actions applicable in the state"),
    replies=lambda row: [listed(row["answer"])],
    claims=CandidateClaims(offer, formal, of_actions=True),
    mcq_ending="mc",
)
