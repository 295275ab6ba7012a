"""How often each answer is the right one, in tables with few answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from orrery.dataset.charts import Bar, stacks
from orrery.dataset.selection import rows_of
from orrery.dataset.views import counts_of
from orrery.families import Table, tables
from orrery.store.shards import splits

FEW = 4  # answers at most
ANSWERS = ("answer", "valid", "solvable")  # columns; the first that a table has is its answer
COLOURS = ("var(--share)", "var(--other)", "var(--third)", "var(--fourth)")


class AnswerCounts(NamedTuple):
    """Rows of a table by answer; ``column`` holds the answer."""

    table: str
    column: str
    rows: Mapping[str, int]


class AnswerBalance(NamedTuple):
    """Tables with the same few answers, and their chart."""

    answers: Sequence[str]
    tables: Sequence[AnswerCounts]
    svg: str

    def as_json(self) -> list[dict[str, Any]]:
        """Return the figures as plain values."""
        return [{"table": counts.table, "rows": counts.rows} for counts in self.tables]


def answer_balances(dataset: Path) -> list[AnswerBalance]:
    """Return the tables with few answers, grouped by their answers."""
    by_answers: dict[tuple[str, ...], list[AnswerCounts]] = {}
    for counts in _answer_counts(dataset):
        if 1 < len(counts.rows) <= FEW:
            by_answers.setdefault(tuple(counts.rows), []).append(counts)
    return [
        AnswerBalance(answers, counts, _chart(answers, counts))
        for answers, counts in sorted(by_answers.items())
    ]


def _answer_counts(dataset: Path) -> list[AnswerCounts]:
    names = splits(dataset).keys() & tables().keys()
    columns = {name: column for name in sorted(names) if (column := _answer_column(tables()[name]))}
    selects = [
        f"select '{name}' as name, {column}::varchar as answer from {name}"
        for name, column in columns.items()
    ]
    sql = f"select name, answer, count(*) as n from ({' union all '.join(selects)}) group by all order by all"
    rows: dict[str, dict[str, int]] = {name: {} for name in columns}
    for row in counts_of(dataset, sql) if selects else ():
        rows[row["name"]][row["answer"]] = row["n"]
    return [AnswerCounts(name, column, rows[name]) for name, column in columns.items()]


def _answer_column(table: Table) -> str:
    """Return the column with the answer if it is text or a truth value; empty otherwise."""
    if not table.scorer or "group" not in table.schema.names:
        return ""
    name = next((name for name in ANSWERS if name in table.schema.names), "")
    return name if name and table.schema.field(name).type in (pa.string(), pa.bool_()) else ""


def _chart(answers: Sequence[str], balance: Sequence[AnswerCounts]) -> str:
    bars = [
        Bar(counts.table, answer, n, rows_of(counts.table, **{counts.column: answer}))
        for counts in balance
        for answer, n in counts.rows.items()
    ]
    title = f"Shares of the right answer: {', '.join(answers)}"
    return stacks(title, bars, dict(zip(answers, COLOURS, strict=False)), shares=True)
