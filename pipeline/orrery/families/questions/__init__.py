"""Questions about states and plans: open ones, yes/no questions and multiple choice; a module a kind."""

from __future__ import annotations

from collections.abc import Iterator

from orrery.config import Settings
from orrery.families import Family, Row, Table
from orrery.families.questions.rows import PROMPTS, example_rows, question_rows
from orrery.families.questions.schemas import GOLD, QUESTIONS
from orrery.families.questions.states import STATES


def _examples(settings: Settings) -> Iterator[Row]:
    """Yield the worked examples of all tables."""
    for name, schema in sorted(QUESTIONS.items()):
        yield from example_rows(settings, schema, GOLD[name])


FAMILY = Family(
    tables=tuple(
        Table(
            schema,
            question_rows(schema),
            apart=("problem_id",),
            prompts=PROMPTS,
            template="acp",
            gold=GOLD[name],
            grader="questions",
        )
        for name, schema in QUESTIONS.items()
    ),
    intermediate=(STATES,),
    examples=_examples,
)
