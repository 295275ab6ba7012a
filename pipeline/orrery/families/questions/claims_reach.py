"""Claims that a reachable state holds a fact, or two facts together.

True ones are witnessed by a state that a plan or a walk reaches. False ones are facts proven unreachable,
and pairs that h2 excludes.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from orrery.families.questions.claims import ClaimCandidate, Offer, look_of, pattern_of, refined
from orrery.families.questions.evidence import StateEvidence, sample
from orrery.model import Atom, Proof
from orrery.pddl.write import write_atom
from orrery.semantics.task import PlanningTask, bits, union

CLAIMS = "reach"
SINGLE, PAIRS = 40, 60


def offer(evidence: StateEvidence, rng: random.Random) -> Offer:
    """Single facts that do not hold now, and pairs of facts that do not both hold now."""
    apart = _apart(evidence, rng)
    return Offer(refined(_single(evidence, rng) + _together(evidence, apart, rng) + apart, pattern_of))


def _single(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    task = evidence.task
    never = evidence.item.unreachable
    if never is None:
        reached, never = task.facts_of(union(evidence.seen)), {}
    else:  # all decided: what is not unreachable was reached
        reached = frozenset(task.facts) - never.keys()
    later = sorted(reached - task.facts_of(task.init))
    return [
        ClaimCandidate((fact,), True, look_of(fact), "reached", Proof.WITNESS)
        for fact in sample(rng, later, SINGLE)
    ] + [
        ClaimCandidate((fact,), False, look_of(fact), "never reached", never[fact])
        for fact in sample(rng, sorted(never), SINGLE)
    ]


def _together(
    evidence: StateEvidence, apart: list[ClaimCandidate], rng: random.Random
) -> list[ClaimCandidate]:
    """Pairs that some seen state holds; half of them of the predicates of pairs that exclude each other."""
    task, found = evidence.task, {}
    states = [_by_name(task, mask) for mask in evidence.seen]
    for number in range(PAIRS):
        state = rng.choice(states)
        some, others = _drawn(state, apart, rng) if number % 2 and apart else _any(state)
        one, other = sorted((rng.choice(some), rng.choice(others))) if some and others else (0, 0)
        if one != other and not task.init >> one & task.init >> other & 1:
            found[one, other] = _pair(task, one, other, True)
    return list(found.values())


def _by_name(task: PlanningTask, mask: int) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for fact in bits(mask):
        found.setdefault(task.facts[fact][0], []).append(fact)
    return found


def _any(state: dict[str, list[int]]) -> tuple[list[int], list[int]]:
    facts = [fact for some in state.values() for fact in some]
    return facts, facts


def _drawn(
    state: dict[str, list[int]], apart: list[ClaimCandidate], rng: random.Random
) -> tuple[list[int], list[int]]:
    one, other = rng.choice(apart).atoms
    return state.get(one[0], []), state.get(other[0], [])


def _apart(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    """Pairs of facts, each not excluded, that h2 excludes together; preferably on a common object."""
    if evidence.pairs is None:
        return []
    task, together, found = evidence.task, evidence.pairs.together, {}
    possible, everything = evidence.pairs.facts, bits(evidence.pairs.facts)
    for _ in range(PAIRS):
        one = rng.choice(everything) if everything else 0
        mates = bits(possible & ~together[one]) if everything else []
        if mates:
            other = max(sample(rng, mates, 3), key=lambda mate: len({*task.facts[one]} & {*task.facts[mate]}))
            low, high = sorted((one, other))
            found[low, high] = _pair(task, low, high, False)
    return list(found.values())


def _pair(task: PlanningTask, one: int, other: int, holds: bool) -> ClaimCandidate:
    """A pair of facts, by their numbers; its look tells how many of them hold now."""
    atoms: tuple[Atom, ...] = (task.facts[one], task.facts[other])
    now = (task.init >> one & 1) + (task.init >> other & 1)
    form, proof = ("held together", Proof.WITNESS) if holds else ("mutex", Proof.H2)
    return ClaimCandidate(atoms, holds, (now, *look_of(*atoms)), form, proof)


def formal(candidate: ClaimCandidate, offered: Offer) -> Mapping[str, Any]:
    """The JSON of the claim."""
    return {"kind": CLAIMS, "facts": [write_atom(fact) for fact in candidate.atoms]}
