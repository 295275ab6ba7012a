"""Check tables as files: schemas, missing values, ids, and values that must differ between rows."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from orrery.catalog import SPLITS
from orrery.checks import family_checks
from orrery.checks.sql import connected, files_of
from orrery.config import Settings
from orrery.families import tables as published
from orrery.model import OrreryError

Fault: TypeAlias = tuple[str, str]  # the row or file, and its fault
RowsMade: TypeAlias = Callable[[str], Iterable[Any]]

ROWS = 1000  # rows held in memory at a time
ID = ("id",)
MOST_NAMED = 20  # maximum number of rows that a fault lists
SHARD = re.compile(r"(train|validation|test)-\d{5}-of-(\d{5})\.parquet")

# Compare hashes first: the texts of a large table do not fit into memory, but their hashes do.
REPEATED = """
    WITH hashes AS (SELECT hash({name}) AS value FROM rows GROUP BY value HAVING count(*) > 1)
    SELECT {name}, count(*) FROM rows WHERE {name} <> '' AND hash({name}) IN (SELECT value FROM hashes)
    GROUP BY {name} HAVING count(*) > 1 ORDER BY {name}
"""
UNLIKE = """
    SELECT coalesce(made.split, rows.file_split) AS split, made.id, rows.id
    FROM made FULL JOIN rows ON made.id = rows.id AND made.split = rows.file_split
    WHERE made.id IS NULL OR rows.id IS NULL ORDER BY ALL
"""


ALL_MADE = "SELECT split, id, NULL FROM made ORDER BY ALL"  # if a table has no readable file


def check_table(settings: Settings, name: str) -> list[str]:
    """Return the faults of a table's files: damage, and rows that differ from those of the stages before."""
    table = published()[name]
    unique = {t: columns for checks in family_checks().values() for t, columns in checks.unique.items()}
    paths = files_of(settings.outputs / "dataset", name)
    faults = check_files(paths, table.schema, unique.get(name, ()), partial(table.rows, settings, only=ID))
    faults = (lacking(paths) if paths or faults else []) + faults
    return [f"{row}: {fault}" for row, fault in faults]


def check_files(
    paths: Sequence[Path], schema: Any, unique: Sequence[str] = (), rows_made: RowsMade | None = None
) -> list[Fault]:
    """Return the faults of all files of a table, and repeated values in unique columns.

    ``rows_made`` returns the rows that the stages before made for a split, as Arrow tables; if given, their
    ids are compared with those of the files.
    """
    faults, sound = list[Fault](), list[Path]()
    for path in paths:
        of_schema, of_rows = check_file(path, schema)
        faults += [*of_schema, *of_rows]
        sound += [] if of_schema else [path]
    files = {"rows": sound} if sound else {}
    tables = {"made": _ids_made(rows_made)} if rows_made else {}
    with connected(files, **tables) as select:
        for name in ("id", *unique) if sound else ():
            faults += [
                (value[:80], f"{name} occurs {number} times")
                for value, number in select(REPEATED.format(name=name))
            ]
        return faults + (_unlike(select(UNLIKE if sound else ALL_MADE)) if rows_made else [])


def check_file(path: Path, schema: Any) -> tuple[list[Fault], list[Fault]]:
    """Return the faults of a file's schema, and those of its rows; at most ``ROWS`` rows are in memory."""
    with _opened(path) as file:
        if of_schema := _schema_faults(file.schema_arrow, schema):
            return [(path.name, fault) for fault in of_schema], []
        split, missing = path.name.split("-")[0], Counter[str]()
        faults: list[Fault] = []
        for batch in file.iter_batches(ROWS):
            missing.update(_missing(batch, schema))
            ids = (name for name in batch.column("id").to_pylist() if name is not None)
            faults += [(name, f"stands in split {split}") for name in ids if f"/{split}/" not in name]
            faults += _json_faults(batch, schema)
    return [], faults + [
        (path.name, f"{name} has {number} missing values") for name, number in missing.items()
    ]


def _json_faults(batch: Any, schema: Any) -> Iterator[tuple[str, str]]:
    """Yield (row, fault) for values that are not JSON in columns that are declared as JSON."""
    for field in schema:
        description = (field.metadata or {}).get(b"description", b"")
        if field.type == pa.string() and description.startswith(b"JSON"):
            for row, text in zip(
                batch.column("id").to_pylist(), batch.column(field.name).to_pylist(), strict=True
            ):
                try:
                    json.loads(text or "null")
                except ValueError as error:
                    yield str(row), f"{field.name} is not JSON: {error}"


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a Parquet file.

    Raises:
        OrreryError: the file is damaged, at its end or inside; the error names it.
    """
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise OrreryError(str(path), f"cannot be read: {reason}", "delete it and run `dvc repro`") from error


def _unlike(unlike: Sequence[tuple[str, str | None, str | None]]) -> list[Fault]:
    """Return the missing and the extra rows of a table, compared with the stages before."""
    faults: list[Fault] = []
    for split in SPLITS:
        missing = [made_id for at, made_id, _ in unlike if at == split and made_id is not None]
        extra = sum(at == split and made_id is None for at, made_id, _ in unlike)
        faults += [(name, "is missing") for name in missing[:MOST_NAMED]]
        faults += [(f"{len(missing)} rows of {split}", "are missing")] * (len(missing) > MOST_NAMED)
        if extra:
            faults.append((split, f"{extra} rows are none that the stages before made"))
    return faults


def _ids_made(rows_made: RowsMade) -> Any:
    """Return an Arrow table with the ids and splits of the rows that the stages before made."""
    parts = [pa.table({"id": pa.array([], pa.string()), "split": pa.array([], pa.string())})]
    for split in SPLITS:
        for rows in rows_made(split):
            parts.append(pa.table({"id": rows.column("id"), "split": pa.repeat(split, rows.num_rows)}))
    return pa.concat_tables(parts)


def lacking(files: list[Path]) -> list[tuple[str, str]]:
    """Return (file, fault) for missing shards, by the names of the others, and for tables without files."""
    promised = {
        f"{match[1]}-{number:05}-of-{match[2]}.parquet"
        for path in files
        if (match := SHARD.fullmatch(path.name))
        for number in range(int(match[2]))
    }
    named = {path.name for path in files}
    faults = [(name, "is missing") for name in sorted(promised - named)]
    faults += [(name, "is no name of a shard") for name in sorted(named - promised)]
    return faults if files else [("all shards", "are missing")]


def _schema_faults(schema: Any, expected: Any) -> list[str]:
    names = [field.name for field in expected]
    if schema.names != names:
        return [f"columns are {schema.names}, should be {names}"]
    return [
        f"column {name} is {schema.field(name).type}, should be {expected.field(name).type}"
        for name in names
        if not schema.field(name).type.equals(expected.field(name).type)
    ]


def _missing(content: Any, schema: Any) -> dict[str, int]:
    """Return the number of missing values where none is allowed: in columns, lists and records."""
    missing = {}
    for field in schema:
        for name, values, nullable in _levels(field, content.column(field.name)):
            if values.null_count and not nullable:
                missing[name] = values.null_count
    return missing


def _levels(field: Any, values: Any, name: str = "") -> Iterator[tuple[str, Any, bool]]:
    """Yield the values of a column and its nested values, each with its name and whether it is nullable."""
    name = name or f"column {field.name}"
    yield name, values, field.nullable
    if pa.types.is_list(field.type):
        yield from _levels(field.type.value_field, values.flatten(), f"{name}, an element")
    if pa.types.is_struct(field.type):
        for index in range(field.type.num_fields):
            inner = field.type.field(index)
            yield from _levels(inner, values.field(index), f"{name}, {inner.name}")
