"""All questions in one table with one schema, in addition to the typed tables: ``views/questions``.

Each kind and format has its own table, because their answers have different types. To read all questions at
once, in a viewer or a loop, use this view: answers, and the fields that the graders need, are stored as JSON.
It duplicates rows of other tables, so it is not included in row counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from orrery.families import Table, families
from orrery.families.questions.schemas import QUESTIONS
from orrery.model import Row
from orrery.problems.schemas import shared
from orrery.seeds import stream
from orrery.store import shards
from orrery.store.columns import batches
from orrery.store.kinds import INT, STRING, STRINGS, as_json, column, table

NAME = "questions"
FAMILY = "questions"
AT_A_TIME = 100  # rows of each table in turn

QUESTIONS_VIEW = table(
    NAME,
    "All rows of the tables of questions in one form, answers as JSON",
    column("id", STRING, "Name of the row, as in its own table"),
    column("table", STRING, "The table of the row, which has more columns of it: `acp_<kind>_<format>`"),
    column("kind", STRING, "Kind of the question"),
    column("format", STRING, "`gen` (open), `bool` (yes or no) or `mcq` (multiple choice)"),
    *shared("domain", "problem_id"),
    column("context", STRING, "The domain, the state and what the question needs, in words"),
    column("question", STRING, "The question"),
    column("choices", STRINGS, "What there is to choose from, from A on; empty where there is no choice"),
    column("answer", STRING, "JSON: the answer, as the table of the row has it"),
    column("reply", STRING, "A right reply, as text"),
    *shared("difficulty", "num_objects"),
    column(
        "h_star", INT, "Fewest actions from the state to the goal; null if not proven", nullable=True
    ),
    column("grader_input", STRING, "JSON: what grade(reply, json.loads(row['grader_input'])) needs"),
)  # fmt: skip

SAME = ("id", "kind", "domain", "problem_id", "context", "question", "difficulty", "num_objects", "h_star")


def write_question_view(dataset: Path, seed: int) -> dict[str, int]:
    """Write the files of the view from the tables in ``dataset``; return the number of rows per split.

    Rows of the tables alternate, so that the first rows show all kinds. ``seed`` selects the reply if several
    are right.
    """
    files = shards.splits(dataset)
    tables = [table for table in families()[FAMILY].tables if table.name in files]
    counts = {}
    for split in shards.SPLITS:
        rows = _in_turn(_rows(table, files[table.name].get(split, []), seed) for table in tables)
        written = shards.write_table_shards(
            dataset, QUESTIONS_VIEW, split, batches(QUESTIONS_VIEW, rows, AT_A_TIME), folder=shards.VIEWS
        )
        if written:
            counts[split] = sum(map(shards.count, written))
    return counts


def uniform(row: Row, table: Table, reply: str) -> dict[str, Any]:
    """Return a row of a table of questions with the schema of the view."""
    graded = {name: row[name] for name in QUESTIONS[table.name].graded if row.get(name) is not None}
    return {
        **{name: row[name] for name in SAME},
        "table": table.name,
        "format": table.name.rpartition("_")[2],
        "choices": list(row["choices"]["text"]) if "choices" in row else [],
        "answer": as_json(row["answer"]),
        "reply": reply,
        "grader_input": as_json(graded),
    }


def _rows(table: Table, paths: Iterable[Path], seed: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table with the schema of the view."""
    if table.gold is None:
        raise ValueError(f"table {table.name} asks for no reply")
    wanted = {*SAME, *QUESTIONS[table.name].graded, *table.gold.columns}
    columns = [name for name in table.schema.names if name in wanted]
    for path in paths:
        for batch in shards.read_batches(path, columns=columns, size=AT_A_TIME):
            for row in batch.to_pylist():
                yield uniform(row, table, table.gold.reply(row, stream(seed, NAME, row["id"])))


def _in_turn(sources: Iterable[Iterator[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    for round_of_batches in zip_longest(*sources):
        yield from (row for row in round_of_batches if row is not None)
