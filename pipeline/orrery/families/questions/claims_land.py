"""Claims that a fact is a landmark; the false ones are facts within reach that some plan avoids."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from typing import Any

from orrery.families.questions.claims import ClaimCandidate, Look, Offer, look_of, refined
from orrery.families.questions.evidence import StateEvidence, sample
from orrery.families.questions.item import NotAsked
from orrery.pddl.write import write_atom

CLAIMS = "land"
DRAWN = 60


def offer(evidence: StateEvidence, rng: random.Random) -> Offer | NotAsked:
    """Landmarks, and other facts that can become true."""
    item = evidence.item
    if not item.solvable:
        return NotAsked("no plan is known" if item.solvable is None else "unsolvable")
    if item.landmarks is None or item.not_landmarks is None:
        return NotAsked("landmarks not fully decided")
    if item.problem.satisfied(item.problem.init):
        return NotAsked("the goal holds already")
    bit = evidence.task.bit
    never = item.unreachable or {}  # an option such as "b2 is on b2" would be none
    avoided = [fact for fact in sorted(item.not_landmarks) if fact in bit and fact not in never]
    found = []
    for facts, holds, form in (
        (sorted(item.landmarks), True, "landmark"),
        (avoided, False, "avoided by a plan"),
    ):
        proofs = item.landmarks if holds else item.not_landmarks
        found += [
            ClaimCandidate((fact,), holds, look_of(fact), form, proofs[fact])
            for fact in sample(rng, facts, DRAWN)
        ]
    holding = evidence.task.facts_of(evidence.task.init)
    spoken = [{name for fact in facts for name in fact[1:]} for facts in (item.problem.goal_facts, holding)]
    return Offer(refined(found, partial(_spoken_of, spoken)), goal=frozenset(spoken[0]))


def _spoken_of(spoken: list[set[str]], candidate: ClaimCandidate) -> Look:
    """How many of its objects the goal speaks of, and how many what changes and holds now."""
    return tuple(sum(name in names for name in candidate.atoms[0][1:]) for names in spoken)


def formal(candidate: ClaimCandidate, offered: Offer) -> Mapping[str, Any]:
    """The JSON of the claim."""
    return {"kind": CLAIMS, "fact": write_atom(candidate.atoms[0])}
