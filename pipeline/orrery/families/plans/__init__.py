"""Questions on making, checking, reusing and executing plans: tables ``plan_<task>``, one module each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from orrery.config import Settings
from orrery.families import Family, Table
from orrery.families.plans.attack import attack_of
from orrery.families.plans.plan_task import COMMON
from orrery.families.plans.source import PLAIN
from orrery.families.plans.tasks import PLANS, plan_tasks
from orrery.families.task import Task
from orrery.families.task_rows import PROMPT_COLUMNS, PROMPTS, example_rows, task_rows
from orrery.model import Row

FOLDER = "plans"  # below ``outputs``
# Columns of an example in addition to those of its task: those that graders read.
SHOWN = ("id", "group", "domain", "domain_pddl", "problem_pddl", "nl_templates", *PROMPT_COLUMNS)


def _examples(settings: Settings) -> Iterator[Row]:
    """Yield the worked examples of all tables: the shortest rows in plain words."""
    common = {column.name for column in COMMON} - {*SHOWN, "vocabulary"}
    for name, task in plan_tasks().items():
        columns = [column for column in PLANS[name].names if column not in common]
        order = [*SHOWN, *(column.name for column in task.columns), "table", "reply"]
        for row in example_rows(settings, FOLDER, PLANS[name], columns, _reply(task), _length, _is_plain):
            yield {column: row[column] for column in (*order, "trace", "trace_in_words") if column in row}


def _reply(task: Task) -> Callable[[Row], str]:
    return lambda row: task.replies(row)[0]


def _is_plain(row: Row) -> bool:
    return bool(row["vocabulary"] == PLAIN)


def _length(row: Row, _reply: str) -> tuple[Any, ...]:
    return len(row["context_both"]) + len(row["question"]), row["id"]


FAMILY = Family(
    tables=tuple(
        Table(
            PLANS[name],
            task_rows(FOLDER, PLANS[name]),
            apart=("problem_id",),
            prompts=PROMPTS,
            template="plans",
            gold=task.gold(),
            scorer="plans",
            attack=attack_of(task),
        )
        for name, task in plan_tasks().items()
    ),
    examples=_examples,
)
