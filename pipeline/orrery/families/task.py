"""A task: what it asks about a state, the columns that only it has, and the replies that are right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from orrery.families import Gold, Row
from orrery.families.drafts import BOOL, MCQ, OPEN, Drafts, DraftsByFormat
from orrery.registry import modules_in
from orrery.store.kinds import Field

if TYPE_CHECKING:
    from orrery.families.plans.source import Source
    from orrery.families.questions.context import QuestionContext
    from orrery.families.questions.distractors import OptionTurn
    from orrery.families.questions.evidence import StateEvidence

Claims: TypeAlias = "Callable[[Task, StateEvidence, QuestionContext, OptionTurn, Random], DraftsByFormat]"


@dataclass(frozen=True)
class Task:
    """A task; the module of its name offers it as ``TASK``.

    A task has its words in a template of its name, a check in ``checks`` and a grader in ``grading``: no
    other file knows of it.

    Attributes:
        name: the name of the module, of the template, and within the names of its tables.
        subject: what it asks about, for the descriptions of its tables.
        group: the published name, by which replies are graded; formats add an ending, ``_gen`` for example.
        draw: yields drafts of rows on a state. Contents are drawn first, words afterwards.
        replies: all right replies to a row, so far as ``reply_columns`` of the row hold them.
        reply_columns: the columns that right replies are written from.
        columns: the columns that only this task has.
        answer: the column of the answer to an open question; None for a task without formats.
        ungraded: the names of those ``columns`` that its grader does not read.
        every_reply: as ``replies``, from all columns, where those of ``reply_columns`` may not hold all.
        reply_form: a whole reply, with ``{}`` for one of ``replies``.
        claims: makes the rows of the formats ``bool`` and ``mcq``; None where the task has none.
            ``bool_mcq.CandidateClaims`` serves tasks that claim facts or actions.
        mcq_ending: the ending of the published name of its multiple-choice questions.
        largest: the largest share of the rows of a part (``fails``) that one stratum of it (``fails/2``) may
            have, so that no stratum is a good guess.
    """

    name: str
    subject: str
    group: str
    draw: Callable[[Source, Random], Drafts]
    replies: Callable[[Row], Sequence[str]]
    reply_columns: tuple[str, ...] = ("answer",)
    columns: tuple[Field, ...] = ()
    answer: Field | None = None
    ungraded: tuple[str, ...] = ()
    every_reply: Callable[[Row], Sequence[str]] | None = None
    reply_form: str = "{}"
    claims: Claims | None = None
    mcq_ending: str = MCQ
    largest: Fraction = Fraction(1)

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats of a question: open, and yes/no and multiple choice where it has claims."""
        if self.answer is None:
            return ()
        return (OPEN, BOOL, MCQ) if self.claims else (OPEN,)

    @property
    def graded(self) -> tuple[str, ...]:
        """The names of the columns, of those that only this task has, that its grader reads."""
        return tuple(column.name for column in self.columns if column.name not in self.ungraded)

    def group_of(self, form: str = "") -> str:
        """Return the published name of the task in a format."""
        return f"{self.group}_{self.mcq_ending if form == MCQ else form}" if form else self.group

    def table_of(self, form: str = "") -> str:
        """Return the name of its table in a format."""
        return f"acp_{self.name}_{form}" if form else self.group

    def gold(self, form: str = "") -> Gold:
        """Return the function that writes a right reply in a format, one of several by a draw."""
        if form in (BOOL, MCQ):
            return Gold(("answer",), lambda row, rng: self.reply_form.format(row["answer"]))
        return Gold(
            self.reply_columns, lambda row, rng: self.reply_form.format(rng.choice(self.replies(row)))
        )


def tasks_in(package: str, folders: Iterable[str]) -> Mapping[str, Task]:
    """Return the tasks that the modules of a package offer, by name, sorted."""
    modules = modules_in(package, folders)
    return MappingProxyType({name: module.TASK for name, module in modules.items()})
