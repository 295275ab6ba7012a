"""The rows of the plan tables, and the worked examples that their prompts show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.families import Rows
from orrery.families.plans.schemas import COMMON
from orrery.families.plans.source import PLAIN
from orrery.families.plans.task import PlanTask
from orrery.families.problems.rows import of_split
from orrery.store.columns import Table
from orrery.store.kinds import Schema, table_name
from orrery.store.lookup import groups
from orrery.store.shards import read_rows

EACH = 2  # examples of a table
PROMPTS = {
    "words": ("context", "question"),
    "pddl": ("context_pddl", "question_pddl"),
    "both": ("context_both", "question"),
}
SHOWN = tuple(  # besides what is particular to a task, as much as its grader reads
    dict.fromkeys(
        ["id", "group", "domain", "domain_pddl", "problem_pddl", "phrases", *chain(*PROMPTS.values())]
    )
)


def plan_rows(schema: Schema) -> Rows:
    """Return the maker of the rows of the table of ``schema``; example domains yield none."""
    file = f"{table_name(schema)}.parquet"

    def rows(settings: Settings, split: str, only: Sequence[str] | None = None) -> Iterator[Table]:
        """Yield the rows whose problems are in the split."""
        columns = None if only is None else sorted({*only, "problem_id"})
        for name in settings.domains:
            if entry_of(settings.root, name).description.questions:
                for posed in groups(settings.outputs / "plans" / name / file, schema, columns):
                    yield of_split(posed, name, split)

    return rows


def example_rows(settings: Settings, schema: Schema, task: PlanTask) -> Iterator[dict[str, Any]]:
    """Yield at most ``EACH`` rows of a table, the shortest of each domain that no table asks about."""
    names = [name for name in settings.domains if not entry_of(settings.root, name).description.questions]
    shortest = (_shortest(settings, name, schema, task) for name in names)
    yield from islice((row for row in shortest if row is not None), EACH)


def _shortest(settings: Settings, name: str, schema: Schema, task: PlanTask) -> dict[str, Any] | None:
    path = settings.outputs / "plans" / name / f"{task.table}.parquet"
    rows = read_rows(path, schema) if path.exists() else ()
    row = min(
        (row for row in rows if row["vocabulary"] == PLAIN),
        key=lambda row: (len(row["context_both"]) + len(row["question"]), row["id"]),
        default=None,
    )
    if row is None:
        return None
    own = [column for column in schema.names if column not in {field.name for field in COMMON}]
    return {column: row[column] for column in (*SHOWN, *own)} | {"table": task.table, "reply": task.gold(row)}
