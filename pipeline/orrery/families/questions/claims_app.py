"""Claims that an action is applicable; the false ones miss few conditions, or differ in one object."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from orrery.families.questions.claims import ClaimCandidate, Offer, look_of
from orrery.families.questions.evidence import StateEvidence, sample
from orrery.families.questions.item import NotAsked
from orrery.pddl.write import write_atom

CLAIMS = "app"
DRAWN = 40  # candidates of a sort


def offer(evidence: StateEvidence, rng: random.Random) -> Offer | NotAsked:
    """Applicable actions, and well-typed ones that are not applicable."""
    item = evidence.item
    if not item.applicable:
        return NotAsked("no applicable action")
    found = [
        ClaimCandidate((a.step,), True, look_of(a.step), "applicable")
        for a in sample(rng, item.applicable, DRAWN)
    ]
    one, two = evidence.misses
    for actions, form in ((one, "one condition unmet"), (two, "two conditions unmet")):
        chosen = sample(rng, actions, DRAWN)
        found += [ClaimCandidate((a.step,), False, look_of(a.step), form) for a in chosen]
    return Offer(found + _changed(evidence, rng))


def _changed(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    """Inapplicable steps that differ from an applicable one in one object."""
    applicable = {action.step for action in evidence.item.applicable}
    known = {action.step for actions in evidence.misses for action in actions}
    trials = [evidence.changed(a.step, rng) for a in sample(rng, evidence.item.applicable, DRAWN)]
    fresh = [step for step in dict.fromkeys(trials) if step not in applicable | known]
    return [ClaimCandidate((step,), False, look_of(step), "one object changed") for step in fresh]


def formal(candidate: ClaimCandidate, offered: Offer) -> Mapping[str, Any]:
    """The JSON of the claim."""
    return {"kind": CLAIMS, "action": write_atom(candidate.atoms[0])}
