"""Reachability: a fact that can never come true from a state on.

What counts are the facts of the universe (``semantics.possible``): of predicates that some action adds, with
an object in two places only where some action could make that so.

The claim ``{"facts": [F, ...]}`` says that one reachable state holds all of the facts, one or two. True ones
are witnessed by a state that a plan or a walk reaches; false ones are facts proven unreachable, and pairs
that h2 excludes.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from orrery.families.questions import blind
from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.claims import (
    ClaimCandidate,
    Offer,
    detailed,
    features_of,
    look_of,
    measured_by,
    pattern_of,
)
from orrery.families.questions.evidence import StateEvidence, sample
from orrery.families.questions.kind import Kind, OpenQuestion
from orrery.families.questions.question_row import NEEDS, NONE, NotAsked, listed, proofs_of
from orrery.families.questions.state_measures import measures_of
from orrery.families.questions.state_record import StateRecord
from orrery.model import Atom, Proof
from orrery.pddl.write import write_atom
from orrery.semantics.task import PlanningTask, bits, union
from orrery.store.kinds import STRINGS, column

SINGLE, PAIRS = 40, 100  # candidates of one fact, and of two that exclude each other
TRIES, MOST_TOGETHER = 600, 100  # pairs that states hold together are drawn so often, and kept
PUBLISHED_MOST = 50  # the cap of the published sets
ALL = "answer_all"  # the column without a cap


def ask(record: StateRecord, rng: random.Random) -> OpenQuestion | NotAsked:
    """Ask for an unreachable fact, where every fact is decided."""
    right = record.unreachable
    if right is None:
        return NotAsked("reachability not fully decided")
    universe = sorted(record.possible_facts)
    if not right.keys() <= record.possible_facts:
        return NotAsked("facts are called unreachable that no action adds")
    never = [" ".join(fact) for fact in sorted(right)]
    needs = blind.needs_of(right, record.task.bit)
    extra = {ALL: never, NEEDS: needs, blind.CHANCE: blind.chance_of(right, universe)}
    rules = blind.blind_rules(record.domain, record.problem, universe, right)
    return OpenQuestion(never[:PUBLISHED_MOST], (), {ALL: proofs_of(right)}, extra, rules, needs)


def offer(evidence: StateEvidence, rng: random.Random) -> Offer:
    """Draw single facts that do not hold now, and pairs of facts that do not both hold now."""
    apart = _apart(evidence, rng)
    found = detailed(_single(evidence, rng) + _together(evidence, apart, rng) + apart, look_of(evidence))
    return Offer(found, measure=measured_by(measures_of(evidence.record).of))


def _single(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    task = evidence.task
    never = evidence.record.unreachable
    if never is None:
        reached, never = task.facts_of(union(evidence.seen)), {}
    else:  # all decided: what is not unreachable was reached
        reached = evidence.record.possible_facts.intersection(task.facts) - never.keys()
    later = sorted(reached - task.facts_of(task.init))
    return [
        ClaimCandidate((fact,), True, features_of(fact), "reached", Proof.WITNESS)
        for fact in sample(rng, later, SINGLE)
    ] + [
        ClaimCandidate((fact,), False, features_of(fact), "never reached", never[fact])
        for fact in sample(rng, sorted(never), SINGLE)
    ]


def _together(
    evidence: StateEvidence, apart: list[ClaimCandidate], rng: random.Random
) -> list[ClaimCandidate]:
    """Return pairs that some seen state holds, and that look like a pair that excludes each other."""
    task, found = evidence.task, dict[tuple[int, int], ClaimCandidate]()
    states = [_by_name(task, mask) for mask in evidence.seen]
    wanted = {(each.features, pattern_of(each)) for each in apart}
    known: dict[tuple[int, int], ClaimCandidate | None] = {}
    for _ in range(TRIES if apart else 0):
        some, others = _drawn(rng.choice(states), apart, rng)
        one, other = sorted((rng.choice(some), rng.choice(others))) if some and others else (0, 0)
        if one != other and (one, other) not in found and not task.init >> one & task.init >> other & 1:
            if (one, other) not in known:
                pair = _pair(task, one, other, True)
                known[one, other] = pair if (pair.features, pattern_of(pair)) in wanted else None
            if like := known[one, other]:
                found[one, other] = like
        if len(found) == MOST_TOGETHER:
            break
    return list(found.values())


def _by_name(task: PlanningTask, mask: int) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for fact in bits(mask):
        found.setdefault(task.facts[fact][0], []).append(fact)
    return found


def _drawn(
    state: dict[str, list[int]], apart: list[ClaimCandidate], rng: random.Random
) -> tuple[list[int], list[int]]:
    one, other = rng.choice(apart).atoms
    return state.get(one[0], []), state.get(other[0], [])


def _apart(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    """Return pairs of reachable facts that h2 proves mutex, half of them with a common object if possible."""
    if evidence.pairs is None:
        return []
    task, together, found = evidence.task, evidence.pairs.together, {}
    possible, everything = evidence.pairs.facts, bits(evidence.pairs.facts)
    for number in range(PAIRS):
        one = rng.choice(everything) if everything else 0
        mates = bits(possible & ~together[one]) if everything else []
        if mates:
            other = max(
                sample(rng, mates, 1 + number % 2 * 2),
                key=lambda mate: len({*task.facts[one]} & {*task.facts[mate]}),
            )
            low, high = sorted((one, other))
            found[low, high] = _pair(task, low, high, False)
    return list(found.values())


def _pair(task: PlanningTask, one: int, other: int, holds: bool) -> ClaimCandidate:
    """Return a pair of facts, by their numbers; its features hold how many of them are true now."""
    atoms: tuple[Atom, ...] = (task.facts[one], task.facts[other])
    now = (task.init >> one & 1) + (task.init >> other & 1)
    form, proof = ("held together", Proof.WITNESS) if holds else ("mutex", Proof.H2)
    return ClaimCandidate(atoms, holds, (now, *features_of(*atoms)), form, proof)


def formal(candidate: ClaimCandidate, offered: Offer) -> Mapping[str, Any]:
    """Write a claim as JSON."""
    return {"facts": [write_atom(fact) for fact in candidate.atoms]}


KIND = Kind(
    name="reach",
    subject="facts out of reach",
    group="reachable_atom",
    ask=ask,
    answer=column(
        "answer",
        STRINGS,
        "Facts that hold in no reachable state, without parentheses; at most 50, empty if there are none",
    ),
    columns=(
        column(ALL, STRINGS, "All facts, of those that actions could add, that hold in no reachable state"),
        *blind.COLUMNS,
    ),
    replies=lambda row: [listed([fact]) for fact in row["answer"]] or [NONE],
    every_reply=lambda row: [listed([fact]) for fact in row.get(ALL, row["answer"])] or [NONE],
    claims=CandidateClaims(offer, formal, draws=4, matched_only=True),
    mcq_ending="mc",
)
