"""``croissant.json``: the dataset in the vocabulary Croissant 1.1, which search engines and loaders read.

Every file of a table is listed with its hash. Every table is a record set whose fields are the split, which
is read from the names of the files, and the columns, described as on the card. See https://docs.mlcommons.org/croissant/docs/croissant-spec.html.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from orrery.dataset.contents import file_hash
from orrery.language.words import environment
from orrery.store import kinds, shards
from orrery.store.files import write_text
from orrery.store.kinds import Schema

FILE = "croissant.json"


class _RecordFile(NamedTuple):
    """A file of a table: its path in the dataset, its size in bytes and its SHA-256."""

    path: str
    size: int
    digest: str


def write_croissant(
    dataset: Path, schemas: Mapping[str, Schema], *, templates: Path, version: str, citation: str
) -> None:
    """Write the description of the tables and views in ``dataset``; ``schemas`` has their columns by name."""
    folders = {
        f"{folder}/{table}": (table, schemas[table])
        for folder in (shards.DATA, shards.VIEWS)
        for table in shards.splits(dataset, folder)
    }
    text = environment(templates).get_template("card/croissant.json.j2").render(
        files=[file for folder in (shards.DATA, shards.VIEWS) for file in _files(dataset, folder)],
        folders=folders,
        version=version,
        citation=citation,
        meaning=kinds.description,
        within_lists=_within_lists,
        value_type=_value_type,
    )  # fmt: skip
    write_text(dataset / FILE, json.dumps(json.loads(text), ensure_ascii=False) + "\n")


def _files(dataset: Path, folder: str) -> list[_RecordFile]:
    """Return the files of a folder of tables, by table and split."""
    by_table = shards.splits(dataset, folder).values()
    paths = [path for by_split in by_table for files in by_split.values() for path in files]
    return [
        _RecordFile(path.relative_to(dataset).as_posix(), path.stat().st_size, file_hash(path))
        for path in paths
    ]


def _within_lists(kind: Any) -> tuple[Any, bool]:
    """Return the element type of a list, or of nested lists, and whether the type is a list."""
    repeated = False
    while pa.types.is_list(kind):
        kind, repeated = kind.value_type, True
    return kind, repeated


def _value_type(kind: Any) -> str:
    """Return the name of a value type; empty for records."""
    if pa.types.is_struct(kind):
        return ""
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
