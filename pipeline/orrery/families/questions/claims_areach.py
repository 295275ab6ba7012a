"""Claims that a reachable state allows an action, or two actions.

In many domains every well-formed action can be brought about; there two actions make the question, of
which either can be taken at some time, but whose conditions h2 may exclude from holding together.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from orrery.families.questions.claims import ClaimCandidate, Offer, look_of, pattern_of, refined
from orrery.families.questions.evidence import StateEvidence, sample
from orrery.model import Proof, Step
from orrery.pddl.write import write_atom
from orrery.semantics.task import GroundAction

CLAIMS = "areach"
SINGLE, PAIRS = 40, 60


def offer(evidence: StateEvidence, rng: random.Random) -> Offer:
    """Single actions not applicable now, and pairs of reachable actions not both applicable now."""
    single = _reachable(evidence, rng) + _unreachable(evidence, rng)
    return Offer(refined(single + _together(evidence, rng) + _apart(evidence, rng), pattern_of))


def _reachable(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    now = {action.step for action in evidence.item.applicable}
    seen = {action.step for actions in evidence.seen.values() for action in actions}
    later = sorted((evidence.item.reachable_actions or seen) - now)
    return [
        ClaimCandidate((step,), True, look_of(step), "becomes applicable", Proof.WITNESS)
        for step in sample(rng, later, SINGLE)
    ]


def _unreachable(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    """Proven ones: those the relaxation reaches first, then those one object away from a reachable one."""
    known, task = evidence.item.unreachable_actions or {}, evidence.task
    hard = [action.step for action in task.actions if action.step in known]
    found: dict[Step, str] = {step: known[step] for step in sample(rng, hard, SINGLE)}
    for action in sample(rng, task.actions, SINGLE):
        step = evidence.changed(action.step, rng)
        if step not in task.action_of:
            found[step] = Proof.DELETE_RELAXATION
    return [
        ClaimCandidate((step,), False, look_of(step), "never applicable", found[step])
        for step in sorted(found)
    ]


def _together(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    """Pairs that some seen state allows."""
    found = {}
    states = [actions for actions in list(evidence.seen.values())[1:] if len(actions) > 1]
    now = {action.step for action in evidence.item.applicable}
    for _ in range(PAIRS if states else 0):
        one, other = rng.sample(rng.choice(states), 2)
        if not {one.step, other.step} <= now:
            pair = _pair(one, other, now, True)
            found[pair.atoms] = pair
    return list(found.values())


def _apart(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    """Pairs of actions seen to be applicable, whose conditions exclude each other."""
    seen = {action.step: action for actions in evidence.seen.values() for action in actions}
    steps, now, found = sorted(seen), {action.step for action in evidence.item.applicable}, {}
    for _ in range(PAIRS if len(steps) > 1 else 0):
        one, other = (seen[step] for step in rng.sample(steps, 2))
        if evidence.exclude(one, other):
            pair = _pair(one, other, now, False)
            found[pair.atoms] = pair
    return list(found.values())


def _pair(one: GroundAction, other: GroundAction, now: set[Step], holds: bool) -> ClaimCandidate:
    """A pair of actions; its look tells how many of them are applicable now."""
    atoms = tuple(sorted((one.step, other.step)))
    look = (len(now.intersection(atoms)), *look_of(*atoms))
    form, proof = ("allowed together", Proof.WITNESS) if holds else ("exclude each other", Proof.H2)
    return ClaimCandidate(atoms, holds, look, form, proof)


def formal(candidate: ClaimCandidate, offered: Offer) -> Mapping[str, Any]:
    """The JSON of the claim."""
    return {"kind": CLAIMS, "actions": [write_atom(step) for step in candidate.atoms]}
