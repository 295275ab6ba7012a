"""Read rows of a Parquet file by number, for workers that each need a few of many rows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from orrery.store.columns import Table
from orrery.store.kinds import Schema
from orrery.store.shards import opened

KEPT_BYTES = 2**26  # bytes of recently read row groups kept per process


class _Layout(NamedTuple):
    """The number of the first row of each row group, then the number of all rows; and an empty table."""

    starts: np.ndarray
    no_rows: Table


@dataclass(frozen=True, slots=True)
class RowSource:
    """A Parquet file with rows numbered from 0; picklable.

    ``columns`` are the columns to read; None means all.
    """

    path: Path
    columns: tuple[str, ...] | None = None

    def rows(self, numbers: Iterable[int]) -> Table:
        """Return the rows with these numbers, in the given order.

        Raise an OrreryError that names a damaged file; raise an IndexError for a number without a row.
        """
        rows, stamp = np.fromiter(numbers, np.int64), _stamp(self.path)
        starts, no_rows = _layout(self.path, stamp)
        if not len(rows):
            return no_rows
        if not 0 <= rows.min() <= rows.max() < starts[-1]:
            raise IndexError(f"rows {rows.min()} to {rows.max()} of {starts[-1]}")
        groups = np.searchsorted(starts, rows, side="right") - 1
        tables = [
            _groups.read(self.path, stamp, int(number), self.columns).take(
                rows[groups == number] - starts[number]
            )
            for number in np.unique(groups)  # keep only the requested rows
        ]
        order = np.argsort(groups, kind="stable")
        return pa.concat_tables(tables).take(np.argsort(order, kind="stable"))


@dataclass(frozen=True)
class Span:
    """Consecutive rows of the table of problems."""

    source: RowSource
    numbers: range

    def __str__(self) -> str:
        """Return the name of the span in messages and in names of parts."""
        return f"problems {self.numbers.start} to {self.numbers.stop - 1}"

    def rows(self) -> Table:
        """Return the rows."""
        return self.source.rows(self.numbers)

    def pieces(self, size: int) -> Iterator[Span]:
        """Yield shorter spans that cover this one."""
        return (
            Span(self.source, self.numbers[start : start + size])
            for start in range(0, len(self.numbers), size)
        )


def groups(path: Path, schema: Schema, columns: Sequence[str] | None = None) -> Iterator[Table]:
    """Yield the rows of a file, or some columns, one row group at a time. Recently read groups are cached.

    Errors are those of ``shards.read``.
    """
    stamp = _stamp(path)
    starts, no_rows = _layout(path, stamp)
    if not no_rows.schema.equals(schema):
        with opened(path, schema):  # raises
            pass
    for number in range(len(starts) - 1):
        yield _groups.read(path, stamp, number, None if columns is None else tuple(columns))


def _stamp(path: Path) -> tuple[int, int]:
    """Return a value that changes when a file is written again."""
    if not path.is_file():
        with opened(path):  # raises
            pass
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=256)
def _layout(path: Path, _stamp: tuple[int, int]) -> _Layout:
    with opened(path) as file:
        counts = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
        return _Layout(np.cumsum([0, *counts]), file.schema_arrow.empty_table())


class _GroupCache:
    """The recently read row groups, as many as fit into KEPT_BYTES, at least one."""

    def __init__(self) -> None:
        self._tables: OrderedDict[tuple[object, ...], Table] = OrderedDict()
        self._bytes = 0

    def read(self, path: Path, stamp: tuple[int, int], number: int, columns: tuple[str, ...] | None) -> Table:
        """Return the rows of a group with these columns; None means all."""
        key = path, stamp, number, columns
        rows = self._tables.pop(key, None)
        if rows is None:
            with opened(path) as file:
                rows = file.read_row_group(number, columns=columns, use_threads=False)
            self._bytes += rows.nbytes
        self._tables[key] = rows
        while len(self._tables) > 1 and self._bytes > KEPT_BYTES:
            _, oldest = self._tables.popitem(last=False)
            self._bytes -= oldest.nbytes
        return rows


_groups = _GroupCache()
