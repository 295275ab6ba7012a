"""Parquet files: written atomically, with reproducible bytes, and read with clear errors.

Files are zstd-compressed, with a page index and page checksums, in small row groups. If pyarrow supports it,
page boundaries follow the content, so that an edited row changes few bytes of a stored file.
"""

from __future__ import annotations

import inspect
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from glob import escape
from itertools import chain, islice
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from orrery.model import OrreryError
from orrery.store import kinds
from orrery.store.columns import Row, Table, batches, regrouped
from orrery.store.kinds import Schema

# Arrow's own allocators keep freed memory, about 100 MB per process here; see ``release``.
pa.set_memory_pool(pa.system_memory_pool())

TEMPORARY = ".unfinished-"
MADE_FROM = b"made_from"  # the key of the fingerprint in the metadata of a file
DATA, VIEWS = "data", "views"  # the folders of tables, and of files that repeat rows of tables
ROWS_PER_GROUP = 1000
ROWS_PER_SHARD = 100_000
SPLITS = ("train", "validation", "test")
# The command that writes each folder of outputs with one folder per domain.
MADE_BY = {
    "problems": "generate", "solutions": "solve", "texts": "render", "questions": "generate-questions",
    "plans": "generate-plan-tasks", "descriptions": "describe-domains", "corpus": "corpus",
}  # fmt: skip
# Levels of zstd. Level 9, for published files, takes four times as long as 3 and saves a fifth on texts.
QUICK, SMALL = 3, 9

_SETTINGS: Mapping[str, Any] = {
    "compression": "zstd",
    "compression_level": QUICK,
    "write_page_index": True,
    "write_page_checksum": True,
}
# For files that are uploaded in every version. pyarrow supports content-defined chunks since version 21.
_TRAVELS: Mapping[str, Any] = {
    "compression_level": SMALL,
    **{
        name: True
        for name in ("use_content_defined_chunking",)
        if name in inspect.signature(pq.ParquetWriter).parameters
    },
}


@contextmanager
def replacing(path: Path, *, lasting: bool = True) -> Iterator[Path]:
    """Yield a temporary path next to ``path`` (file or folder), which replaces it when the block succeeds.

    If the block raises or the process is killed, the old file or folder remains at ``path``. The next call
    removes the temporary file of a dead process. Inside a folder that this function yielded, ``path`` itself
    is yielded, because the whole folder is written to the disk together. If a file is not ``lasting``,
    because its readers notice a truncated file, it is not flushed to the disk.

    Raises:
        OrreryError: a file would replace a folder.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    ours = f"-{os.getpid()}"
    if any(folder.name.startswith(TEMPORARY) and folder.name.endswith(ours) for folder in path.parents):
        yield path
        return
    temporary = path.with_name(f"{TEMPORARY}{path.name}{ours}")
    for unfinished in path.parent.glob(f"{TEMPORARY}*{escape(path.name)}-*"):
        if not is_at_work(unfinished):
            remove(unfinished)
    remove(temporary)
    try:
        yield temporary
        if lasting:
            _flush(temporary)
        _put(temporary, path)
        if lasting:
            _sync(path.parent)
    except OSError as error:
        if error.filename is None:  # for example a full disk, if a writer does not name its file
            error.filename = str(path)
        raise
    finally:
        remove(temporary)


def remove_folder(folder: Path) -> None:
    """Remove a folder, if it exists. If the process is killed, no part of it remains under this name."""
    going = folder.with_name(f"{TEMPORARY}gone-{folder.name}-{os.getpid()}")
    remove(going)
    try:
        folder.rename(going)
    except FileNotFoundError:
        return
    remove(going)


def is_at_work(path: Path) -> bool:
    """Return whether a path is the unfinished file or folder of another running process."""
    process = path.name.rpartition("-")[2]
    is_running = process.isdigit() and int(process) != os.getpid() and psutil.pid_exists(int(process))
    return path.name.startswith(TEMPORARY) and is_running


def write(path: Path, schema: Schema, rows: Iterable[Row], *, made_from: str = "") -> int:
    """Write ``rows`` to the Parquet file ``path``, ROWS_PER_GROUP at a time; return their number."""
    return write_tables(path, schema, batches(schema, rows, ROWS_PER_GROUP), made_from=made_from)


def write_tables(
    path: Path, schema: Schema, tables: Iterable[Table], *, travels: bool = False, made_from: str = ""
) -> int:
    """Write the rows of Arrow ``tables`` to the Parquet file ``path``; return their number.

    The division into tables does not affect the file. A file that ``travels`` is compressed more, and has the
    same bytes as an earlier version if its rows are the same. The fingerprint ``made_from`` is stored in its
    metadata.
    """
    total = 0
    schema = schema.with_metadata({**schema.metadata, MADE_FROM: made_from}) if made_from else schema
    settings = {**_SETTINGS, **(_TRAVELS if travels else {})}
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
        write_tables(written[-1], schema, shard, travels=True)
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
    except (pa.ArrowException, OSError) as error:
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
    differ = ", ".join(differing) or "their order"
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


def _put(temporary: Path, path: Path) -> None:
    """Rename a path.

    A folder in its place is moved away first, because renaming does not replace a full folder.

    A file never replaces a folder, because a user may have given a wrong path.
    """
    if not path.is_dir():
        temporary.replace(path)
        return
    if not temporary.is_dir():
        raise OrreryError(str(path), "is a folder", "name a file, or remove the folder")
    replaced = path.with_name(f"{TEMPORARY}old-{path.name}-{os.getpid()}")
    path.rename(replaced)
    temporary.rename(path)
    remove(replaced)


def remove(path: Path) -> None:
    """Remove a file, or a folder with its content, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Flush a file, or all files of a folder, to the disk."""
    for file in [path] if path.is_file() else sorted(path.rglob("*")):
        if file.is_file():
            _sync(file)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
