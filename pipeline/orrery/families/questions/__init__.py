"""Questions about states and plans: one module a kind, found by looking in this folder."""

from __future__ import annotations

import importlib
import pkgutil
import random
from typing import Protocol, cast

from orrery.families.questions.item import NotAsked, QuestionRow, StateRecord
from orrery.language.words import Words


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
