"""Tables as files: schemas, ids, duplicate texts. Read with pyarrow alone, not with what wrote them."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from orrery.catalog import SPLITS
from orrery.checks import family_checks
from orrery.checks.verdicts import Verdicts
from orrery.config import Settings
from orrery.engine import map_items
from orrery.families import tables as published
from orrery.model import OrreryError

ROWS = 1000  # held at a time
MOST_NAMED = 20  # rows that a fault names one by one
NONE = np.empty(0, np.uint64)
SHARD = re.compile(r"(train|validation|test)-\d{5}-of-(\d{5})\.parquet")


class TableFile(NamedTuple):
    """A file of a table, and the columns besides the id that no two rows of the table may share."""

    path: Path
    table: str
    schema: Any
    unique: tuple[str, ...]

    def __str__(self) -> str:
        """Return the name of the file in messages."""
        return str(self.path)


class Contents(NamedTuple):
    """The findings on one file: faults by row, and digests of the values that no two rows may share."""

    path: Path
    faults: list[tuple[str, str]]
    digests: dict[str, NDArray[np.uint64]]


def check_files(settings: Settings, jobs: int = 1) -> Verdicts:
    """Check the files of every table: sound, and with the rows that the stages before made, no others."""
    found, dataset = Verdicts(), settings.outputs / "dataset"
    unique = {t: more for checks in family_checks().values() for t, more in checks.unique.items()}
    known = published()
    files = [
        TableFile(path, name, known[name].schema, unique.get(name, ()))
        for name in known
        for path in files_of(dataset, name)
    ]
    contents = list(map_items(files, check_file, jobs=jobs, label="validate: files", describe=str))
    for name, table in known.items():
        mine = [each for file, each in zip(files, contents, strict=True) if file.table == name]
        unlike = _unlike(mine, partial(table.rows, settings))
        faults = lacking([each.path for each in mine]) if mine or unlike else []
        faults += together(mine) + unlike
        found.enter("tables", "", name, [f"{row}: {fault}" for row, fault in faults])
    return found


def _unlike(contents: list[Contents], made_for: Callable[[str], Iterable[Any]]) -> list[tuple[str, str]]:
    """Return the rows that a table lacks, or has too many, against those that the stages before made.

    ``made_for`` gives these for a split, as Arrow tables.
    """
    found = []
    for split in SPLITS:
        wanted = np.concatenate([NONE, *(_digests(rows.column("id")) for rows in made_for(split))])
        stored = [each for each in contents if "id" in each.digests and each.path.name.startswith(split)]
        digests = np.concatenate([NONE, *(each.digests["id"] for each in stored)])
        if not np.isin(wanted, digests).all():
            names = (name for rows in made_for(split) for name in rows.column("id").to_pylist())
            there = np.isin(wanted, digests).tolist()
            missing = sorted(name for name, found in zip(names, there, strict=True) if not found)
            found += [(name, "is missing") for name in missing[:MOST_NAMED]]
            found += [(f"{len(missing)} rows of {split}", "are missing")] * (len(missing) > MOST_NAMED)
        if extra := int((~np.isin(digests, wanted)).sum()):
            found.append((split, f"{extra} rows are none that the stages before made"))
    return found


def files_of(dataset: Path, table: str) -> list[Path]:
    """Return the files of a table, sorted."""
    return sorted((dataset / "data" / table).glob("*.parquet"))


def check_file(file_of: TableFile) -> Contents:
    """Return the faults of one file, and the values to compare with other files.

    Only some rows are in memory at a time.
    """
    path, _, schema, unique = file_of
    with _opened(path) as file:
        if faults := _schema_faults(file.schema_arrow, schema):
            return Contents(path, [(path.name, fault) for fault in faults], {})
        split, missing = path.name.split("-")[0], Counter[str]()
        found: list[tuple[str, str]] = []
        digests: dict[str, list[NDArray[np.uint64]]] = {name: [] for name in ("id", *unique)}
        for batch in file.iter_batches(ROWS):
            missing.update(_missing(batch, schema))
            ids = (name for name in batch.column("id").to_pylist() if name is not None)
            found += [(name, f"stands in split {split}") for name in ids if f"/{split}/" not in name]
            found += _json_faults(batch, schema)
            for name, parts in digests.items():
                parts.append(_digests(batch.column(name)))
    found += [(path.name, f"{name} has {n} missing values") for name, n in missing.items()]
    return Contents(path, found, {name: np.concatenate([NONE, *parts]) for name, parts in digests.items()})


def _json_faults(batch: Any, schema: Any) -> Iterator[tuple[str, str]]:
    """Yield (row, fault) for the values that are not JSON, of columns that say they are."""
    for field in schema:
        said = (field.metadata or {}).get(b"description", b"")
        if field.type == pa.string() and said.startswith(b"JSON"):
            for row, text in zip(
                batch.column("id").to_pylist(), batch.column(field.name).to_pylist(), strict=True
            ):
                try:
                    json.loads(text or "null")
                except ValueError as error:
                    yield str(row), f"{field.name} is not JSON: {error}"


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a Parquet file; raise OrreryError naming it where it is damaged, at its end or in its midst."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        said = " ".join(str(error).split())
        raise OrreryError(str(path), f"cannot be read: {said}", "delete it and run `dvc repro`") from error


def _digests(values: Any) -> NDArray[np.uint64]:
    """Return eight bytes for each text, equal for equal texts; a missing text is marked as missing."""
    given = (hashlib.blake2b(value.encode(), digest_size=8).digest() for value in values.to_pylist() if value)
    return np.frombuffer(b"".join(given), np.uint64)


def together(contents: list[Contents]) -> list[tuple[str, str]]:
    """Return the faults of all files of a table, and the values that occur more than once in them."""
    found = [fault for each in contents for fault in each.faults]
    names = {name: None for each in contents for name in each.digests}
    for name in names:
        digests = np.concatenate([each.digests[name] for each in contents if name in each.digests])
        values, counts = np.unique(digests, return_counts=True)
        repeated = values[counts > 1]
        if len(repeated):
            found += [
                (value[:80], f"{name} occurs {n} times") for value, n in _values(contents, name, repeated)
            ]
    return found


def _values(contents: list[Contents], name: str, digests: NDArray[np.uint64]) -> list[tuple[str, int]]:
    """Return the values of these digests, read again, with their numbers of occurrences."""
    counts: Counter[str] = Counter()
    for each in contents:
        with _opened(each.path) as file:
            for batch in file.iter_batches(ROWS, columns=[name]):
                values = [value for value in batch.column(0).to_pylist() if value]
                counts.update(np.array(values, object)[np.isin(_digests(batch.column(0)), digests)].tolist())
    return [(value, n) for value, n in sorted(counts.items()) if n > 1]


def lacking(files: list[Path]) -> list[tuple[str, str]]:
    """Return (file, fault): shards that the names of others imply, and tables without any file."""
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


def _missing(content: Any, schema: Any) -> dict[str, int]:
    """Return how many values are missing where none may be: in columns, lists and records."""
    found = {}
    for field in schema:
        for name, values, nullable in _levels(field, content.column(field.name)):
            if values.null_count and not nullable:
                found[name] = values.null_count
    return found


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
