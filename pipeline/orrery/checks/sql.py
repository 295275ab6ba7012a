"""Run SQL over the Parquet files of a dataset with DuckDB, for checks that count over all rows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import duckdb

# With one thread, the process may still be forked; data that exceeds memory goes to a temporary folder.
LIMITS: Mapping[str, str | int | float | list[str]] = {"threads": 1, "memory_limit": "512MB"}
SPLIT = r"regexp_extract(filename, '([a-z]+)-[^/]*$', 1)"


Selection: TypeAlias = Callable[[str], list[tuple[Any, ...]]]


def select(statement: str, files: Mapping[str, Sequence[Path]], **tables: Any) -> list[tuple[Any, ...]]:
    """Return the rows that one statement selects; ``files`` is as in ``connected``."""
    with connected(files, **tables) as select_rows:
        return select_rows(statement)


@contextmanager
def connected(files: Mapping[str, Sequence[Path]], **tables: Any) -> Iterator[Selection]:
    """Provide a function that selects rows from tables: Parquet files by name, and Arrow tables.

    A connection takes 25 ms to open. Rows of files have the additional column ``file_split``: the split at
    the beginning of the file's name.

    Raises:
        duckdb.Error: a table has no files, or one of them is damaged.
    """
    with (
        tempfile.TemporaryDirectory(prefix="orrery-sql-") as folder,
        closing(duckdb.connect(config={**LIMITS, "temp_directory": folder})) as connection,
    ):
        for name, table in tables.items():
            connection.register(name, table)
        for name, paths in files.items():
            rows = connection.read_parquet([str(path) for path in paths], filename=True)
            rows.project(f"*, {SPLIT} AS file_split").create_view(name)
        yield lambda statement: connection.execute(statement).fetchall()


def files_of(dataset: Path, table: str) -> list[Path]:
    """Return the files of a table, sorted."""
    return sorted((dataset / "data" / table).glob("*.parquet"))


def drawn(share: float) -> str:
    """Return the SQL condition that draws a share of all rows by their ids."""
    return f"('0x' || left(md5(id), 8))::BIGINT < {share} * 4294967296"
