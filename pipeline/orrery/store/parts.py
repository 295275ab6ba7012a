"""Finished parts of a stage's work, kept so that a killed build resumes: a folder each, whole or absent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from orrery.orphans import guard
from orrery.store import shards
from orrery.store.columns import Row, Table
from orrery.store.kinds import Schema, table_name


@dataclass(frozen=True)
class Parts:
    """Parts under ``folder``, each with one Parquet file for every one of ``schemas``.

    Kept outside the outputs of a stage, which DVC deletes before it runs the stage again.
    """

    folder: Path
    schemas: tuple[Schema, ...]

    @classmethod
    def under(cls, base: Path, fingerprint: str, schemas: tuple[Schema, ...]) -> Parts:
        """Return the parts in ``base`` made under ``fingerprint``; those of others are stale and removed."""
        for folder in base.glob("*/"):
            if folder.name != fingerprint and not shards.is_at_work(folder):
                shards.remove_folder(folder)
        return cls(base / fingerprint, schemas)

    def discard(self) -> None:
        """Remove all parts, once what was made of them is written, and the folders that this leaves empty."""
        shards.remove_folder(self.folder)
        for folder in self.folder.parents:
            try:
                folder.rmdir()
            except OSError:
                break

    def has(self, name: str) -> bool:
        """Return whether part ``name`` is finished."""
        folder = self._path(name)
        return all((folder / f"{table_name(schema)}.parquet").is_file() for schema in self.schemas)

    def save(self, name: str, tables: Mapping[str, Sequence[Row] | Table]) -> None:
        """Keep the rows of part ``name`` by table, or Arrow tables; a table without rows may be left out."""
        with shards.replacing(self._path(name)) as temporary:
            self._write(temporary, tables)

    def packed(self, tables: Mapping[str, Sequence[Row] | Table]) -> dict[str, bytes]:
        """Return the files of a part by name, for ``put`` in another process; ``tables`` as for ``save``."""
        with TemporaryDirectory(dir=guard().folder) as folder:
            self._write(Path(folder), tables)
            return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}

    def put(self, name: str, files: Mapping[str, bytes]) -> None:
        """Keep the files of part ``name``."""
        with shards.replacing(self._path(name)) as temporary:
            temporary.mkdir()
            for file, data in files.items():
                (temporary / file).write_bytes(data)

    def _write(self, folder: Path, tables: Mapping[str, Sequence[Row] | Table]) -> None:
        """Write the files of a part."""
        unknown = set(tables) - {table_name(schema) for schema in self.schemas}
        if unknown:
            raise ValueError(f"tables without a schema: {sorted(unknown)}")
        for schema in self.schemas:
            rows, path = tables.get(table_name(schema), ()), folder / f"{table_name(schema)}.parquet"
            if isinstance(rows, pa.Table):
                shards.write_tables(path, schema, [rows])
            else:
                shards.write(path, schema, rows)

    def load(self, name: str) -> dict[str, list[Row]]:
        """Return the rows of part ``name`` by table, in the order they were saved."""
        folder = self._path(name)
        return {
            table_name(schema): list(shards.read_rows(folder / f"{table_name(schema)}.parquet", schema))
            for schema in self.schemas
        }

    def tables(
        self, names: Iterable[str], table: str, columns: Sequence[str] | None = None
    ) -> Iterator[Table]:
        """Yield the rows of ``table`` in the finished parts ``names``, an Arrow table each, in that order.

        With ``columns``, these alone are read.
        """
        schema = next(schema for schema in self.schemas if table_name(schema) == table)
        for name in names:
            yield shards.read(self._path(name) / f"{table}.parquet", schema, columns)

    def _path(self, name: str) -> Path:
        if not re.fullmatch(r"[\w-]+", name):
            raise ValueError(f"not a name for a part: {name!r}")
        return self.folder / name
