"""Reachability: a fact that can never come true from a state on."""

from __future__ import annotations

import random

from orrery.families.questions.context import context_of, say
from orrery.families.questions.item import NotAsked, QuestionRow, StateRecord, proofs_of
from orrery.language.words import Words

KIND = "reach"
GROUP = "reachable_atom_gen"
PUBLISHED_MOST = 50  # the cap of the published sets
ALL = "answer_all"  # the column without a cap


def make(item: StateRecord, words: Words, rng: random.Random) -> QuestionRow | NotAsked:
    """The question for an unreachable fact; asked where every fact is decided."""
    if item.unreachable is None:
        return NotAsked("reachability not fully decided")
    texts = say(context_of(item, words), KIND, rng)
    never = [" ".join(fact) for fact in sorted(item.unreachable)]
    proofs, extra = {ALL: proofs_of(item.unreachable)}, {ALL: never}
    return QuestionRow(item, KIND, GROUP, texts, never[:PUBLISHED_MOST], proofs, extra)
