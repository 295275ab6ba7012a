"""Applicability: the actions that are applicable in a state.

The claim ``{"action": A}`` states that the action is applicable in the state. False claims miss one
condition, each of its schema in turn, or more if there are too few of those.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict

from orrery.families.drafts import Rejected
from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.claims import ClaimCandidate, Features, Offer, features_of, measured_by
from orrery.families.questions.distractors import OPTIONS
from orrery.families.questions.evidence import StateEvidence, sample
from orrery.families.questions.near_misses import NearMisses, near_misses_of, watched
from orrery.families.questions.open_question import OpenQuestion, question_task
from orrery.families.questions.question_row import listed, written
from orrery.families.questions.state_measures import measures_of
from orrery.families.questions.state_record import StateRecord
from orrery.model import Step
from orrery.pddl.write import write_atom
from orrery.store.kinds import STRINGS, column

MOST = 100  # longer lists are not practical as answers
DRAWN = 40  # candidates of a sort


def ask(record: StateRecord, rng: random.Random) -> OpenQuestion:
    """Return a question for all applicable actions, unless there are more than ``MOST``."""
    if len(record.applicable) > MOST:
        raise Rejected(f"more than {MOST} applicable actions")
    return OpenQuestion(written(action.step for action in record.applicable))


def offer(evidence: StateEvidence, rng: random.Random) -> Offer:
    """Return an offer of applicable actions, and of well-typed inapplicable ones."""
    record = evidence.record
    if not record.applicable:
        raise Rejected("no applicable action")
    state = near_misses_of(record)
    first = watched(record.domain)
    candidates = [
        _candidate(state, action.step, True, "applicable") for action in sample(rng, record.applicable, DRAWN)
    ]
    names = {action.step[0] for action in record.applicable}
    for action in sorted(record.domain.actions, key=lambda action: action.name):
        if action.name in names:
            near = state.draw(action, rng)
            candidates += [_candidate(state, step, False, "one condition unmet") for step in near]
    candidates = _beyond_first_condition(candidates, first)
    if not _enough(candidates):
        steps = {candidate.atoms[0] for candidate in candidates} | {
            action.step for action in record.applicable
        }
        candidates += [
            candidate for candidate in _farther(evidence, state, rng) if candidate.atoms[0] not in steps
        ]
    measure = evidence.once(measured_by, lambda: measured_by(state.measures, measures_of(record).mentions))
    return Offer(candidates, watched=first, measure=measure)


def _candidate(state: NearMisses, step: Step, holds: bool, form: str) -> ClaimCandidate:
    return ClaimCandidate((step,), holds, features_of(step), form, unmet=state.unmet(step))


def _beyond_first_condition(candidates: list[ClaimCandidate], first: str) -> list[ClaimCandidate]:
    """Omit candidates that only the condition checked first reveals, if both answers remain."""
    by_features: dict[Features, set[frozenset[str]]] = defaultdict(set)
    for candidate in candidates:
        by_features[candidate.features].add(candidate.unmet)
    alone = {frozenset[str](), frozenset({first})}
    refined = [candidate for candidate in candidates if not by_features[candidate.features] <= alone]
    return refined if _enough(refined) else candidates


def _enough(candidates: list[ClaimCandidate]) -> bool:
    """Return whether there are a true claim and enough false ones of equal features."""
    wrong = Counter(candidate.features for candidate in candidates if not candidate.holds)
    return any(candidate.holds and wrong[candidate.features] >= OPTIONS - 1 for candidate in candidates)


def _farther(evidence: StateEvidence, state: NearMisses, rng: random.Random) -> list[ClaimCandidate]:
    """Return actions that miss two conditions, or differ from an applicable one in one object."""
    two = [action.step for action in sample(rng, evidence.misses(2), DRAWN)]
    changed = [evidence.changed(a.step, rng) for a in sample(rng, evidence.record.applicable, DRAWN)]
    forms = dict.fromkeys(two, "two conditions unmet") | dict.fromkeys(changed, "one object changed")
    return [_candidate(state, step, False, form) for step, form in forms.items()]


TASK = question_task(
    name="app",
    subject="applicable actions",
    group="applicable_actions",
    ask=ask,
    answer=column("answer", STRINGS, "All ground actions applicable in the state"),
    replies=lambda row: [listed(row["answer"])],
    tells_goal=False,
    claims=CandidateClaims(
        offer, lambda claim, _: {"action": write_atom(claim.atoms[0])}, of_actions=True, draws=3
    ),
    mcq_ending="mc",
)
