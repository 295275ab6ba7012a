"""Choosing the worked examples of prompts among the questions on domains that no table asks about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.dataset.examples import COLUMNS, EACH
from orrery.dataset.replies import reply_of
from orrery.families.questions.schemas import QUESTIONS
from orrery.seeds import stream
from orrery.store.shards import read_rows

Row = dict[str, Any]


def example_rows(settings: Settings) -> Iterator[Row]:
    """At most ``EACH`` rows of every question table, each from another domain: the shortest that it has.

    A row that has something to say goes before one whose answer is None.
    """
    names = [name for name in settings.domains if not entry_of(settings.root, name).description.questions]
    for table in sorted(QUESTIONS):
        shortest = (_shortest(settings, name, table) for name in names)
        yield from islice((row for row in shortest if row is not None), EACH)


def _shortest(settings: Settings, name: str, table: str) -> Row | None:
    path = settings.outputs / "questions" / name / f"{table}.parquet"
    rows = list(read_rows(path, QUESTIONS[table])) if path.exists() else []
    if not rows:
        return None
    columns, reply = reply_of(table)
    said = {row["id"]: reply(row, stream(settings.seed, "examples", row["id"])) for row in rows}
    row = min(rows, key=lambda row: (said[row["id"]].endswith("None"), len(row["context_both"]), row["id"]))
    return {column: row[column] for column in (*COLUMNS, *columns)} | {
        "table": table,
        "reply": said[row["id"]],
    }
