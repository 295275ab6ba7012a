"""Applicability: all actions that can be taken in a state."""

from __future__ import annotations

import random

from orrery.families.questions.context import context_of, say
from orrery.families.questions.item import NotAsked, QuestionRow, StateRecord, written
from orrery.language.words import Words

KIND = "app"
GROUP = "applicable_actions_gen"
MOST = 100  # nobody reads, and no model writes, longer lists


def make(item: StateRecord, words: Words, rng: random.Random) -> QuestionRow | NotAsked:
    """The question for all applicable actions; not asked where there are more than ``MOST``."""
    if len(item.applicable) > MOST:
        return NotAsked(f"more than {MOST} applicable actions")
    texts = say(context_of(item, words), KIND, rng)
    answer = written(action.step for action in item.applicable)
    return QuestionRow(item, KIND, GROUP, texts, answer)
