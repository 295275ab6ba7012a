"""Questions about states and plans: one module a kind, found by looking in this folder."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Iterator
from typing import Protocol, cast

from orrery.config import Settings
from orrery.families import Family, Row, Table
from orrery.families.questions.item import NotAsked, QuestionRow, StateRecord
from orrery.families.questions.replies import gold_of
from orrery.families.questions.rows import example_rows, question_rows
from orrery.families.questions.schemas import QUESTIONS
from orrery.families.questions.states import STATES
from orrery.language.words import Words

PROMPTS = {
    "words": ("context", "question"),
    "pddl": ("context_pddl", "question_pddl"),
    "both": ("context_both", "question"),
}


class QuestionKind(Protocol):
    """What a module of a question kind offers."""

    KIND: str
    GROUP: str

    def make(self, item: StateRecord, words: Words, rng: random.Random) -> QuestionRow | NotAsked:
        """The row of this kind for a state, or why there is none."""


def question_kinds() -> dict[str, QuestionKind]:
    """The kinds of question by name, sorted: every module here that has a ``KIND``."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    found = [cast(QuestionKind, module) for module in modules if hasattr(module, "KIND")]
    return {kind.KIND: kind for kind in found}


def _examples(settings: Settings) -> Iterator[Row]:
    """The worked examples of all tables."""
    for name, schema in sorted(QUESTIONS.items()):
        yield from example_rows(settings, schema, gold_of(name))


FAMILY = Family(
    tables=tuple(
        Table(
            schema,
            question_rows(schema),
            apart=("problem_id",),
            prompts=PROMPTS,
            template="acp",
            gold=gold_of(name),
            grader="questions",
        )
        for name, schema in QUESTIONS.items()
    ),
    intermediate=(STATES,),
    examples=_examples,
)
