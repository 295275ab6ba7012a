"""Progression: what one action changes in a state."""

from __future__ import annotations

import random

from orrery.families.questions.context import context_of, say
from orrery.families.questions.item import NotAsked, QuestionRow, StateRecord, drawn, written
from orrery.language.words import Words
from orrery.pddl.write import write_atom
from orrery.semantics.progression import progress

KIND = "prog"
GROUP = "progression_gen"


def make(item: StateRecord, words: Words, rng: random.Random) -> QuestionRow | NotAsked:
    """The question for the effects of one applicable action, preferably one that has effects."""
    if not item.applicable:
        return NotAsked("no applicable action")
    before = item.task.init
    changing = [action for action in item.applicable if progress(before, action) != before]
    action = drawn(changing or item.applicable, rng)
    after = progress(before, action)
    setting = context_of(item, words)
    texts = say(setting, KIND, rng, setting.action(action.step), write_atom(action.step))
    answer = {
        "pos": written(item.task.facts_of(after & ~before)),
        "neg": written(item.task.facts_of(before & ~after)),
    }
    return QuestionRow(item, KIND, GROUP, texts, answer)
