"""Tables as files: schemas, ids, duplicate texts. Read with pyarrow alone, not with what wrote them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

UNIQUE = {"text_to_pddl": ("id", "natural_language"), "problems": ("id", "strict_key", "loose_key")}


def check(dataset: Path, table: str, schema: Any) -> list[tuple[str, str]]:
    """(row, fault) for columns of the wrong kind, missing values, and values that occur twice."""
    files = sorted((dataset / "data" / table).glob("*.parquet"))
    found = []
    seen: dict[str, Counter[str]] = {name: Counter() for name in UNIQUE.get(table, ("id",))}
    for path in files:
        file = pq.ParquetFile(path)
        found += [(path.name, fault) for fault in _schema_faults(file.schema_arrow, schema)]
        content = file.read()
        found += [(path.name, fault) for fault in _null_faults(content, schema)]
        for name, counter in seen.items():
            counter.update(content.column(name).to_pylist())
    for name, counter in seen.items():
        found += [(value[:80], f"{name} occurs {n} times") for value, n in sorted(counter.items()) if n > 1]
    return found


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
    return [
        f"column {field.name} has {content.column(field.name).null_count} missing values"
        for field in schema
        if not field.nullable and content.column(field.name).null_count
    ]
