"""The interface of a kind of question: the record ``KIND`` of every module in ``kinds``."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from orrery.families import Gold, Row
from orrery.families.questions.context import QuestionContext, context_of, render
from orrery.families.questions.distractors import Turn
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.question_row import OPEN, ClaimRows, NotAsked, QuestionRow, QuestionTexts
from orrery.families.questions.state_record import StateRecord
from orrery.language.words import Words
from orrery.store.kinds import Field

BOOL, MCQ = "bool", "mcq"
FORMATS = (BOOL, MCQ)  # of claims


@dataclass(frozen=True)
class OpenQuestion:
    """An open question on a state; ``answer`` as its table stores it.

    ``arguments`` go to the macro ``question`` of the kind's template. ``proofs`` says of each stored list how
    its elements are known, in their order; ``extra`` holds the columns that only this kind has. ``rules``
    are replies that need no look at the state, and how much of the row each gets right (see ``blind``).
    ``needs`` says what a right reply takes, where that decides which rows are kept.
    """

    answer: Any
    arguments: tuple[object, ...] = ()
    proofs: Mapping[str, list[str]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    rules: tuple[tuple[str, int], ...] = ()
    needs: str = ""


@dataclass(frozen=True)
class Kind:
    """A kind of question: how it is asked, what its tables hold, and which replies are right.

    Besides this record, which a module ``kinds/<name>.py`` offers as ``KIND``, a kind has its words in
    ``templates/questions/<name>.j2``, a check in ``checks/questions/kinds/<name>.py`` and a grader in
    ``grading/kinds/<name>.py``: no other file knows of it.

    Attributes:
        name: the name of the module, of its words, and within the names of its tables.
        subject: what it asks about, for the descriptions of its tables.
        group: the published name; those of its formats add an ending, ``_gen`` and ``_bool`` for example.
        ask: makes the open question on a state, or says why there is none. The generator decides what is
            drawn; the words are drawn from it afterwards.
        answer: the column of the answer to an open question; ``columns`` are those that only this kind has.
        ungraded: the names of those ``columns`` that its grader does not look at.
        replies: all right replies to an open row, so far as ``reply_columns`` of the row hold them.
        claims: makes the rows of the formats ``bool`` and ``mcq``; None where a kind has none.
            ``bool_mcq.CandidateClaims`` serves kinds that claim facts or actions.
        mcq_ending: what ends the published name of its multiple-choice questions.
        every_reply: as ``replies``, from all columns, where those of ``reply_columns`` may not hold all.
    """

    name: str
    subject: str
    group: str
    ask: Callable[[StateRecord, random.Random], OpenQuestion | NotAsked]
    answer: Field
    replies: Callable[[Row], Sequence[str]]
    columns: tuple[Field, ...] = ()
    ungraded: tuple[str, ...] = ()
    reply_columns: tuple[str, ...] = ("answer",)
    claims: Callable[[Kind, StateEvidence, QuestionContext, Turn, random.Random], ClaimRows] | None = None
    mcq_ending: str = MCQ
    every_reply: Callable[[Row], Sequence[str]] | None = None

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats of the kind: open questions, and yes/no and multiple choice where it has claims."""
        return (OPEN, *FORMATS) if self.claims else (OPEN,)

    @property
    def graded(self) -> tuple[str, ...]:
        """The names of the columns, of those that only this kind has, that its grader looks at."""
        return tuple(each.name for each in self.columns if each.name not in self.ungraded)

    def group_of(self, form: str) -> str:
        """Return the published name of the kind in a format."""
        return f"{self.group}_{self.mcq_ending if form == MCQ else form}"

    def table_of(self, form: str) -> str:
        """Return the name of its table in a format."""
        return f"acp_{self.name}_{form}"

    def question(self, record: StateRecord, words: Words, rng: random.Random) -> QuestionRow | NotAsked:
        """Ask the open question on a state, or say why not."""
        asked = self.ask(record, rng)
        if isinstance(asked, NotAsked):
            return asked
        texts = render(context_of(record, words), self.name, rng, *asked.arguments)
        made = self.row(record, texts, asked.answer, OPEN, asked.proofs, asked.extra)
        return replace(made, rules=asked.rules, needs=asked.needs)

    def row(
        self, record: StateRecord, texts: QuestionTexts, answer: Any, form: str,
        proofs: Mapping[str, list[str]], extra: Mapping[str, Any],
    ) -> QuestionRow:  # fmt: skip
        """Make a row of this kind."""
        return QuestionRow(record, self.name, self.group_of(form), texts, answer, proofs, extra, form)

    def gold(self, form: str) -> Gold:
        """Return the function that writes a right reply in a format, one of several by a draw."""
        if form == OPEN:
            return Gold(self.reply_columns, lambda row, rng: f"ANSWER: {rng.choice(self.replies(row))}")
        return Gold(("answer",), lambda row, rng: f"ANSWER: {row['answer']}")
