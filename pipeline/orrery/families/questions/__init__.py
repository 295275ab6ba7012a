"""Questions about states and plans: open ones, yes/no questions and multiple choice; a module a kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from orrery.config import Settings
from orrery.families import Family, Gold, Table
from orrery.families.questions.attack import attack_of
from orrery.families.questions.cells import added, by_table, promises
from orrery.families.questions.schemas import QUESTIONS
from orrery.families.questions.states import STATES
from orrery.families.task_rows import PROMPT_COLUMNS, PROMPTS, example_rows, task_rows
from orrery.model import Row
from orrery.seeds import stream

FOLDER = "questions"  # below ``outputs``
SHOWN = ("id", "group", "domain", "PDDL_domain", "PDDL_problem", "answer", *PROMPT_COLUMNS)
CLAIMED = ("claim", "claims", "choices")  # what the trace of an example is checked by


def _additions(settings: Settings, table: str, split: str) -> Mapping[str, int]:
    return added(by_table(settings).get((table, split), ()))


def _examples(settings: Settings) -> Iterator[Row]:
    """Yield the worked examples of all tables: the shortest rows; those with an answer come before None."""
    for _, table in sorted(QUESTIONS.items()):
        gold = table.task.gold(table.format)
        claimed = [name for name in CLAIMED if name in table.schema.names]
        columns = list(dict.fromkeys((*SHOWN, *gold.columns, *claimed)))
        yield from example_rows(settings, FOLDER, table.schema, columns, _reply(settings, gold), _length)


def _reply(settings: Settings, gold: Gold) -> Callable[[Row], str]:
    return lambda row: gold.reply(row, stream(settings.seed, "examples", row["id"]))


def _length(row: Row, reply: str) -> tuple[Any, ...]:
    return reply.endswith("None"), len(row["context_both"]), row["id"]


FAMILY = Family(
    tables=tuple(
        Table(
            table.schema,
            task_rows(FOLDER, table.schema, _additions),
            apart=("problem_id",),
            prompts=PROMPTS,
            template="acp",
            gold=table.task.gold(table.format),
            scorer="questions",
            attack=attack_of(table.task, table.format, table.schema.names),
        )
        for table in QUESTIONS.values()
    ),
    intermediate=(STATES,),
    examples=_examples,
    promises=promises,
)
