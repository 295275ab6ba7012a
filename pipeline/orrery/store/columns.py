"""Convert rows and columns of plain Python values to Arrow tables, and check each value against the schema.

Arrow alone would accept 1.5 as an integer, a string as a list of its characters, and records with unknown
fields. Wrong rows would then be published without an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from math import isfinite
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from orrery.model import OrreryError, Row
from orrery.store import kinds
from orrery.store.kinds import LARGEST_INTEGER, Field, Schema

Table: TypeAlias = Any  # pyarrow has no type information


def from_rows(schema: Schema, rows: Iterable[Row]) -> Table:
    """Return an Arrow table of ``rows`` (mappings with exactly the columns of ``schema``, in any order).

    Raise an OrreryError that names table, row and column of the first value that does not fit.
    """
    listed = list(rows)
    names = set(schema.names)
    for number, row in enumerate(listed):
        if row.keys() != names:
            raise _wrong_names(schema, _row_name(schema, row, number), row.keys())
    return from_columns(schema, {name: [row[name] for row in listed] for name in schema.names})


def from_columns(schema: Schema, columns: Mapping[str, Sequence[Any]]) -> Table:
    """Return an Arrow table of ``columns``, each a sequence of plain values. This is faster for many rows.

    Raise an OrreryError that names table, row and column of the first value that does not fit.
    """
    if columns.keys() != set(schema.names):
        raise _wrong_names(schema, "all rows", columns.keys())
    if len({len(values) for values in columns.values()}) > 1:
        lengths = ", ".join(f"{name} {len(columns[name])}" for name in schema.names)
        raise OrreryError(f"table {kinds.table_name(schema)}", f"columns differ in length: {lengths}")
    arrays = [_array(schema, field, columns) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def from_arrays(schema: Schema, arrays: Mapping[str, Any]) -> Table:
    """Return an Arrow table of Arrow ``arrays``, one per column, cast to ``schema`` if nothing is lost.

    For columns of tables that were checked before. Raise an OrreryError that names table and column if values
    do not fit or are missing.
    """
    if arrays.keys() != set(schema.names):
        raise _wrong_names(schema, "all rows", arrays.keys())
    for field in schema:
        place = f"table {kinds.table_name(schema)}, column {field.name}"
        if arrays[field.name].null_count and not field.nullable:
            raise OrreryError(place, "has missing values, which are not allowed")
    try:
        listed = [_cast(arrays[field.name], field.type) for field in schema]
        return pa.Table.from_arrays(listed, schema=schema)
    except (pa.ArrowException, ValueError) as error:
        raise OrreryError(f"table {kinds.table_name(schema)}", f"columns do not fit: {error}") from error


def _cast(array: Any, kind: Any) -> Any:
    return array if array.type.equals(kind) else array.cast(kind)


def batches(schema: Schema, rows: Iterable[Row], size: int) -> Iterator[Table]:
    """Yield tables of ``size`` rows each; the last one may be shorter.

    Only one table is in memory at a time.
    """
    remaining = iter(rows)
    while chunk := list(islice(remaining, size)):
        yield from_rows(schema, chunk)


def regrouped(tables: Iterable[Table], size: int) -> Iterator[Table]:
    """Yield the rows of ``tables`` in tables of ``size`` rows each; the last one may be shorter.

    Each table has one chunk, so that the result does not depend on the division of ``tables``.
    """
    waiting: list[Table] = []
    count = 0
    for table in tables:
        waiting.append(table)
        count += table.num_rows
        if count >= size:
            whole = pa.concat_tables(waiting)
            for start in range(0, count - count % size, size):
                yield whole.slice(start, size).combine_chunks()
            waiting, count = [whole.slice(count - count % size)], count % size
    if count:
        yield pa.concat_tables(waiting).combine_chunks()


def _misfit(field: Field, values: Iterable[Any]) -> str:
    """Return the fault of some of ``values`` as values of ``field``; empty if they fit.

    Lists and records are checked element by element. Sets are refused, because they have no order.
    """
    listed, kind = [value for value in values if value is not None or not field.nullable], field.type
    elements: list[tuple[str, Field, Iterable[Any]]] = []
    if pa.types.is_list(kind):
        expected = _Expected((list, tuple), "a list")
        elements = [("an element", kind.value_field, chain.from_iterable(listed))]
    elif pa.types.is_struct(kind):
        names = sorted(part.name for part in kind)
        expected = _Expected(
            (Mapping,), f"a record of {', '.join(names)}", lambda value: sorted(value) == names
        )
        elements = [(part.name, part, map(itemgetter(part.name), listed)) for part in kind]
    else:
        expected = _EXPECTED[kind]
    classes = set(map(type, listed))
    foreign = {
        found
        for found in classes
        if not issubclass(found, expected.classes) or (found is bool) > (kind == kinds.BOOL)
    }
    if foreign or not all(map(expected.fits, listed)):
        value = next(v for v in listed if (type(v) in foreign if foreign else not expected.fits(v)))
        if value is None:
            return "has no value, but may not be missing"
        return f"is {value!r}, which is not {expected.name}"
    problems = ((place, _misfit(part, parts)) for place, part, parts in elements)
    return next((f"{place} {problem}" for place, problem in problems if problem), "")


def _array(schema: Schema, field: Field, columns: Mapping[str, Sequence[Any]]) -> Any:
    values = columns[field.name]
    if not _misfit(field, values):
        return pa.array(values, type=field.type)
    number, problem = next((n, p) for n, value in enumerate(values) if (p := _misfit(field, [value])))
    row = {name: column[number] for name, column in columns.items()}
    place = f"table {kinds.table_name(schema)}, row {_row_name(schema, row, number)}, column {field.name}"
    raise OrreryError(place, problem, f"the column is {field.type}")


def _row_name(schema: Schema, row: Row, number: int) -> str:
    """Return the row's key columns, or its number if they are missing or not text."""
    parts = [row.get(name) for name in kinds.key_columns(schema)]
    return " ".join(map(str, parts)) if all(isinstance(p, str) and p for p in parts) else f"number {number}"


def _wrong_names(schema: Schema, row: str, names: Iterable[str]) -> OrreryError:
    row_names, column_names = set(names), set(schema.names)
    parts = [f"no column {name}" for name in sorted(column_names - row_names)]
    parts += [f"unknown column {name}" for name in sorted(row_names - column_names)]
    place = f"table {kinds.table_name(schema)}, row {row}"
    return OrreryError(
        place, "; ".join(parts), "the schema of the table must match the code that makes its rows"
    )


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Expected(NamedTuple):
    """The values of a type of column: their classes, their name in messages, and a further condition."""

    classes: tuple[type, ...]
    name: str
    fits: Callable[[Any], bool] = lambda _: True


_EXPECTED: dict[Any, _Expected] = {
    kinds.STRING: _Expected((str,), "text in valid Unicode", lambda text: text.isascii() or _encodes(text)),
    kinds.INT: _Expected((int,), "an integer of 32 bits", lambda number: abs(number) < 2**31),
    kinds.LONG: _Expected(
        (int,), f"an integer up to {LARGEST_INTEGER}", lambda number: abs(number) <= LARGEST_INTEGER
    ),
    kinds.REAL: _Expected((float,), "a finite real number", isfinite),
    kinds.BOOL: _Expected((bool,), "true or false"),
}
