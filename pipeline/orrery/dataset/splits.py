"""Splits are kept apart: what a family says must not be parted stands in one split."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from orrery.families import Table
from orrery.model import OrreryError
from orrery.store import shards

PIECE = 20_000  # rows of which the values are in memory; of the others it is eight bytes each


def refuse_leaks(dataset: Path, table: Table) -> None:
    """Raise OrreryError where a value of a column that keeps splits apart stands in two of them."""
    files = shards.splits(dataset).get(table.name, {})
    for column in table.apart:
        digests = {split: _digests(paths, column) for split, paths in files.items()}
        for one, other in combinations(files, 2):
            both = np.intersect1d(digests[one], digests[other])
            rows = {split: _with(files[split], column, both) for split in (one, other) if len(both)}
            for value in sorted(rows[one].keys() & rows[other].keys()) if rows else ():
                raise OrreryError(
                    f"table '{table.name}': {rows[other][value]}",
                    f"its {column} also stands in split {one}, in {rows[one][value]}",
                    "delete what made it, as outputs/problems, and run `dvc repro`",
                )


def _digests(paths: Iterable[Path], column: str) -> NDArray[np.uint64]:
    """Return the digests of the values of a column, each once."""
    found = [np.unique(_digested(values)) for values, _ in _values(paths, column)]
    return np.unique(np.concatenate([np.empty(0, np.uint64), *found]))


def _with(paths: Iterable[Path], column: str, digests: NDArray[np.uint64]) -> dict[str, str]:
    """Return the values of these digests, each with the id of the first row that has it."""
    found: dict[str, str] = {}
    for values, ids in _values(paths, column):
        chosen = pa.array(np.isin(_digested(values), digests))
        for value, name in zip(
            values.filter(chosen).to_pylist(), ids.filter(chosen).to_pylist(), strict=True
        ):
            found.setdefault(value, name)
    return found


def _values(paths: Iterable[Path], column: str) -> Iterator[tuple[pa.ChunkedArray, pa.ChunkedArray]]:
    """Yield a column as text and the ids, some rows at a time."""
    for path in paths:
        for rows in shards.read_batches(path, columns=list(dict.fromkeys(["id", column])), size=PIECE):
            yield pc.cast(rows[column], pa.string()), rows["id"]


def _digested(values: pa.ChunkedArray) -> NDArray[np.uint64]:
    given = (hashlib.blake2b(value.encode(), digest_size=8).digest() for value in values.to_pylist())
    return np.frombuffer(b"".join(given), np.uint64)
