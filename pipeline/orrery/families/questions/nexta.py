"""Next action: one after which the goal is one action nearer."""

from __future__ import annotations

import random

from orrery.families.questions.context import context_of, say
from orrery.families.questions.item import NotAsked, QuestionRow, StateRecord, proofs_of, written
from orrery.language.words import Words

KIND = "nexta"
GROUP = "goal_closer_gen"


def make(item: StateRecord, words: Words, rng: random.Random) -> QuestionRow | NotAsked:
    """The question for an action that begins a shortest plan; asked where each applicable one is decided."""
    if item.aimless:
        return NotAsked(item.aimless)
    yes, no = item.closer, item.not_closer
    if item.h_star is None or yes is None or no is None or not _share_out(item, [*yes, *no]):
        return NotAsked("next actions not fully decided")
    texts = say(context_of(item, words), KIND, rng)
    answer = {"yes": written(yes), "no": written(no), "maybe": [], "opt": str(item.h_star)}
    return QuestionRow(item, KIND, GROUP, texts, answer, {"yes": proofs_of(yes), "no": proofs_of(no)})


def _share_out(item: StateRecord, decided: list[tuple[str, ...]]) -> bool:
    """Whether ``decided`` holds every applicable action once."""
    return sorted(decided) == [action.step for action in item.applicable]
