"""Parts: folders of Parquet files with the fingerprint of their inputs.

A part has one file for each of its tables. It is written under a temporary name and renamed, so it is
complete or absent. A stage skips a part with the right fingerprint. So a killed build continues where it
stopped, and unchanged domains are kept.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from orrery.model import OrreryError, Row
from orrery.store import shards
from orrery.store.columns import Table, batches
from orrery.store.files import remove_folder, replacing
from orrery.store.kinds import Schema, table_name
from orrery.workers import ALONE, Workers, map_items

Item = TypeVar("Item")
Tables: TypeAlias = Mapping[str, Sequence[Row] | Table]

PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Part:
    """A folder with a Parquet file for each of ``schemas``; ``fingerprint`` is a hash of its inputs."""

    folder: Path
    schemas: tuple[Schema, ...]
    fingerprint: str

    def is_made(self) -> bool:
        """Return whether all files exist, are undamaged, and have the fingerprint."""
        return all(self._is_whole(schema) for schema in self.schemas)

    def save(self, tables: Tables) -> None:
        """Write the rows by table atomically. A table without rows may be omitted.

        Raises:
            ValueError: a table has no schema.
        """
        unknown = tables.keys() - set(map(table_name, self.schemas))
        if unknown:
            raise ValueError(f"tables without a schema: {sorted(unknown)}")
        with replacing(self.folder, lasting=False) as folder:
            for schema in self.schemas:
                name = table_name(schema)
                rows = tables.get(name, ())
                arrow = batches(schema, rows, shards.ROWS_PER_GROUP) if isinstance(rows, Sequence) else [rows]
                path = folder / f"{name}.parquet"
                shards.write_tables(path, schema, arrow, settings=shards.PASSING, made_from=self.fingerprint)

    def table(self, name: str, columns: Sequence[str] | None = None) -> Table:
        """Return the rows of a table, or some of their columns. Errors: see ``shards.read``."""
        [schema] = (schema for schema in self.schemas if table_name(schema) == name)
        return shards.read(self.folder / f"{name}.parquet", schema, columns)

    def _is_whole(self, schema: Schema) -> bool:
        path = self.folder / f"{table_name(schema)}.parquet"
        try:
            if not path.is_file() or shards.made_from(path) != self.fingerprint:
                return False
            shards.read(path, schema)  # as its readers do: batches stop at the end of the shortest column
        except OrreryError:
            return False
        return True


@dataclass(frozen=True)
class Parts:
    """The parts of one work below ``folder``; ``fingerprint`` is a hash of their inputs; picklable."""

    folder: Path
    schemas: tuple[Schema, ...]
    fingerprint: str

    def part(self, name: str) -> Part:
        """Return the part with this name."""
        return Part(self.folder / name, self.schemas, self.fingerprint)

    def tables(
        self, names: Iterable[str], table: str, columns: Sequence[str] | None = None
    ) -> Iterator[Table]:
        """Yield the rows of a table, or some of their columns, for each of these parts."""
        return (self.part(name).table(table, columns) for name in names)

    def discard(self) -> None:
        """Remove all parts, and parent folders that become empty."""
        remove_folder(self.folder)
        for folder in self.folder.parents:
            try:
                folder.rmdir()
            except OSError:
                break


def map_parts(
    function: Callable[[Item], Tables],
    items: Iterable[Item],
    parts: Parts,
    workers: Workers = ALONE,
    *,
    label: str = "",
    describe: Callable[[Item], str] = repr,
) -> list[str]:
    """Return the names of the parts that ``function`` makes, one per item, in the order of the items.

    Workers save the parts, so that rows are not sent between processes. A finished part is not
    made again. It is identified by its number and the description of its item, so descriptions must be
    unique. Errors: see ``map_items``.
    """
    listed = list(items)
    names = [f"{number:05}-{digest([describe(item)])[:16]}" for number, item in enumerate(listed)]
    missing = [
        (name, item) for name, item in zip(names, listed, strict=True) if not parts.part(name).is_made()
    ]
    save = partial(_save_part, function, parts)
    for _ in map_items(save, missing, workers, label=label, describe=lambda pair: describe(pair[1])):
        pass
    return names


def _save_part(function: Callable[[Item], Tables], parts: Parts, named: tuple[str, Item]) -> None:
    name, item = named
    parts.part(name).save(function(item))


def fingerprint(paths: Iterable[Path], **values: Any) -> str:
    """Return a hash of the files at and below ``paths``, of JSON ``values`` and of the version of Python.

    Files are identified by name and content, independent of the location of the checkout.
    """
    lines = [json.dumps(values, sort_keys=True), sys.version, *hashes_of_files(paths)]
    return digest(lines)[:32]


@cache
def package_fingerprint() -> str:
    """Return the fingerprint of this package, read once per process, because later changes are not loaded."""
    return fingerprint([PACKAGE])


def hashes_of_files(roots: Iterable[Path]) -> Iterator[str]:
    """Yield a line for each file at and below some paths: its relative name and its SHA-256."""
    for root in roots:
        for path in files_below(root):
            name = path.relative_to(root.parent).as_posix()
            yield f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def files_below(root: Path) -> list[Path]:
    """Return the files at and below a path, sorted, without compiled code."""
    paths = sorted(root.rglob("*")) if root.is_dir() else [root]
    return [path for path in paths if path.is_file() and "__pycache__" not in path.parts]


def digest(lines: Iterable[str]) -> str:
    """Return the SHA-256 of lines, in hexadecimal."""
    return hashlib.sha256(json.dumps(list(lines)).encode()).hexdigest()
