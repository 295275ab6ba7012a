"""Questions about states and plans: open ones, yes/no questions and multiple choice; a module a kind."""

from __future__ import annotations

from collections.abc import Iterator

from orrery.config import Settings
from orrery.families import Family, Row, Table
from orrery.families.questions.attack import attack_of
from orrery.families.questions.cells import promises
from orrery.families.questions.rows import PROMPTS, example_rows, question_rows
from orrery.families.questions.schemas import QUESTIONS
from orrery.families.questions.states import STATES


def _examples(settings: Settings) -> Iterator[Row]:
    """Return the worked examples of all tables."""
    for _, table in sorted(QUESTIONS.items()):
        yield from example_rows(settings, table.schema, table.kind.gold(table.format))


FAMILY = Family(
    tables=tuple(
        Table(
            table.schema,
            question_rows(table.schema),
            apart=("problem_id",),
            prompts=PROMPTS,
            template="acp",
            gold=table.kind.gold(table.format),
            scorer="questions",
            attack=attack_of(table.kind, table.format, table.schema.names),
        )
        for table in QUESTIONS.values()
    ),
    intermediate=(STATES,),
    examples=_examples,
    promises=promises,
)
