"""A task: its question about a state, its own columns, and the correct replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from orrery.families import Gold
from orrery.families.drafts import BOOL, MCQ, OPEN, Drafts, DraftsByFormat
from orrery.model import Row
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
    """A task; the module of the same name defines it as ``TASK``.

    A task has its words in a template of its name, a check in ``checks`` and a grader in ``grading``; no
    other file depends on it.

    Attributes:
        name: the name of the module and the template; a part of the names of its tables.
        subject: what it asks for, used in the descriptions of its tables.
        group: the published name that selects the grader; formats add a suffix, for example ``_gen``.
        draw: yields drafts of rows on a state. It draws contents first and words afterwards.
        replies: returns all correct replies to a row, as far as ``reply_columns`` of the row contain them.
        reply_columns: the columns for the correct replies.
        columns: the columns of this task only.
        answer: the column of the answer to an open question; None for a task without formats.
        ungraded: the names of those ``columns`` that its grader does not read.
        every_reply: like ``replies``, from all columns, for tasks whose ``reply_columns`` may not contain
            all.
        reply_form: a whole reply, with ``{}`` for one of ``replies``.
        claims: makes the rows of the formats ``bool`` and ``mcq``; None for a task without them.
            ``bool_mcq.CandidateClaims`` serves tasks that claim facts or actions.
        tells_goal: whether its text states the goal; otherwise, problems that differ in the goal give the
            same text.
        mcq_ending: the suffix of the published name of its multiple-choice questions.
        largest: the maximum share of one stratum (``fails/2``) among the rows of its part (``fails``), so
            that no stratum is a good guess.
        led: the parts that have fewer rows than another part, which is the value: a quarter of both, at most.
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
    tells_goal: bool = True
    mcq_ending: str = MCQ
    largest: Fraction = Fraction(1)
    led: Mapping[str, str] = field(default_factory=dict)

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats of a question: open, and also yes/no and multiple choice if the task has claims."""
        if self.answer is None:
            return ()
        return (OPEN, BOOL, MCQ) if self.claims else (OPEN,)

    @property
    def graded(self) -> tuple[str, ...]:
        """The names of those columns of this task that its grader reads."""
        return tuple(column.name for column in self.columns if column.name not in self.ungraded)

    def group_of(self, form: str = "") -> str:
        """Return the published name of the task in a format."""
        return f"{self.group}_{self.mcq_ending if form == MCQ else form}" if form else self.group

    def table_of(self, form: str = "") -> str:
        """Return the name of its table in a format."""
        return f"acp_{self.name}_{form}" if form else self.group

    def gold(self, form: str = "") -> Gold:
        """Return the function that writes a correct reply in a format, drawn from several."""
        if form in (BOOL, MCQ):
            return Gold(("answer",), lambda row, rng: self.reply_form.format(row["answer"]))
        return Gold(
            self.reply_columns, lambda row, rng: self.reply_form.format(rng.choice(self.replies(row)))
        )


def tasks_in(package: str, folders: Iterable[str]) -> Mapping[str, Task]:
    """Return the tasks in the modules of a package, by name, sorted."""
    modules = modules_in(package, folders)
    return MappingProxyType({name: module.TASK for name, module in modules.items()})
