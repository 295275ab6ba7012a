"""Landmarks: a fact that every plan makes true, although it holds neither now nor in the goal.

The claim ``{"fact": F}`` states that every plan makes F true, which holds neither now nor in the goal. False
claims are on reachable facts that some plan avoids.
"""

from __future__ import annotations

import random
from functools import partial

from orrery.families.drafts import Rejected
from orrery.families.questions import blind
from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.claims import (
    ClaimCandidate,
    Features,
    Offer,
    features_of,
    measured_by,
    refined,
)
from orrery.families.questions.evidence import StateEvidence, sample
from orrery.families.questions.open_question import OpenQuestion, question_task
from orrery.families.questions.question_row import NONE, listed, proofs_of, written
from orrery.families.questions.state_measures import measures_of
from orrery.families.questions.state_record import StateRecord
from orrery.pddl.write import write_atom
from orrery.store.kinds import column, struct

DRAWN = 60  # candidates of a sort


def ask(record: StateRecord, rng: random.Random) -> OpenQuestion:
    """Return a question for a landmark, if a plan exists and every candidate is decided."""
    record.refuse_without_way()
    yes, no = record.landmarks, record.not_landmarks
    if yes is None or no is None or not _share_out(record, [*yes, *no]):
        raise Rejected("landmarks not fully decided")
    answer = {"yes": written(yes), "no": written(no)}
    rules = blind.blind_rules(record.domain, record.problem, (*yes, *no), yes)
    proofs = {"yes": proofs_of(yes), "no": proofs_of(no)}
    return OpenQuestion(answer, proofs=proofs, rules=rules, needs=blind.SOME if yes else blind.NONE)


def _share_out(record: StateRecord, decided: list[tuple[str, ...]]) -> bool:
    """Return whether ``decided`` contains every candidate exactly once."""
    trivial = record.problem.init | record.problem.goal_facts
    return len(decided) == len({*decided}) and {*decided} == record.possible_facts - trivial


def offer(evidence: StateEvidence, rng: random.Random) -> Offer:
    """Return an offer of landmarks, and of other facts that can become true."""
    record = evidence.record
    record.refuse_without_way()
    if record.landmarks is None or record.not_landmarks is None:
        raise Rejected("landmarks not fully decided")
    bit = evidence.task.bit
    never = record.unreachable_facts or {}  # "b2 is on b2" would be no plausible option
    avoided = [fact for fact in sorted(record.not_landmarks) if fact in bit and fact not in never]
    candidates = []
    for facts, holds, form in (
        (sorted(record.landmarks), True, "landmark"),
        (avoided, False, "avoided by a plan"),
    ):
        proofs = record.landmarks if holds else record.not_landmarks
        candidates += [
            ClaimCandidate((fact,), holds, features_of(fact), form, proofs[fact])
            for fact in sample(rng, facts, DRAWN)
        ]
    holding = evidence.task.facts_of(evidence.task.init)
    spoken = [{name for fact in facts for name in fact[1:]} for facts in (record.problem.goal_facts, holding)]
    measure = measured_by(measures_of(record).of)
    return Offer(refined(candidates, partial(_spoken_of, spoken)), goal=frozenset(spoken[0]), measure=measure)


def _spoken_of(spoken: list[set[str]], candidate: ClaimCandidate) -> Features:
    """Return how many of its objects the goal names, and how many fluent facts of the state name."""
    return tuple(sum(name in names for name in candidate.atoms[0][1:]) for names in spoken)


TASK = question_task(
    name="land",
    subject="landmarks",
    group="landmarks",
    ask=ask,
    answer=column(
        "answer", struct("yes", "no"), "Facts every plan makes true (`yes`) and all other candidates (`no`)"
    ),
    replies=lambda row: [listed([fact]) for fact in row["answer"]["yes"]] or [NONE],
    claims=CandidateClaims(offer, lambda claim, _: {"fact": write_atom(claim.atoms[0])}, draws=6),
)
