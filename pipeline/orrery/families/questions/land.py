"""Landmarks: a fact that every plan makes true, though it holds neither now nor in the goal."""

from __future__ import annotations

import random

from orrery.families.questions.context import context_of, say
from orrery.families.questions.item import NotAsked, QuestionRow, StateRecord, proofs_of, written
from orrery.language.words import Words
from orrery.semantics.universe import fluent_atoms

KIND = "land"
GROUP = "landmarks_gen"


def make(item: StateRecord, words: Words, rng: random.Random) -> QuestionRow | NotAsked:
    """The question for a landmark; asked where a plan exists and every candidate is decided."""
    if item.aimless:
        return NotAsked(item.aimless)
    yes, no = item.landmarks, item.not_landmarks
    if yes is None or no is None or not _share_out(item, [*yes, *no]):
        return NotAsked("landmarks not fully decided")
    texts = say(context_of(item, words), KIND, rng)
    answer = {"yes": written(yes), "no": written(no)}
    proofs = {"yes": proofs_of(yes), "no": proofs_of(no)}
    return QuestionRow(item, KIND, GROUP, texts, answer, proofs)


def _share_out(item: StateRecord, decided: list[tuple[str, ...]]) -> bool:
    """Whether ``decided`` holds every candidate once."""
    trivial = item.problem.init | item.problem.goal_facts
    return sorted(decided) == [f for f in fluent_atoms(item.domain, item.problem) if f not in trivial]
