"""Contexts whose goal is told in a way of its own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from orrery.families.questions.context import (
    INLINE,
    PARTS,
    TURN_OF_PROSE,
    TURNS,
    QuestionContext,
    ordinary,
    symbols_of,
)
from orrery.language.choices import ChosenText
from orrery.language.words import listing, sentence
from orrery.model import EQUAL, Literal

NOTHING = ChosenText("", False)


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

    @property
    def prose_goal(self) -> list[str]:
        """Sentences on what the goal asks for."""
        return [sentence(clause) for clause in self.goal]

    @property
    def _goal_apart(self) -> bool:
        """Whether wording of the goal is held out."""
        return self._any_apart("fact", {literal.atom[0] for literal in self.order} - {EQUAL})

    @property
    def goal_clause(self) -> str:
        """What the goal asks for as a clause, where it is short and nothing is denied."""
        is_short = len(self.goal) <= INLINE and all(literal.positive for literal in self.order)
        return listing(self.goal) if is_short else ""


@dataclass(frozen=True)
class ProseGoal(QuestionContext):
    """A context that tells its goal by a passage."""

    passage: ChosenText = NOTHING

    @cached_property
    def goal_sentences(self) -> list[str]:
        """The passage."""
        return [self.passage.text]

    @property
    def prose_goal(self) -> list[str]:
        """The passage."""
        return [self.passage.text]

    @property
    def _goal_apart(self) -> bool:
        """Whether wording of the passage is held out."""
        return self.passage.held_out

    @property
    def goal_clause(self) -> str:
        """Nothing: the passage is told in sentences."""
        return ""


def shuffled(context: QuestionContext, order: Sequence[Literal]) -> OrderedGoal:
    """Return the context with its goal in another order."""
    fields = context.record, context.words, context.variants, context.style, context.held
    return OrderedGoal(*fields, tuple(order))


def reworded(context: QuestionContext, rng: random.Random) -> QuestionContext:
    """Return the context in other wordings, none of them held out but those of the introduction and lists."""
    variants = {part: rng.randrange(TURNS) for part in (*PARTS, TURN_OF_PROSE)}
    for kind, symbol in symbols_of(context.record.domain):
        count = ordinary(context.words.variants(kind, symbol))
        step = rng.choice((1, count - 1))  # another wording wherever there are two
        variants[f"{kind} {symbol}"] = (context.variants[f"{kind} {symbol}"] + step) % count
    return QuestionContext(context.record, context.words, variants, context.style, context.held)


def told(context: QuestionContext, passage: ChosenText) -> ProseGoal:
    """Return the context with a passage for its goal."""
    fields = context.record, context.words, context.variants, context.style, context.held
    return ProseGoal(*fields, passage)
