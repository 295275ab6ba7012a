"""States in the order of their questions: identifying columns in memory, the rest in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from orrery.parts import Tables
from orrery.store.kinds import Schema
from orrery.store.lookup import RowSource
from orrery.store.shards import read_rows

# The columns with the row numbers in the files of problems, states and solutions.
PROBLEM_AT, STATE_AT, SOLUTION_AT = "problem at", "state at", "solution at"

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class SomeStates:
    """Some states; picklable.

    A row of ``rows`` has the columns that identify a state and, named like ``files``, the row numbers of its
    other data; a file without the state has no number.
    """

    rows: Sequence[Row]
    files: Mapping[str, RowSource]

    def __str__(self) -> str:
        """Return the names of the first and the last state."""
        return f"{item_of(self.rows[0])} to {item_of(self.rows[-1])}"

    def those(self, wanted: Callable[[Row], bool]) -> SomeStates:
        """Return a subset of the states."""
        return replace(self, rows=list(filter(wanted, self.rows)))

    def batches(self, size: int) -> list[SomeStates]:
        """Return the states in batches of one size; the last one may be smaller."""
        starts = range(0, len(self.rows), size)
        return [replace(self, rows=self.rows[start : start + size]) for start in starts]

    def full(self) -> list[dict[str, Any]]:
        """Return the states with all their data; later files override earlier ones."""
        states = [dict[str, Any]() for _ in self.rows]
        for name, file in self.files.items():
            located = [
                (state, row[name]) for state, row in zip(states, self.rows, strict=True) if name in row
            ]
            rows_read = file.rows(number for _, number in located).to_pylist() if located else ()
            for (state, _), values in zip(located, rows_read, strict=True):
                state |= values
        for state, row in zip(states, self.rows, strict=True):
            state |= {name: value for name, value in row.items() if name not in self.files}
        return states


def with_full_states(make: Callable[[list[dict[str, Any]]], Tables], states: SomeStates) -> Tables:
    """Return the tables that ``make`` makes of states with all their columns."""
    return make(states.full())


def numbered(path: Path, schema: Schema, columns: Sequence[str], name: str) -> Iterator[dict[str, Any]]:
    """Yield some columns of the rows of a file, each with its row number as an additional column ``name``."""
    return ({**row, name: at} for at, row in enumerate(read_rows(path, schema, columns)))


def item_of(row: Row) -> str:
    """Return problem and state as text; a state without a name is called the initial state."""
    return f"{row['problem_id']}/{row.get('state_id', 'initial')}"
