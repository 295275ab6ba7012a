"""Progression: the changes of a state by one action.

The claim ``{"action": A, "facts": [F, ...]}`` states that all facts hold after the applicable action A: one
fact, or two; a false claim has at least one false fact. In yes/no questions, as many facts of true claims as
of their false counterparts hold before the action, and the two facts have the same objects in common: some
combinations contradict themselves. How many objects of the action they name is measured and balanced. Thus
neither the present state nor the objects give the answer.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from orrery.families.drafts import Rejected
from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.claims import (
    ClaimCandidate,
    Features,
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
CHANGED = ("ended", "brought about")
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
    task = evidence.task
    changing = evidence.effective_in(task.init)
    if not changing:
        raise Rejected("no applicable action")
    action = rng.choice(changing)
    single = evidence.once(action.step, partial(_Around, task, action)).drawn(rng)
    if rng.random() < STAYS:
        single = [c._replace(aspect=UNMATCHED) if c.form == FORMS[False, True] else c for c in single]
    objects = frozenset(action.step[1:])
    near = _near(single, objects)

    def spoken_of(atoms: tuple[Atom, ...]) -> Measures:
        return ((OF_ACTION, _shared(atoms, objects)),)

    measure = measured_by(measures_of(evidence.record).of, spoken_of)
    return Offer(near + _conjunctions(near, single, rng), (action.step,), measure=measure)


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
    near: list[ClaimCandidate], single: list[ClaimCandidate], rng: random.Random
) -> list[ClaimCandidate]:
    """Return pairs of facts, as many true as false: one of ``near``, which may be false, and a true one."""
    by_features, true = _by_features(near), _by_features(single)
    spelled = {features: repr(features) for features, _ in true}
    all_features = sorted({features for features, _ in by_features}, key=spelled.__getitem__)
    true_features = [features for features in all_features if by_features.get((features, True))]
    broken = [features for features in true_features if by_features.get((features, False))]
    pairs = list[ClaimCandidate | None]()
    for number in range(CONJUNCTIONS if broken else 0):
        first, second = rng.choice(broken), rng.choice(true_features)
        wrong = rng.choice(by_features[first, number % 2 == 0])
        pairs.append(_conjunction(wrong, rng.choice(true[second, True]), spelled))
    return different(filter(None, pairs), CONJUNCTIONS)


def _conjunction(
    first: ClaimCandidate, second: ClaimCandidate, spelled: Mapping[Features, str]
) -> ClaimCandidate | None:
    """Return the claim of both facts; None if they are equal. ``spelled`` orders their features."""
    if first.atoms == second.atoms:
        return None
    first, second = sorted((first, second), key=lambda candidate: candidate.atoms)
    atoms = first.atoms + second.atoms
    features = (*sorted((first.features, second.features), key=spelled.__getitem__), features_of(*atoms)[-1])
    holds, form = first.holds and second.holds, f"{first.form}; {second.form}"
    aspect = first.aspect[0] + second.aspect[0], *pattern_of(atoms)
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
    claims=CandidateClaims(offer, formal, draws=8),
)
