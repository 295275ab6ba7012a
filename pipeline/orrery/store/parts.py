"""Finished parts of a stage's work, kept so that a killed build resumes: a file each, whole or absent.

A file has the rows of all tables of the part in the form in which Arrow sends them, behind an index with a
checksum of each. So it tells by itself whether it is whole, and need not be brought to the disk at once: what
a power cut leaves of it counts as not there. Tables that are published are Parquet (``shards``).
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from orrery.model import OrreryError
from orrery.store import shards
from orrery.store.columns import Row, Table, from_rows
from orrery.store.kinds import Schema, table_name

ENDING = ".part"
_HEAD = struct.Struct("<8sII")  # what kind of file it is, the length of the index, and its checksum
_KIND = b"ORRPART1"
_SMALL = 1 << 16  # bytes of a table that are not worth compressing


class _Place(NamedTuple):
    """Where the rows of a table lie in a file, and their checksum."""

    start: int
    length: int
    checksum: int


@dataclass(frozen=True)
class Parts:
    """Parts under ``folder``, each with rows for every one of ``schemas``.

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
        """Return whether part ``name`` is finished: all of it is there, and undamaged."""
        path = self._path(name)
        try:
            with path.open("rb") as file:
                places = _index(file)
                return places.keys() == set(map(table_name, self.schemas)) and all(
                    _body(file, place) is not None for place in places.values()
                )
        except (OSError, ValueError):
            return False

    def save(self, name: str, tables: Mapping[str, Sequence[Row] | Table]) -> None:
        """Keep the rows of part ``name`` by table, or Arrow tables; a table without rows may be left out."""
        self.put(name, self.packed(tables))

    def packed(self, tables: Mapping[str, Sequence[Row] | Table]) -> bytes:
        """Return a part as a file has it, for ``put`` in another process; ``tables`` as for ``save``."""
        unknown = set(tables) - set(map(table_name, self.schemas))
        if unknown:
            raise ValueError(f"tables without a schema: {sorted(unknown)}")
        bodies, places, start = list[bytes](), dict[str, _Place](), 0
        for schema in self.schemas:
            bodies.append(_sent(schema, tables.get(table_name(schema), ())))
            places[table_name(schema)] = _Place(start, len(bodies[-1]), zlib.crc32(bodies[-1]))
            start += len(bodies[-1])
        index = json.dumps(places).encode()
        return b"".join([_HEAD.pack(_KIND, len(index), zlib.crc32(index)), index, *bodies])

    def put(self, name: str, data: bytes) -> None:
        """Keep part ``name``."""
        with shards.replacing(self._path(name), lasting=False) as temporary:
            temporary.write_bytes(data)

    def load(self, name: str) -> dict[str, list[Row]]:
        """Return the rows of part ``name`` by table, in the order they were saved; errors as ``tables``."""
        names = map(table_name, self.schemas)
        return {table: next(self.tables([name], table)).to_pylist() for table in names}

    def tables(
        self, names: Iterable[str], table: str, columns: Sequence[str] | None = None
    ) -> Iterator[Table]:
        """Yield the rows of ``table`` in the finished parts ``names``, an Arrow table each, in that order.

        With ``columns``, these alone are given.

        Raises:
            OrreryError: a part is not there, or damaged.
        """
        if table not in map(table_name, self.schemas):
            raise ValueError(f"no table of these parts: {table}")
        for name in names:
            found = _received(self._path(name), table)
            yield found if columns is None else found.select(list(columns))

    def _path(self, name: str) -> Path:
        if not re.fullmatch(r"[\w-]+", name):
            raise ValueError(f"not a name for a part: {name!r}")
        return self.folder / f"{name}{ENDING}"


def _sent(schema: Schema, rows: Sequence[Row] | Table) -> bytes:
    """Return rows in the form in which Arrow sends them, each value checked as ``from_rows`` does."""
    table: Any = rows if isinstance(rows, pa.Table) else from_rows(schema, rows)
    sink = pa.BufferOutputStream()
    compression = "lz4" if table.nbytes > _SMALL else None
    with pa.ipc.new_stream(sink, schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as stream:
        stream.write_table(table)
    sent: bytes = sink.getvalue().to_pybytes()
    return sent


def _received(path: Path, table: str) -> Table:
    """Return the rows of a table of a part."""
    try:
        with path.open("rb") as file:
            body = _body(file, _index(file)[table])
    except (OSError, ValueError, KeyError) as error:
        raise _damaged(path) from error
    if body is None:
        raise _damaged(path)
    with pa.ipc.open_stream(pa.py_buffer(body)) as stream:
        return stream.read_all()


def _damaged(path: Path) -> OrreryError:
    return OrreryError(
        str(path), "a finished part is gone or damaged", "run the same again, which makes it anew"
    )


def _index(file: BinaryIO) -> dict[str, _Place]:
    """Return the places of all tables, from the beginning of the file; ValueError where it is no part."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise ValueError("too short")
    kind, length, checksum = _HEAD.unpack(head)
    index = file.read(length)
    if kind != _KIND or zlib.crc32(index) != checksum:
        raise ValueError("no part")
    first = _HEAD.size + length
    return {name: _Place(first + start, *rest) for name, (start, *rest) in json.loads(index).items()}


def _body(file: BinaryIO, place: _Place) -> bytes | None:
    """Return the rows of a table as they were sent; None where they are not what was written."""
    file.seek(place.start)
    body = file.read(place.length)
    return body if len(body) == place.length and zlib.crc32(body) == place.checksum else None
