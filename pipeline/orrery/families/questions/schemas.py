"""The columns of the question tables: open questions of every kind, yes/no and multiple choice of most kinds.

The published columns come first, with their names and types, so that graders of the published sets can read
our rows; our own columns follow.
"""

from __future__ import annotations

from typing import NamedTuple

from orrery.families.drafts import BOOL, MCQ, OPEN
from orrery.families.questions.kinds import question_kinds
from orrery.families.task import Task
from orrery.problems.schemas import shared
from orrery.store.kinds import INT, STRING, STRINGS, Schema, column, struct, table

_PDDL = (
    column("PDDL_domain", STRING, "The domain in PDDL"),
    column("PDDL_problem", STRING, "The problem in PDDL; its init is the state asked about"),
)
_OURS = (
    *shared("domain", "problem_id"),
    column("kind", STRING, "Kind of the question"),
    *shared("context_pddl", "context_both", "question_pddl", "style", "unseen_templates", "state_source"),
    column("state_step", INT, "Number of steps between the initial state and the state asked about"),
    *shared("difficulty", "names", "num_objects"),
    *(column.with_nullable(False) for column in shared("num_facts", "num_actions")),
    *shared("num_states"),
    column("num_applicable_actions", INT, "Number of actions applicable in the state"),
    column("h_star", INT, "Fewest actions from the state to the goal; null if not proven", nullable=True),
    column("proofs", STRING, "JSON: how each stored element of the answer is known"),
    *shared("seen", "seed_path"),
)  # fmt: skip
_ASKED = (
    column(
        "id",
        STRING,
        "Name of the row: `<problem>/<source>-<step>/<kind>`, the format if not open, `/2` if a second one",
    ),
    column("group", STRING, "Kind and format of the question"),
    column("context", STRING, "The domain, the state and what the question needs, in words"),
)
# Columns that graders of all kinds read, in addition to those of one kind; a table has some of them.
_GRADED = ("group", "question", "answer", "choices", "choices_pddl", "PDDL_domain", "PDDL_problem")


def _schema(task: Task, form: str) -> Schema:
    """Return the columns of the table of a task in a format."""
    questions, asked, extra = _FORMATS.get(form) or ("Open questions", (_QUESTION, task.answer), task.columns)
    about = f"{questions} on {task.subject}"
    return table(task.table_of(form), about, *_ASKED, *asked, *_PDDL, *_OURS, *extra)


_QUESTION = column("question", STRING, "The question")
# Of formats that are alike in all tasks: the name, the columns of the question, and further ones.
_FORMATS = {
    BOOL: (
        "Yes/no questions",
        (_QUESTION, column("answer", STRING, "`yes` or `no`")),
        (
            column("claim", STRING, "JSON: the claim that is asked about, in PDDL"),
            column("form", STRING, "Kind of the claim: how it was made"),
        ),
    ),
    MCQ: (
        "Multiple-choice questions",
        (
            column("question", STRING, "The question with its four options"),
            column("choices", struct("text", "label"), "The options and their labels, in order"),
            column("query", STRING, "The question without its options"),
            column("answer", STRING, "Label of the right option"),
        ),
        (
            column("choices_pddl", STRINGS, "The options in PDDL"),
            column("claims", STRING, "JSON: what each option claims, in PDDL"),
            column("forms", STRINGS, "Kind of each option: how it was made"),
        ),
    ),
}


class QuestionTable(NamedTuple):
    """A table of questions: its task, its format, and its columns."""

    task: Task
    format: str
    schema: Schema

    @property
    def short(self) -> str:
        """The short name of the table in summaries and rejects: ``app_gen``."""
        return f"{self.task.name}_{self.format}"

    @property
    def graded(self) -> tuple[str, ...]:
        """The columns that are needed to grade a reply."""
        names = {*_GRADED, *self.task.graded}
        return tuple(name for name in self.schema.names if name in names)


QUESTIONS = {
    task.table_of(form): QuestionTable(task, form, _schema(task, form))
    for form in (OPEN, BOOL, MCQ)
    for task in question_kinds().values()
    if form in task.formats
}
