"""Queries of the pages: tables, rows of a selection, one row by its id. Nothing is ever written.

All requests use one DuckDB connection over the views of the dataset, each with its own cursor, in its own
thread. The processor time of a query is limited.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.compute as pc

from orrery.dataset.contents import Manifest, read_manifest
from orrery.dataset.selection import (
    MEASURES,
    SPLIT,
    TOKENS,
    Selection,
    expression,
    literal,
    quoted,
    schema_of,
    tables_of,
)
from orrery.dataset.views import connect, in_time, query
from orrery.families import families, tables
from orrery.model import UsageError, suggest
from orrery.store.columns import Table
from orrery.store.kinds import Schema
from orrery.store.shards import splits

SEARCH_SECONDS = 2.0  # of processor time, for one query
FEWER = "search for fewer words, or in one table or split"
PAGE = 50  # rows per page
SNIPPET = 160  # maximum characters of a text in a list
# The first of these columns that a table has is shown in lists of its rows.
SAYS = ("question", "natural_language", "description_concrete", "task", "header")
FEW = 40  # maximum number of offered values of a column
OFFERED = ("domain", "difficulty", "vocabulary", "task", "state_source", "planner")


@dataclass(frozen=True)
class PageOfRows:
    """Some rows of a selection: the total number, the number of the first one, and the columns."""

    total: int
    first: int
    rows: list[dict[str, Any]]


class OpenDataset:
    """A dataset opened for browsing."""

    def __init__(self, dataset: Path) -> None:
        """Open the dataset in a folder.

        Raises:
            OrreryError: it is not ours, or a file is damaged.
        """
        self.dataset = dataset
        self._connection = connect(dataset, limits={"threads": 1})
        self.choices = cache(self._choices)

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest of the dataset."""
        return read_manifest(self.dataset)

    @cached_property
    def schemas(self) -> dict[str, Schema]:
        """The columns of each table with rows, which another version may have written."""
        return {
            name: schema_of(next(iter(by_split.values()))[0])
            for name, by_split in splits(self.dataset).items()
            if name in tables()
        }

    def listed(self, source: str) -> list[str]:
        """Return the tables of a source: the table itself, or the tables of a family that have rows."""
        return [
            name for name in (tables_of(source) if source in families() else [source]) if name in self.schemas
        ]

    def counts(self, selections: Sequence[Selection]) -> list[int]:
        """Return the number of rows of each selection.

        Raises:
            UsageError: the table lacks a column of a condition, or a value is not a number.
        """
        parts = [
            f"select {number} as place, count(*) as n from {one.source}{one.where(self.schema(one.source))}"
            for number, one in enumerate(selections)
        ]
        rows = self._ask(" union all ".join(parts) + " order by place") if parts else []
        return [row["n"] for row in rows]

    def rows(self, selection: Selection, first: int = 0) -> PageOfRows:
        """Return a page of rows of a selection, ordered by id. Errors: see ``counts``."""
        table = selection.source
        schema = self.schema(table)
        names = [name for name in ("domain",) if name in schema.names]
        text_column = next((name for name in SAYS if name in schema.names), "id")
        measured = [
            f"{measure_sql} as {name}"
            for name in MEASURES
            if name != TOKENS and (measure_sql := expression(name, schema))
        ]
        says = f"left(cast({quoted(text_column)} as varchar), {SNIPPET}) as says"
        shown = ["id", says, *names, SPLIT, *measured]
        conditions = selection.where(schema)
        # Counted in the same query, because some conditions, such as those on tokens, are slow on each row.
        select = f"select {', '.join(shown)}, count(*) over () as of from {table}{conditions}"
        rows = self._ask(f"{select} order by id, split limit {PAGE} offset {first}")
        total = [row.pop("of") for row in rows]
        return PageOfRows(total[0] if total else self.counts([selection])[0] if first else 0, first, rows)

    def schema(self, table: str) -> Schema:
        """Return the columns of a table.

        Raises:
            UsageError: the dataset has no rows of the table.
        """
        if table not in self.schemas:
            mend = suggest(table, "tables with rows", self.schemas)
            raise UsageError(f"table '{table}'", "has no rows in this dataset", mend)
        return self.schemas[table]

    def _choices(self, table: str) -> dict[str, list[str]]:
        """Return the values of columns with few distinct values, for selection."""
        values_by_column: dict[str, list[str]] = {}
        names = [name for name in OFFERED if name in self.schema(table).names]
        for name in (SPLIT, *names):
            sql = f"select distinct {name} as v from {table} order by 1 limit {FEW + 1}"
            values = [str(row["v"]) for row in self._ask(sql) if row["v"] is not None]
            if name == SPLIT or 1 < len(values) <= FEW:
                values_by_column[name] = values
        return values_by_column

    def row(self, name: str, table: str = "") -> tuple[str, str, dict[str, Any]]:
        """Return table, split and content of a row by its id (default table: the first with the row).

        Raises:
            UsageError: there is no such row.
        """
        for source in [table] if table else self.schemas:
            self.schema(source)
            answer = self._ask(f"select * from {source} where id = {literal(name)} limit 1")
            if answer:
                row = answer[0]
                return source, row.pop(SPLIT), row
        mend = 'find ids with: orrery query "select id from problems"'
        raise UsageError(f"row '{name}'", "is not in any table", mend)

    def beside(self, table: str, name: str) -> tuple[str | None, str | None]:
        """Return the ids of the rows before and after a row, in the order of ids."""
        sql = (
            f"select (select max(id) from {table} where id < {literal(name)}) as before, "
            f"(select min(id) from {table} where id > {literal(name)}) as after"
        )
        row = self._ask(sql)[0]
        return row["before"], row["after"]

    def belonging(self, problem: str, split: str) -> dict[str, list[str]]:
        """Return, by family, the ids of the rows about a problem, which begin with its id."""
        condition = f"where split = {literal(split)} and starts_with(id, {literal(f'{problem}/')})"
        ids_by_family = {}
        for family in families():
            parts = [f"select id from {name} {condition}" for name in self.listed(family)]
            ids_by_family[family] = (
                [row["id"] for row in self._ask(" union all ".join(parts))] if parts else []
            )
        return {family: ids for family, ids in ids_by_family.items() if ids}

    def of_problem(self, problem: str) -> dict[str, int]:
        """Return the number of rows of each table about a problem."""
        counted = self._by_problem.filter(pc.field("problem_id") == problem)
        return {row["source"]: row["n"] for row in counted.to_pylist()}

    @cached_property
    def _by_problem(self) -> Table:
        """The number of rows by table and problem: a query over all tables takes longer than a page."""
        parts = [
            f"select '{name}' as source, problem_id, count(*) as n from {name} group by problem_id"
            for name, schema in self.schemas.items()
            if "problem_id" in schema.names
        ]
        none = "select '' as source, '' as problem_id, 0 as n"
        return query(self.dataset, " union all ".join(parts or [none]))

    def _ask(self, sql: str) -> list[dict[str, Any]]:
        """Return the rows of one internal SELECT.

        Raises:
            UsageError: DuckDB refuses it, for example because a text is compared with a number; or it takes
                too long.
        """
        try:
            cursor = self._connection.cursor()
            with in_time(cursor, SEARCH_SECONDS, FEWER, _clock_of_this_thread()):
                answer: Any = cursor.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            raise UsageError("these rows", " ".join(str(error).split()), "take another condition") from error
        rows: list[dict[str, Any]] = answer.to_pylist()
        return rows


def _clock_of_this_thread() -> Callable[[], float]:
    """Return a clock of this thread's processor time, for other threads; else that of the process."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    return partial(time.clock_gettime, time.pthread_getcpuclockid(threading.get_ident()))
