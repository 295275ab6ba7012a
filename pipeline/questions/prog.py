"""Progression: what one action changes in a state."""

from __future__ import annotations

import random

from pipeline.pddl.write import write_atom
from pipeline.questions.item import Asked, NotAsked, QuestionRow, written
from pipeline.questions.setting import draw_setting, say
from pipeline.semantics.progression import progress
from pipeline.words import Words

KIND = "prog"
GROUP = "progression_gen"


def make(item: Asked, words: Words, rng: random.Random) -> QuestionRow | NotAsked:
    """The question for the effects of one applicable action, preferably one that has effects."""
    if not item.applicable:
        return NotAsked("no applicable action")
    before = item.task.init
    changing = [action for action in item.applicable if progress(before, action) != before]
    action = rng.choice(changing or item.applicable)
    after = progress(before, action)
    setting = draw_setting(item, words, rng)
    context, question = say(setting, KIND, setting.action(action.step), write_atom(action.step))
    answer = {
        "pos": written(item.task.facts_of(after & ~before)),
        "neg": written(item.task.facts_of(before & ~after)),
    }
    return QuestionRow(item, KIND, GROUP, context, question, answer)
