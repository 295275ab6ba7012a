"""Rows of Parquet files by their numbers, for workers that each need a few of many."""

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

KEPT_BYTES = 2**26  # of the row groups that a process has read last


class _Group(NamedTuple):
    """One row group of a file; ``stamp`` changes when the file is written anew."""

    path: Path
    stamp: tuple[int, int]
    number: int


@dataclass(frozen=True, slots=True)
class RowSource:
    """Parquet files of one table, the rows numbered from 0 on across all of them; picklable.

    ``columns`` are the columns to read, None all.
    """

    paths: tuple[Path, ...]
    columns: tuple[str, ...] | None = None

    def rows(self, numbers: Iterable[int]) -> Table:
        """Return the rows of these numbers, in the order given.

        Raises OrreryError naming a file that is damaged; IndexError for a number without a row.
        """
        rows = np.fromiter(numbers, np.int64)
        if not self.paths:
            return pa.table({})
        starts, groups, no_rows = _layout(tuple((path, _stamp(path)) for path in self.paths))
        if len(rows) and not 0 <= rows.min() <= rows.max() < starts[-1]:
            raise IndexError(f"rows {rows.min()} to {rows.max()} of {starts[-1]}")
        group_numbers = np.searchsorted(starts, rows, side="right") - 1
        if not len(rows):
            return no_rows
        tables = []
        for number in np.unique(group_numbers):  # only the rows asked for are held
            places = rows[group_numbers == number] - starts[number]
            tables.append(_groups.read(groups[number], self.columns).take(places))
        if len(tables) == 1:
            return tables[0]
        order = np.argsort(group_numbers, kind="stable")
        return pa.concat_tables(tables).take(np.argsort(order, kind="stable"))


@dataclass(frozen=True)
class Span:
    """Consecutive rows of the table of problems."""

    source: RowSource
    numbers: range

    def __str__(self) -> str:
        """Return the name of the span in messages, and for the names of parts."""
        return f"problems {self.numbers.start} to {self.numbers.stop - 1}"

    def rows(self) -> Table:
        """Return the rows."""
        return self.source.rows(self.numbers)

    def pieces(self, size: int) -> Iterator[Span]:
        """Yield shorter spans that make up this one."""
        start, stop = self.numbers.start, self.numbers.stop
        return (
            Span(self.source, range(first, min(first + size, stop))) for first in range(start, stop, size)
        )


def groups(path: Path, schema: Schema, columns: Sequence[str] | None = None) -> Iterator[Table]:
    """Yield the rows of a file, or some columns, a row group at a time; those read last are not read again.

    Raises OrreryError as ``shards.read`` does.
    """
    _, row_groups, no_rows = _layout(((path, _stamp(path)),))
    if not no_rows.schema.equals(schema):
        with opened(path, schema):  # raises
            pass
    for group in row_groups:
        yield _groups.read(group, None if columns is None else tuple(columns))


def _stamp(path: Path) -> tuple[int, int]:
    if not path.is_file():
        with opened(path):  # raises
            pass
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=256)
def _layout(files: tuple[tuple[Path, tuple[int, int]], ...]) -> tuple[np.ndarray, list[_Group], Table]:
    """Return the number of the first row of each group, then of all rows; the groups; a table of no rows."""
    starts, groups, no_rows = [0], [], None
    for path, stamp in files:
        with opened(path) as file:
            no_rows = file.schema_arrow.empty_table() if no_rows is None else no_rows
            for number in range(file.num_row_groups):
                groups.append(_Group(path, stamp, number))
                starts.append(starts[-1] + file.metadata.row_group(number).num_rows)
    return np.array(starts), groups, no_rows


class _GroupCache:
    """The row groups read last, as many as fit into KEPT_BYTES, at least one."""

    def __init__(self) -> None:
        self._tables: OrderedDict[tuple[_Group, tuple[str, ...] | None], Table] = OrderedDict()
        self._bytes = 0

    def read(self, group: _Group, columns: tuple[str, ...] | None) -> Table:
        """Return the rows of a group, these columns of them, None all."""
        rows = self._tables.pop((group, columns), None)
        if rows is None:
            with opened(group.path) as file:
                rows = file.read_row_group(group.number, columns=columns, use_threads=False)
            self._bytes += rows.nbytes
        self._tables[group, columns] = rows
        while self._bytes > KEPT_BYTES and len(self._tables) > 1:
            self._bytes -= self._tables.popitem(last=False)[1].nbytes
        return rows


_groups = _GroupCache()
