"""Contexts whose goal is told in a way of its own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from orrery.families.questions.context import INLINE, WORDINGS, QuestionContext
from orrery.language.words import sentence
from orrery.model import Literal


@dataclass(frozen=True)
class OrderedGoal(QuestionContext):
    """A context that tells its goal literal by literal, in a given order."""

    order: tuple[Literal, ...] = ()

    @cached_property
    def goal(self) -> list[str]:
        """Clauses that the goal asks for."""
        return [self.literal(literal) for literal in self.order]

    @cached_property
    def goal_sentences(self) -> list[str]:
        """Sentences on what the goal asks for, where that is too much for one."""
        return [sentence(clause) for clause in self.goal] if len(self.goal) > INLINE else []


@dataclass(frozen=True)
class ToldGoal(QuestionContext):
    """A context that tells its goal by a passage."""

    passage: str = ""

    @cached_property
    def goal_sentences(self) -> list[str]:
        """The passage."""
        return [self.passage]


def shuffled(context: QuestionContext, order: Sequence[Literal]) -> OrderedGoal:
    """Return the context with its goal in another order."""
    return OrderedGoal(context.record, context.words, context.variants, tuple(order))


def reworded(context: QuestionContext, rng: random.Random) -> QuestionContext:
    """Return the context in other wordings."""
    steps = (1, WORDINGS - 1)  # another wording wherever there are two
    variants = {name: variant + rng.choice(steps) for name, variant in sorted(context.variants.items())}
    return QuestionContext(context.record, context.words, variants)


def told(context: QuestionContext, passage: str) -> ToldGoal:
    """Return the context with a passage for its goal."""
    return ToldGoal(context.record, context.words, context.variants, passage)
