"""Tables as files: schemas, ids, duplicate texts. Read with pyarrow alone, not with what wrote them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

SHARD = re.compile(r"(train|validation|test)-\d{5}-of-(\d{5})\.parquet")
UNIQUE = {"text_to_pddl": ("id", "natural_language"), "problems": ("id", "strict_key", "loose_key")}


def check(dataset: Path, table: str, schema: Any) -> list[tuple[str, str]]:
    """(row, fault): files that lack, columns of the wrong kind, missing values, values that occur twice.

    An id says its split, which must be that of the file.
    """
    files = sorted((dataset / "data" / table).glob("*.parquet"))
    found = _lacking(files)
    seen: dict[str, Counter[str]] = {name: Counter() for name in UNIQUE.get(table, ("id",))}
    for path in files:
        file = pq.ParquetFile(path)
        if faults := _schema_faults(file.schema_arrow, schema):
            found += [(path.name, fault) for fault in faults]
            continue
        content = file.read()
        found += [(path.name, fault) for fault in _null_faults(content, schema)]
        split = path.name.split("-")[0]
        ids = (name for name in content.column("id").to_pylist() if name is not None)
        found += [(name, f"stands in split {split}") for name in ids if f"/{split}/" not in name]
        for name, counter in seen.items():
            counter.update(filter(None, content.column(name).to_pylist()))
    for name, counter in seen.items():
        found += [(value[:80], f"{name} occurs {n} times") for value, n in sorted(counter.items()) if n > 1]
    return found


def _lacking(files: list[Path]) -> list[tuple[str, str]]:
    """Shards that the names of the others promise; a table without any file."""
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


def _schema_faults(found: Any, wanted: Any) -> list[str]:
    names = [field.name for field in wanted]
    if found.names != names:
        return [f"columns are {found.names}, should be {names}"]
    return [
        f"column {name} is {found.field(name).type}, should be {wanted.field(name).type}"
        for name in names
        if not found.field(name).type.equals(wanted.field(name).type)
    ]


def _null_faults(content: Any, schema: Any) -> list[str]:
    """Missing values where there may be none, in columns, lists and records."""
    found = []
    for field in schema:
        for name, values, nullable in _levels(field, content.column(field.name).combine_chunks()):
            if values.null_count and not nullable:
                found.append(f"{name} has {values.null_count} missing values")
    return found


def _levels(field: Any, values: Any, name: str = "") -> Iterator[tuple[str, Any, bool]]:
    """The values of a column and of what is nested in it, with name and whether some may be missing."""
    name = name or f"column {field.name}"
    yield name, values, field.nullable
    if pa.types.is_list(field.type):
        yield from _levels(field.type.value_field, values.flatten(), f"{name}, an element")
    if pa.types.is_struct(field.type):
        for index in range(field.type.num_fields):
            inner = field.type.field(index)
            yield from _levels(inner, values.field(index), f"{name}, {inner.name}")
