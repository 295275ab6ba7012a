"""Tables as files: schemas, ids, duplicate texts. Read with pyarrow alone, not with what wrote them."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from orrery.catalog import SPLITS
from orrery.checks import family_checks
from orrery.config import Settings
from orrery.families import tables as published
from orrery.model import OrreryError
from orrery.store.by_digest import NONE, ByDigest, repeated

MadeFor: TypeAlias = Callable[[str], Iterable[Any]]

ROWS = 1000  # held at a time
ID = ("id",)
MOST_NAMED = 20  # rows that a fault names one by one
STORED = [("split", np.uint8), ("made", np.bool_)]  # of an id: the split, and whether a stage made it
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


def check_table(settings: Settings, name: str) -> list[str]:
    """Return what is wrong with the files of a table: damage, and other rows than the stages before made."""
    table, dataset = published()[name], settings.outputs / "dataset"
    unique = {t: more for checks in family_checks().values() for t, more in checks.unique.items()}
    paths = files_of(dataset, name)
    files = (TableFile(path, name, table.schema, unique.get(name, ())) for path in paths)
    faults = together(map(check_file, files), partial(table.rows, settings, only=ID))
    faults = (lacking(paths) if paths or faults else []) + faults
    return [f"{row}: {fault}" for row, fault in faults]


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


def together(contents: Iterable[Contents], made_for: MadeFor | None = None) -> list[tuple[str, str]]:
    """Return the faults of all files of a table, and the values that occur more than once in them.

    With ``made_for``, which gives the rows that the stages before made for a split, as Arrow tables, these
    are compared, too. Digests are put in order by way of the disk: no file's are held for long.
    """
    found, paths = list[tuple[str, str]](), dict[str, list[Path]]()
    with ExitStack() as stack:
        ids = stack.enter_context(ByDigest(STORED))
        records = {"id": ids}
        for each in contents:
            found += each.faults
            for name, digests in each.digests.items():
                if name not in records:
                    records[name] = stack.enter_context(ByDigest(STORED))
                records[name].add(digests, split=_split(each.path), made=False)
                paths.setdefault(name, []).append(each.path)
        for name, those in records.items():
            twice = np.concatenate([NONE, *map(repeated, those)])
            if len(twice):
                named = _values(paths[name], name, twice)
                found += [(value[:80], f"{name} occurs {n} times") for value, n in named]
        return found + (_unlike(ids, made_for) if made_for else [])


def _split(path: Path) -> int:
    """Return the number of the split that a file's name begins with; one more than there are for none."""
    return next((n for n, split in enumerate(SPLITS) if path.name.startswith(split)), len(SPLITS))


def _unlike(records: ByDigest, made_for: MadeFor) -> list[tuple[str, str]]:
    """Return the rows that a table lacks, or has too many, against those that the stages before made.

    ``records`` are the ids that are stored.
    """
    for number, split in enumerate(SPLITS):
        for rows in made_for(split):
            records.add(_digests(rows.column("id")), split=number, made=True)
    missing, extra = dict.fromkeys(SPLITS, NONE), Counter[str]()
    for some in records:
        for number, split in enumerate(SPLITS):
            mine = some[some["split"] == number]
            wanted, stored = mine["digest"][mine["made"]], mine["digest"][~mine["made"]]
            missing[split] = np.concatenate([missing[split], np.setdiff1d(wanted, stored)])
            extra[split] += int((~np.isin(stored, wanted)).sum())
    found = []
    for split in SPLITS:
        if len(missing[split]):
            names = _missing_rows(made_for(split), missing[split])
            found += [(name, "is missing") for name in names[:MOST_NAMED]]
            found += [(f"{len(names)} rows of {split}", "are missing")] * (len(names) > MOST_NAMED)
        if extra[split]:
            found.append((split, f"{extra[split]} rows are none that the stages before made"))
    return found


def _missing_rows(made: Iterable[Any], digests: NDArray[np.uint64]) -> list[str]:
    """Return the ids of these digests, sorted."""
    ids = (rows.column("id") for rows in made)
    return sorted(
        name
        for some in ids
        for name, there in zip(some.to_pylist(), np.isin(_digests(some), digests), strict=True)
        if there
    )


def _values(paths: list[Path], name: str, digests: NDArray[np.uint64]) -> list[tuple[str, int]]:
    """Return the values of these digests, read again, with their numbers of occurrences."""
    counts: Counter[str] = Counter()
    for path in paths:
        with _opened(path) as file:
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
