"""Rows of Parquet files by their numbers, for workers that each need a few of many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from orrery.store.columns import Table
from orrery.store.shards import opened

KEPT = 8  # row groups held by a process; rows that stand together share one


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
        starts, groups = _layout(tuple((path, _stamp(path)) for path in self.paths))
        if len(asked) and not 0 <= asked.min() <= asked.max() < starts[-1]:
            raise IndexError(f"rows {asked.min()} to {asked.max()} of {starts[-1]}")
        of = np.searchsorted(starts, asked, side="right") - 1
        used = np.unique(of)
        tables = [_read(groups[number], self.columns) for number in used]
        if not tables:
            with opened(self.paths[0]) as file:
                return file.schema_arrow.empty_table()
        before = np.cumsum([0, *(table.num_rows for table in tables)])
        return pa.concat_tables(tables).take(before[np.searchsorted(used, of)] + asked - starts[of])


def _stamp(path: Path) -> tuple[int, int]:
    if not path.is_file():
        with opened(path):  # raises
            pass
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=16)
def _layout(files: tuple[tuple[Path, tuple[int, int]], ...]) -> tuple[np.ndarray, list[_Group]]:
    """Return the number of the first row of each group, then that of all rows; and the groups."""
    starts, groups = [0], []
    for path, stamp in files:
        with opened(path) as file:
            for number in range(file.num_row_groups):
                groups.append(_Group(path, stamp, number))
                starts.append(starts[-1] + file.metadata.row_group(number).num_rows)
    return np.array(starts), groups


@lru_cache(maxsize=KEPT)
def _read(group: _Group, columns: tuple[str, ...] | None) -> Table:
    with opened(group.path) as file:
        return file.read_row_group(group.number, columns=columns, use_threads=False)
