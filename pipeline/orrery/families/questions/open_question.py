"""Open questions: convert the answer that a task draws to a row in words and in PDDL."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from orrery.families.drafts import OPEN, Draft, Drafts, Rejected
from orrery.families.questions.context import context_of, render
from orrery.families.questions.question_row import question_columns
from orrery.families.questions.state_record import StateRecord
from orrery.families.task import Task
from orrery.language.words import Words
from orrery.model import Row
from orrery.store.kinds import Field

if TYPE_CHECKING:
    from orrery.families.plans.source import Source


@dataclass(frozen=True)
class OpenQuestion:
    """An open question on a state; ``answer`` has the stored format.

    ``arguments`` are the arguments of the macro ``question`` in the task's template. ``proofs`` gives, for
    each stored list, how its elements are known, in their order. ``extra`` has the columns of this task only.
    ``rules`` are replies that do not depend on the state, with the part of the row that each gets right (see
    ``blind``). ``needs`` tells what a correct reply requires, if this affects which rows are kept.
    """

    answer: Any
    arguments: tuple[object, ...] = ()
    proofs: Mapping[str, list[str]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    rules: tuple[tuple[str, int], ...] = ()
    needs: str = ""


Ask = Callable[[StateRecord, random.Random], OpenQuestion]


@dataclass(frozen=True)
class QuestionDraw:
    """Draws the open question of a task on a state: the result of ``ask``, in words and in PDDL."""

    name: str
    group: str
    ask: Ask

    def __call__(self, source: Source, rng: random.Random) -> Drafts:
        """Yield the draft of one row, or the reason for having none."""
        try:
            yield self.draft(source.record, source.words, rng)
        except Rejected as rejected:
            yield rejected

    def draft(self, record: StateRecord, words: Words, rng: random.Random) -> Draft:
        """Return the draft of the open question on a state; raise the reason for having none."""
        question = self.ask(record, rng)
        texts = render(context_of(record, words), self.name, rng, *question.arguments)
        row = question_columns(
            record, self.name, self.group, texts, question.answer, question.proofs, question.extra
        )
        return Draft((row,), question.needs, shifts=question.rules)


def question_task(
    *, name: str, subject: str, group: str, ask: Ask, answer: Field, replies: Callable[[Row], Sequence[str]],
    **options: Any,
) -> Task:  # fmt: skip
    """Return the task of an open question; ``options`` are further attributes of the task.

    Args:
        name: the name of the task.
        subject: what it asks for.
        group: the published name without the suffix of a format.
        ask: returns the open question on a state, or raises the reason for having none.
        answer: the column of the answer.
        replies: returns all correct answers to a row, without introductory words.
        options: further attributes of ``Task``.
    """
    draw = QuestionDraw(name, f"{group}_{OPEN}", ask)
    return Task(name, subject, group, draw, replies, answer=answer, reply_form="ANSWER: {}", **options)
