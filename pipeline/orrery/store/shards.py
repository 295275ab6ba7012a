"""Parquet files: written atomically, with reproducible bytes, and read with clear errors.

Files are zstd-compressed, with a page index and page checksums, in small row groups. If pyarrow supports it,
page boundaries follow the content, so that an edited row changes few bytes of a stored file.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from orrery.model import OrreryError, Row
from orrery.store import kinds
from orrery.store.columns import Table, batches, regrouped
from orrery.store.files import TEMPORARY, replacing
from orrery.store.kinds import Schema

# Arrow's own allocators keep freed memory, about 100 MB per process here; see ``release``.
pa.set_memory_pool(pa.system_memory_pool())

MADE_FROM = b"made_from"  # the key of the fingerprint in the metadata of a file
DATA, VIEWS = "data", "views"  # the folders of tables, and of files that repeat rows of tables
ROWS_PER_GROUP = 1000
ROWS_PER_SHARD = 100_000
MOST_NAMED = 8  # columns that a message lists
SPLITS = ("train", "validation", "test")
# The command that writes each folder of outputs with one folder per domain.
MADE_BY = {
    "problems": "generate", "solutions": "solve", "texts": "render", "questions": "generate-questions",
    "plans": "generate-plan-tasks", "worlds": "generate-worlds", "descriptions": "describe-domains",
    "corpus": "corpus", "composed": "compose",
}  # fmt: skip
# Levels of zstd. Level 9, for published files, takes four times as long as 3 and saves a fifth on texts.
QUICK, SMALL = 3, 9

_KEPT: Mapping[str, Any] = {
    "compression": "zstd",
    "compression_level": QUICK,
    "write_page_index": True,
    "write_page_checksum": True,
}
# For small files that are read as a whole: dictionaries, statistics and an index take as long as the rows.
PASSING: Mapping[str, Any] = {
    "compression": "zstd",
    "write_page_checksum": True,
    "use_dictionary": False,
    "write_statistics": False,
}
# For files that are uploaded in every version. pyarrow supports content-defined chunks since version 21.
_TRAVELLING: Mapping[str, Any] = {
    **_KEPT,
    "compression_level": SMALL,
    **{
        name: True
        for name in ("use_content_defined_chunking",)
        if name in inspect.signature(pq.ParquetWriter).parameters
    },
}


def write(path: Path, schema: Schema, rows: Iterable[Row], *, made_from: str = "") -> int:
    """Write ``rows`` to the Parquet file ``path``, ROWS_PER_GROUP at a time; return their number."""
    return write_tables(path, schema, batches(schema, rows, ROWS_PER_GROUP), made_from=made_from)


def write_tables(
    path: Path,
    schema: Schema,
    tables: Iterable[Table],
    *,
    settings: Mapping[str, Any] = _KEPT,
    made_from: str = "",
) -> int:
    """Write the rows of Arrow ``tables`` to the Parquet file ``path``; return their number.

    The division into tables does not affect the file. ``settings`` are those of the writer. The fingerprint
    ``made_from`` is stored in the metadata of the file.
    """
    total = 0
    schema = schema.with_metadata({**schema.metadata, MADE_FROM: made_from}) if made_from else schema
    with replacing(path) as temporary, pq.ParquetWriter(temporary, schema, **settings) as writer:
        for table in regrouped(tables, ROWS_PER_GROUP):
            writer.write_table(table, row_group_size=ROWS_PER_GROUP)
            total += table.num_rows
    return total


def write_table_shards(
    dataset: Path,
    schema: Schema,
    split: str,
    tables: Iterable[Table],
    *,
    rows_per_shard: int = ROWS_PER_SHARD,
    folder: str = DATA,
) -> list[Path]:
    """Write ``data/<table>/<split>-00000-of-0000N.parquet`` and return the paths; without rows, no file.

    Earlier shards of the split are replaced. ``rows_per_shard`` is a multiple of ROWS_PER_GROUP, or smaller
    than it. At most ROWS_PER_GROUP rows and one of ``tables`` are in memory.
    """
    if split not in SPLITS:
        raise OrreryError(
            f"table {kinds.table_name(schema)}", f"unknown split '{split}'", f"splits: {SPLITS}"
        )
    place = dataset / folder / kinds.table_name(schema)
    schema = kinds.with_canary(schema) if split == "test" else schema
    step = min(ROWS_PER_GROUP, rows_per_shard)
    remaining, written = regrouped(tables, step), list[Path]()
    for first in remaining:
        written.append(place / f"{TEMPORARY}{split}-{len(written):05}")
        shard = chain([first], islice(remaining, rows_per_shard // step - 1))
        write_tables(written[-1], schema, shard, settings=_TRAVELLING)
    return _name_shards(place, split, written)


def read(path: Path, schema: Schema | None = None, columns: Sequence[str] | None = None) -> Table:
    """Return the Parquet file as an Arrow table.

    Raise an OrreryError that names the file if it is missing, truncated, damaged or not of ``schema``.
    """
    with opened(path, schema) as file:
        return file.read(columns=columns, use_threads=False)


def read_rows(
    path: Path, schema: Schema | None = None, columns: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the Parquet file one by one, with one row group in memory. Errors: see ``read``."""
    with opened(path, schema) as file:
        for batch in file.iter_batches(ROWS_PER_GROUP, columns=columns, use_threads=False):
            yield from batch.to_pylist()


def read_batches(
    path: Path, schema: Schema | None = None, columns: Sequence[str] | None = None, size: int = ROWS_PER_GROUP
) -> Iterator[Table]:
    """Yield the rows of the Parquet file in Arrow tables of ``size`` rows. Errors: see ``read``."""
    with opened(path, schema) as file:
        for batch in file.iter_batches(size, columns=columns, use_threads=False):
            yield pa.Table.from_batches([batch])


def made_from(path: Path) -> str:
    """Return the fingerprint in the metadata of a Parquet file, empty if it has none.

    Errors: see ``read``.
    """
    with opened(path) as file:
        metadata: Mapping[bytes, bytes] = file.schema_arrow.metadata or {}
        return metadata.get(MADE_FROM, b"").decode()


def count(path: Path, schema: Schema | None = None) -> int:
    """Return the number of rows, read only from the end of the file. Errors: see ``read``."""
    with opened(path, schema) as file:
        return int(file.metadata.num_rows)


def shards(dataset: Path, table: str, split: str | None = None, folder: str = DATA) -> list[Path]:
    """Return the sorted shards of a table of ``dataset``, of one split or all; empty if there are none."""
    return sorted((dataset / folder / table).glob(f"{split or '*'}-*-of-*.parquet"))


def splits(dataset: Path, folder: str = DATA) -> dict[str, dict[str, list[Path]]]:
    """Return the shards of every table and split of ``dataset``; tables sorted, splits as in SPLITS."""
    shards_by_table: dict[str, dict[str, list[Path]]] = {}
    for place in sorted((dataset / folder).glob("*/")):
        by_split = {split: shards(dataset, place.name, split, folder) for split in SPLITS}
        shards_by_table[place.name] = {split: paths for split, paths in by_split.items() if paths}
    return {table: by_split for table, by_split in shards_by_table.items() if by_split}


@contextmanager
def opened(path: Path, schema: Schema | None = None) -> Iterator[Any]:
    """Open a Parquet file. Any error, at opening or reading, is raised as in ``read``."""
    mend = "delete it and run `dvc repro`"
    if not path.is_file():
        raise OrreryError(str(path), "no such file", _maker(path))
    try:
        # No read-ahead and no threads: stages share the cores, and processes with threads
        # cannot be forked.
        with pq.ParquetFile(path, page_checksum_verification=True, pre_buffer=False) as file:
            _compare(path, file.schema_arrow, schema)
            yield file
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise OrreryError(str(path), f"cannot be read: {_damage(path)}; {_one_line(error)}", mend) from error
    finally:
        release()


def release() -> None:
    """Return freed memory to the system, which neither Arrow nor the C library does automatically."""
    pa.default_memory_pool().release_unused()


def _maker(path: Path) -> str:
    """Return the command that writes a missing file."""
    for folder, domain in ((path.parent.parent, f" {path.parent.name}"), (path.parent, "")):
        if command := MADE_BY.get(folder.name):
            return f"`orrery {command}{domain}` makes it, `dvc repro` makes all"
    return "run `dvc repro`"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _damage(path: Path) -> str:
    """Return the place where a Parquet file is truncated or damaged.

    It must begin and end with four known bytes.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(4)
        file.seek(max(0, size - 4))
        tail = file.read(4)
    if head == b"PAR1" and tail != b"PAR1":
        return f"truncated at byte {size}"
    return f"damaged inside its {size} bytes" if head == b"PAR1" and size > 8 else "not a Parquet file"


def _compare(path: Path, schema: Schema, expected: Schema | None) -> None:
    if expected is None or schema.equals(expected):
        return
    differing = [
        name
        for name in dict.fromkeys([*expected.names, *schema.names])
        if name not in schema.names
        or name not in expected.names
        or schema.field(name) != expected.field(name)
    ]
    more = len(differing) - MOST_NAMED
    differ = ", ".join(differing[:MOST_NAMED]) or "their order"
    differ += f" and {more} more" if more > 0 else ""
    problem = f"columns are not those of table {kinds.table_name(expected)}: {differ}"
    raise OrreryError(str(path), problem, "another version made it; delete it and run `dvc repro`")


def _name_shards(folder: Path, split: str, written: Sequence[Path]) -> list[Path]:
    """Rename finished shards to their final, numbered names, and remove older shards of the split."""
    named = [folder / f"{split}-{n:05}-of-{len(written):05}.parquet" for n in range(len(written))]
    for old in set(folder.glob(f"{split}-*-of-*.parquet")) - set(named):
        old.unlink()
    for temporary, path in zip(written, named, strict=True):
        temporary.replace(path)
    return named
