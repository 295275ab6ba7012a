"""Progression: the changes of a state by one action.

The claim ``{"action": A, "facts": [F, ...]}`` states that all facts hold after the applicable action A: one
fact, or two, or three in yes/no questions of a stream; a false claim has at least one false fact. In yes/no
questions, as many facts of true claims as of their false counterparts hold before the action (in some offers
of a stream, they have the same effects instead), and the facts have the same objects in common: some
combinations contradict themselves. How many objects of the action they name is measured and balanced. Thus
neither the present state nor the objects give the answer.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from orrery.families.drafts import Rejected
from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.claims import (
    ClaimCandidate,
    Features,
    Measure,
    Measures,
    Offer,
    different,
    features_of,
    measured_by,
    pattern_of,
)
from orrery.families.questions.evidence import StateEvidence, drawn, sample
from orrery.families.questions.open_question import OpenQuestion, question_task
from orrery.families.questions.question_row import NONE, listed, written
from orrery.families.questions.state_measures import measures_of
from orrery.families.questions.state_record import StateRecord
from orrery.model import Atom, Row
from orrery.pddl.write import write_atom
from orrery.planning.task import GroundAction, PlanningTask, progress
from orrery.store.kinds import column, struct

NEAR, FAR, CONJUNCTIONS = 30, 12, 60
# In a stream: facts of a claim, draws of such claims, and share of offers in which true and false claims have
# the same effects of the action, not as many facts that hold before. With one or two facts, the nearest of
# 2,000 answered claims tells 62 % of the answers; the effects alone tell 88 %, and 75 % with this share.
FACTS, DRAWS, OF_EQUAL_EFFECTS = 3, 300, 0.1
LEAST = 3  # number of incorrect options that claims of equal features should have
# Share of draws in which yes/no questions are not on facts that the action makes true. Then about half are on
# facts that hold before, where objects of the action suggest no, and half on others, where they suggest yes.
STAYS = 0.7
UNMATCHED = (-9,)  # the aspect of such facts then: no false claim has it
FORMS = {
    (True, True): "untouched",
    (True, False): "ended",
    (False, True): "brought about",
    (False, False): "false before and after",
}
# The forms of facts that the action changes. The sum over a claim tells how many of each there are.
CHANGED = {"brought about": 1, "ended": FACTS + 1}
OF_ACTION = "objects of the action"


def ask(record: StateRecord, rng: random.Random) -> OpenQuestion:
    """Return a question for the effects of one applicable action, preferably one that has effects."""
    if not record.applicable:
        raise Rejected("no applicable action")
    before = record.task.init
    changing = [action for action in record.applicable if progress(before, action) != before]
    action = drawn(changing or record.applicable, rng)
    after = progress(before, action)
    answer = {
        "pos": written(record.task.facts_of(after & ~before)),
        "neg": written(record.task.facts_of(before & ~after)),
    }
    return OpenQuestion(answer, (action.step,))


def offer(evidence: StateEvidence, rng: random.Random) -> Offer:
    """Return an offer of facts and pairs of facts after one applicable action that changes something."""
    single_facts = _single_facts(evidence, rng)
    return single_facts.offer(single_facts.near + _conjunctions(single_facts, rng))


def fresh_offer(evidence: StateEvidence, rng: random.Random) -> Offer:
    """Return an offer of three facts each, for yes/no questions of a stream.

    With more facts, fewer claims resemble one that was answered before.
    """
    single_facts = _single_facts(evidence, rng)
    if rng.random() < OF_EQUAL_EFFECTS:
        single_facts = single_facts._replace(
            near=_by_effect(single_facts.near), single=_by_effect(single_facts.single)
        )
    return single_facts.offer(_conjunctions(single_facts, rng, FACTS, DRAWS))


class _SingleFacts(NamedTuple):
    """Claims of single facts after an action: those in question, and all; and the measures of claims."""

    action: GroundAction
    near: list[ClaimCandidate]
    single: list[ClaimCandidate]
    measure: Measure

    def offer(self, candidates: list[ClaimCandidate]) -> Offer:
        """Return the offer of some claims after the action."""
        return Offer(candidates, (self.action.step,), measure=self.measure)


def _single_facts(evidence: StateEvidence, rng: random.Random) -> _SingleFacts:
    """Return the claims of single facts after a random applicable action that changes something."""
    task = evidence.task
    changing = evidence.effective_in(task.init)
    if not changing:
        raise Rejected("no applicable action")
    action = rng.choice(changing)
    single = evidence.once(action.step, partial(_Around, task, action)).drawn(rng)
    if rng.random() < STAYS:
        single = [c._replace(aspect=UNMATCHED) if c.form == FORMS[False, True] else c for c in single]
    objects = frozenset(action.step[1:])

    def spoken_of(atoms: tuple[Atom, ...]) -> Measures:
        return ((OF_ACTION, _shared(atoms, objects)),)

    measure = measured_by(measures_of(evidence.record).of, spoken_of)
    return _SingleFacts(action, _near(single, objects), single, measure)


def _by_effect(claims: list[ClaimCandidate]) -> list[ClaimCandidate]:
    """Return claims whose aspect is what the action does with their fact."""
    return [claim._replace(aspect=(CHANGED.get(claim.form, 0),)) for claim in claims]


class _Around:
    """Claims of single facts after an action: its effects, facts on its objects, and others."""

    def __init__(self, task: PlanningTask, action: GroundAction) -> None:
        changed = task.facts_of(progress(task.init, action) ^ task.init)
        objects = set(action.step[1:])
        unchanged = [fact for fact in task.facts if fact not in changed]
        near = [fact for fact in unchanged if not objects.isdisjoint(fact[1:])]
        far = [fact for fact in unchanged if objects.isdisjoint(fact[1:])]
        self._changed, self._near, self._far = (
            [_single(task, fact, action) for fact in facts] for facts in (sorted(changed), near, far)
        )

    def drawn(self, rng: random.Random) -> list[ClaimCandidate]:
        """Return all changes, and some of the other facts."""
        return self._changed + sample(rng, self._near, NEAR) + sample(rng, self._far, FAR)


def _single(task: PlanningTask, fact: Atom, action: GroundAction) -> ClaimCandidate:
    bit, after = task.bit[fact], progress(task.init, action)
    before, holds = bool(task.init & bit), bool(after & bit)
    return ClaimCandidate((fact,), holds, features_of(fact), FORMS[before, holds], aspect=(before,))


def _shared(atoms: Iterable[Atom], objects: frozenset[str]) -> int:
    """Return how many of ``objects`` some atoms name."""
    return len(objects.intersection(name for atom in atoms for name in atom[1:]))


def _near(single: list[ClaimCandidate], objects: frozenset[str]) -> list[ClaimCandidate]:
    """Return changed and unchanged facts; of equal features, those that name most of ``objects``.

    Changed facts name them anyway; next to facts on other objects, they would be too easy to recognize.
    """
    nearest = []
    for alike in _by_features(single).values():
        stays = sorted(
            (_shared(candidate.atoms, objects) for candidate in alike if candidate.form not in CHANGED),
            reverse=True,
        )
        least = min(stays[:LEAST], default=0)
        nearest += [
            candidate
            for candidate in alike
            if candidate.form in CHANGED or _shared(candidate.atoms, objects) >= least
        ]
    return nearest


def _by_features(single: list[ClaimCandidate]) -> dict[tuple[Features, bool], list[ClaimCandidate]]:
    by_features: dict[tuple[Features, bool], list[ClaimCandidate]] = defaultdict(list)
    for candidate in single:
        by_features[candidate.features, candidate.holds].append(candidate)
    return by_features


def _conjunctions(
    single_facts: _SingleFacts, rng: random.Random, facts: int = 2, draws: int = CONJUNCTIONS
) -> list[ClaimCandidate]:
    """Return claims of several facts, as many true as false: one of those in question, and true ones."""
    by_features, true = _by_features(single_facts.near), _by_features(single_facts.single)
    spelled = {features: repr(features) for features, _ in true}
    all_features = sorted({features for features, _ in by_features}, key=spelled.__getitem__)
    true_features = [features for features in all_features if by_features.get((features, True))]
    broken = [features for features in true_features if by_features.get((features, False))]
    claims = list[ClaimCandidate | None]()
    for number in range(draws if broken else 0):
        first, *others = rng.choice(broken), *(rng.choice(true_features) for _ in range(facts - 1))
        in_question = rng.choice(by_features[first, number % 2 == 0])
        parts = [in_question, *(rng.choice(true[features, True]) for features in others)]
        claims.append(_conjunction(parts, spelled))
    return different(filter(None, claims), draws)


def _conjunction(parts: Sequence[ClaimCandidate], spelled: Mapping[Features, str]) -> ClaimCandidate | None:
    """Return the claim of all facts; None if two are equal. ``spelled`` orders their features."""
    parts = sorted(parts, key=lambda part: part.atoms)
    atoms = tuple(atom for part in parts for atom in part.atoms)
    if len(set(atoms)) < len(atoms):
        return None
    features = (*sorted((part.features for part in parts), key=spelled.__getitem__), features_of(*atoms)[-1])
    holds, form = all(part.holds for part in parts), "; ".join(part.form for part in parts)
    aspect = sum(part.aspect[0] for part in parts), *pattern_of(atoms)
    return ClaimCandidate(atoms, holds, features, form, aspect=aspect)


def formal(candidate: ClaimCandidate, offered: Offer) -> Mapping[str, Any]:
    """Return a claim as JSON."""
    return {
        "action": write_atom(offered.steps[0]),
        "facts": [write_atom(fact) for fact in candidate.atoms],
    }


def _replies(row: Row) -> list[str]:
    return [f"pos: {listed(row['answer']['pos'])} neg: {listed(row['answer']['neg'])}"]


TASK = question_task(
    name="prog",
    subject="the effects of an action",
    group="progression",
    ask=ask,
    answer=column(
        "answer", struct("pos", "neg"), "Facts that become true (`pos`) and facts that become false (`neg`)"
    ),
    replies=_replies,
    every_reply=lambda row: [*_replies(row), *([] if any(row["answer"].values()) else [NONE])],
    tells_goal=False,
    claims=CandidateClaims(offer, formal, fresh=fresh_offer, draws=8),
)
