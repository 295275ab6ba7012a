"""Building blocks of schemas: column types, descriptions, keys, and the canonical form of JSON."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import pyarrow as pa

Schema: TypeAlias = Any  # pyarrow has no type information
Field: TypeAlias = Any

CANARY = "a5973eee-efbb-41da-88cc-d0e7348fd9bf"  # in every test file and on the card; never change it
LARGEST_INTEGER = 2**53  # readers that convert numbers to doubles (JSON, JavaScript) change larger numbers

_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

STRING = pa.string()
BOOL = pa.bool_()
INT = pa.int32()
LONG = pa.int64()
REAL = pa.float64()
STRINGS = pa.list_(pa.field("element", STRING, nullable=False))
STRING_LISTS = pa.list_(pa.field("element", STRINGS, nullable=False))
INTS = pa.list_(pa.field("element", INT, nullable=False))


def struct(*names: str) -> Any:
    """Return the type of a record of string lists, for example ``{"pos": [...], "neg": [...]}``."""
    return pa.struct([pa.field(name, STRINGS, nullable=False) for name in names])


def column(name: str, kind: Any, description: str, *, nullable: bool = False) -> Field:
    """Return a column; its ``description`` is printed on the dataset card."""
    return pa.field(name, kind, nullable=nullable, metadata={"description": description})


def table(name: str, description: str, *columns: Field, key: tuple[str, ...] = ("id",)) -> Schema:
    """Return a schema with the table's name, its meaning, and the columns that identify a row in messages."""
    return pa.schema(columns, metadata={"table": name, "description": description, "key": ",".join(key)})


def fields(schema: Schema, *names: str) -> list[Field]:
    """Return columns of a table by their names, for another table.

    Raises:
        KeyError: the table has no such column.
    """
    return [schema.field(name) for name in names]


def table_name(schema: Schema) -> str:
    """Return the name of the table that ``schema`` describes."""
    return _text(schema.metadata, "table")


def description(schema_or_field: Schema | Field) -> str:
    """Return the description of a table or column; empty if it has none."""
    return _text(schema_or_field.metadata, "description")


def key_columns(schema: Schema) -> tuple[str, ...]:
    """Return the columns that identify a row in messages."""
    return tuple(_text(schema.metadata, "key").split(","))


def with_canary(schema: Schema) -> Schema:
    """Return the schema with the canary in its metadata, for files of the test split."""
    return schema.with_metadata({**schema.metadata, b"canary": f"orrery test canary {CANARY}".encode()})


def as_json(value: Any) -> str:
    """Return the canonical JSON of ``value``: sorted keys, no spaces, no NaN."""
    return _ENCODER.encode(value)


def _text(metadata: dict[bytes, bytes] | None, name: str) -> str:
    return (metadata or {}).get(name.encode(), b"").decode()
