"""Rows of Parquet files by their numbers, for workers that each need a few of many."""

from __future__ import annotations

import mmap
import tempfile
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from orrery.store.columns import Table
from orrery.store.kinds import Schema
from orrery.store.shards import opened, read

# Of row groups that a process has read, those of many tables in turn: bytes in memory, and of more in files.
KEPT_BYTES, MAPPED_BYTES = 2**26, 2**30
MAPPED = 256  # files at most, each of which is open


class _Group(NamedTuple):
    """One row group of a file; ``stamp`` changes when the file is written anew."""

    path: Path
    stamp: tuple[int, int]
    number: int


@dataclass(frozen=True, slots=True)
class RowSource:
    """Parquet files of one table, the rows numbered from 0 on across all of them; picklable.

    ``columns`` are those wanted, None all.
    """

    paths: tuple[Path, ...]
    columns: tuple[str, ...] | None = None

    def rows(self, numbers: Iterable[int]) -> Table:
        """Return the rows of these numbers, in the order given.

        Raises OrreryError naming a file that is damaged; IndexError for a row that there is not.
        """
        asked = np.fromiter(numbers, np.int64)
        if not self.paths:
            return pa.table({})
        starts, groups, nothing = _layout(tuple((path, _stamp(path)) for path in self.paths))
        if len(asked) and not 0 <= asked.min() <= asked.max() < starts[-1]:
            raise IndexError(f"rows {asked.min()} to {asked.max()} of {starts[-1]}")
        of = np.searchsorted(starts, asked, side="right") - 1
        used = np.unique(of)
        if not len(used):
            return nothing
        order, tables = np.argsort(of, kind="stable"), []
        for number in used:  # of each group what is asked for alone is held
            mine = asked[of == number] - starts[number]
            tables.append(_groups.read(groups[number], self.columns).take(mine))
        if len(tables) == 1:
            return tables[0]
        return pa.concat_tables(tables).take(np.argsort(order, kind="stable"))

    def named(self, column: str, names: Sequence[str]) -> Table:
        """Return the rows whose text in a column is one of ``names``, in the order of the files."""
        wanted, starts, found = pa.array(names, pa.string()), 0, [np.empty(0, np.int64)]
        for path in self.paths if len(names) else ():
            there = read(path, columns=[column]).column(column)
            found.append(starts + np.flatnonzero(pc.is_in(there, wanted).to_numpy(zero_copy_only=False)))
            starts += len(there)
        return self.rows(np.concatenate(found))


@dataclass(frozen=True)
class Span:
    """Some rows of the table of problems that stand together."""

    source: RowSource
    numbers: range

    def __str__(self) -> str:
        """Return the span in messages and names of parts."""
        return f"problems {self.numbers.start} to {self.numbers.stop - 1}"

    def rows(self) -> Table:
        """Return the rows."""
        return self.source.rows(self.numbers)

    def pieces(self, size: int) -> Iterator[Span]:
        """Yield the span in shorter ones."""
        start, stop = self.numbers.start, self.numbers.stop
        return (Span(self.source, range(each, min(each + size, stop))) for each in range(start, stop, size))


def groups(path: Path, schema: Schema, columns: Sequence[str] | None = None) -> Iterator[Table]:
    """Yield the rows of a file, or some columns, a row group at a time; those read last are not read again.

    Raises OrreryError as ``shards.read`` does.
    """
    _, found, nothing = _layout(((path, _stamp(path)),))
    if not nothing.schema.equals(schema):
        with opened(path, schema):  # raises
            pass
    for group in found:
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
    starts, groups, nothing = [0], [], None
    for path, stamp in files:
        with opened(path) as file:
            nothing = file.schema_arrow.empty_table() if nothing is None else nothing
            for number in range(file.num_row_groups):
                groups.append(_Group(path, stamp, number))
                starts.append(starts[-1] + file.metadata.row_group(number).num_rows)
    return np.array(starts), groups, nothing


class _Mapped(NamedTuple):
    """A row group in a file that is mapped into memory; the file goes with it, for it has no name left."""

    rows: Table
    pages: mmap.mmap

    @classmethod
    def of(cls, rows: Table) -> _Mapped:
        """Return the rows, mapped."""
        with tempfile.NamedTemporaryFile(prefix="rows-") as file:
            with pa.ipc.new_file(file.name, rows.schema) as writer:
                writer.write_table(rows.combine_chunks())
            pages = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        return cls(pa.ipc.open_file(pa.py_buffer(pages)).read_all(), pages)

    def release(self) -> None:
        """Let go of the memory; what is looked at comes back from the file."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self.pages.madvise(mmap.MADV_DONTNEED)


class _GroupCache:
    """The row groups read last: those that fit into KEPT_BYTES, of the others what fits into MAPPED_BYTES.

    A few rows of a group that is mapped take no more reading than the pages that they are on; of one in its
    Parquet file all is read.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[_Group, tuple[str, ...] | None], Table] = OrderedDict()
        self._mapped: OrderedDict[tuple[_Group, tuple[str, ...] | None], _Mapped] = OrderedDict()
        self._bytes = self._mapped_bytes = 0
        self._last: _Mapped | None = None

    def read(self, group: _Group, columns: tuple[str, ...] | None) -> Table:
        """Return the rows of a group, these columns of them, None all."""
        key = (group, columns)
        if self._last is not None:
            self._last.release()
        if (there := self._mapped.get(key)) is not None:
            self._mapped.move_to_end(key)
            self._last = there
            return there.rows
        if (found := self._kept.pop(key, None)) is None:
            with opened(group.path) as file:
                found = file.read_row_group(group.number, columns=columns, use_threads=False)
            self._bytes += found.nbytes
        self._kept[key] = found
        while self._bytes > KEPT_BYTES and len(self._kept) > 1:
            self._map(*self._kept.popitem(last=False))
        while self._mapped_bytes > MAPPED_BYTES or len(self._mapped) > MAPPED:
            self._mapped_bytes -= self._mapped.popitem(last=False)[1].rows.nbytes
        return found

    def _map(self, key: tuple[_Group, tuple[str, ...] | None], rows: Table) -> None:
        """Have a group that memory has no room for mapped, or read again where the disk has none either."""
        self._bytes -= rows.nbytes
        with suppress(OSError):
            self._mapped[key] = there = _Mapped.of(rows)
            self._mapped_bytes += there.rows.nbytes
            there.release()


_groups = _GroupCache()
