"""What the pages read: tables, some rows of a selection, one row by its name. Nothing is ever written.

One DuckDB connection over the views of the dataset serves all requests, each with a cursor of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

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
from orrery.dataset.views import connect
from orrery.families import families, tables
from orrery.model import UsageError
from orrery.store.kinds import Schema
from orrery.store.shards import splits

PAGE = 50  # rows on a page
SNIPPET = 160  # characters of a text in a list
# Of a table, the first that it has is shown in lists of its rows.
SAYS = ("question", "natural_language", "description_abstract", "task", "header")
FEW = 40  # so many values of a column are offered at most
OFFERED = ("domain", "difficulty", "vocabulary", "task", "state_source", "planner")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class PageOfRows:
    """Some rows of a selection: how many there are in all, the number of the first one, and the columns."""

    total: int
    first: int
    rows: list[dict[str, Any]]


class OpenDataset:
    """A dataset, opened to be looked at."""

    def __init__(self, dataset: Path) -> None:
        """Open the dataset in a folder.

        Raises:
            OrreryError: it is none of ours, or a file is damaged.
        """
        self.dataset = dataset
        self._connection = connect(dataset)

    @cached_property
    def manifest(self) -> Manifest:
        """What the dataset says of itself."""
        return read_manifest(self.dataset)

    @cached_property
    def schemas(self) -> dict[str, Schema]:
        """The columns of each table that has rows, which may be those of another version."""
        return {
            name: schema_of(next(iter(by_split.values()))[0])
            for name, by_split in splits(self.dataset).items()
            if name in tables()
        }

    @cached_property
    def counts(self) -> dict[str, dict[str, int]]:
        """The rows of each table by split."""
        parts = [
            f"select '{name}' as t, split, count(*) as n from {name} group by all" for name in self.schemas
        ]
        counts: dict[str, dict[str, int]] = {name: {} for name in self.schemas}
        for row in self._ask(" union all ".join(parts)) if parts else ():
            counts[row["t"]][row["split"]] = row["n"]
        return counts

    def listed(self, source: str) -> list[str]:
        """Return the tables that a source means: itself, or those of a family that have rows."""
        return [
            name for name in (tables_of(source) if source in families() else [source]) if name in self.schemas
        ]

    def count(self, selection: Selection) -> int:
        """Return how many rows of its table a selection has.

        Raises:
            UsageError: the table lacks a column that is named, or a value is no number.
        """
        sql = f"select count(*) as n from {selection.source}{selection.where(self.schema(selection.source))}"
        return int(self._ask(sql)[0]["n"])

    def rows(self, selection: Selection, first: int = 0) -> PageOfRows:
        """Return a page of rows of a selection, by name; errors as in ``count``."""
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
        # Counted on the way: some conditions, such as those on tokens, take their time on each row.
        select = f"select {', '.join(shown)}, count(*) over () as of from {table}{conditions}"
        rows = self._ask(f"{select} order by id, split limit {PAGE} offset {first}")
        total = [row.pop("of") for row in rows]
        return PageOfRows(total[0] if total else self.count(selection) if first else 0, first, rows)

    def schema(self, table: str) -> Schema:
        """Return the columns of a table.

        Raises:
            UsageError: the dataset has no rows of it.
        """
        if table not in self.schemas:
            tables = f"tables with rows: {', '.join(self.schemas)}"
            raise UsageError(f"table '{table}'", "has no rows in this dataset", tables)
        return self.schemas[table]

    def choices(self, table: str) -> dict[str, list[str]]:
        """Return the values of columns that have few, to choose from."""
        if table not in self._choices:
            values_by_column: dict[str, list[str]] = {}
            names = [name for name in OFFERED if name in self.schema(table).names]
            for name in (SPLIT, *names):
                sql = f"select distinct {name} as v from {table} order by 1 limit {FEW + 1}"
                values = [str(row["v"]) for row in self._ask(sql) if row["v"] is not None]
                if name == SPLIT or 1 < len(values) <= FEW:
                    values_by_column[name] = values
            self._choices[table] = values_by_column  # whole: other requests read it meanwhile
        return self._choices[table]

    @cached_property
    def _choices(self) -> dict[str, dict[str, list[str]]]:
        return {}

    def row(self, name: str, table: str = "") -> tuple[str, str, dict[str, Any]]:
        """Return table, split and content of a row by its name; of the first table that has it, unless named.

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
        """Return the names of the rows before and after a row, in the order of names."""
        sql = (
            f"select (select max(id) from {table} where id < {literal(name)}) as before, "
            f"(select min(id) from {table} where id > {literal(name)}) as after"
        )
        row = self._ask(sql)[0]
        return row["before"], row["after"]

    def belonging(self, problem: str, split: str) -> dict[str, list[str]]:
        """Return by family the ids that begin with that of a problem: of the rows that are about it."""
        condition = f"where split = {literal(split)} and starts_with(id, {literal(f'{problem}/')})"
        ids_by_family = {}
        for family in families():
            parts = [f"select id from {name} {condition}" for name in self.listed(family)]
            ids_by_family[family] = (
                [row["id"] for row in self._ask(" union all ".join(parts))] if parts else []
            )
        return {family: ids for family, ids in ids_by_family.items() if ids}

    def of_problem(self, problem: str) -> dict[str, int]:
        """Return how many rows of each table are about a problem."""
        parts = [
            f"select '{name}' as t, count(*) as n from {name} where problem_id = {literal(problem)}"
            for name, schema in self.schemas.items()
            if "problem_id" in schema.names
        ]
        rows = self._ask(" union all ".join(parts)) if parts else []
        return {row["t"]: row["n"] for row in rows if row["n"]}

    def _ask(self, sql: str) -> list[dict[str, Any]]:
        """Return the rows of one SELECT of ours.

        Raises:
            UsageError: DuckDB refuses it, as where a text is compared with a number.
        """
        try:
            answer: Any = self._connection.cursor().sql(sql).to_arrow_table()
        except duckdb.Error as error:
            raise UsageError("these rows", " ".join(str(error).split()), "take another condition") from error
        rows: list[dict[str, Any]] = answer.to_pylist()
        return rows
