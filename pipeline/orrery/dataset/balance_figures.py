"""How often each answer is the right one, where an answer is one of a few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from orrery.dataset.charts import Bar, stacks
from orrery.dataset.selection import rows_of
from orrery.dataset.views import counts_of
from orrery.families import Table, tables
from orrery.store.shards import splits

FEW = 4  # so many answers there are at most
# Of a table, the first that it has says what is answered.
ANSWERS = ("answer", "valid", "solvable")
COLOURS = ("var(--share)", "var(--other)", "var(--third)", "var(--fourth)")


class Balance(NamedTuple):
    """Rows of a table by answer; ``column`` holds the answer."""

    table: str
    column: str
    rows: Mapping[str, int]

    @property
    def total(self) -> int:
        """All rows of the table."""
        return sum(self.rows.values())


class Balanced(NamedTuple):
    """The tables of which an answer is one of a few, together where their answers are the same; drawn."""

    answers: Sequence[str]
    tables: Sequence[Balance]
    svg: str

    def as_json(self) -> list[dict[str, Any]]:
        """Return the figures as plain values."""
        return [{"table": each.table, "rows": dict(each.rows)} for each in self.tables]


def balances(dataset: Path) -> list[Balanced]:
    """Return the tables with few answers, those with the same answers together."""
    groups: dict[tuple[str, ...], list[Balance]] = {}
    for each in _found(dataset):
        groups.setdefault(tuple(each.rows), []).append(each)
    return [Balanced(answers, some, _drawn(answers, some)) for answers, some in sorted(groups.items())]


def _found(dataset: Path) -> Iterator[Balance]:
    there = splits(dataset)
    columns = {
        name: column
        for name, table in sorted(tables().items())
        if name in there and (column := _column(table))
    }
    parts = [
        f"select '{name}' as t, cast({column} as varchar) as answer, count(*) as n from {name} group by all"
        for name, column in columns.items()
    ]
    counts: dict[str, dict[str, int]] = {}
    rows = counts_of(dataset, f"{' union all '.join(parts)} order by all") if parts else []
    for row in sorted(rows, key=lambda row: str(row["answer"])):
        counts.setdefault(row["t"], {})[str(row["answer"])] = row["n"]
    for name, column in columns.items():
        if 1 < len(counts[name]) <= FEW:
            yield Balance(name, column, counts[name])


def _column(table: Table) -> str:
    """Return the column with the answer where it is text or true or false; empty where there is none."""
    if not table.grader or "group" not in table.schema.names:
        return ""
    name = next((name for name in ANSWERS if name in table.schema.names), "")
    kind = table.schema.field(name).type if name else None
    return name if kind in (pa.string(), pa.bool_()) else ""


def _drawn(answers: Sequence[str], some: Sequence[Balance]) -> str:
    bars = [
        Bar(each.table, answer, n, rows_of(each.table, **{each.column: answer}))
        for each in some
        for answer, n in each.rows.items()
    ]
    title = f"Shares of the right answer: {', '.join(answers)}"
    return stacks(title, bars, dict(zip(answers, COLOURS, strict=False)), shares=True)
