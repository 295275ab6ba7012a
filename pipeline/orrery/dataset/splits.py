"""Splits are kept apart: what a family says must not be parted stands in one split."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from orrery.families import Table
from orrery.model import OrreryError
from orrery.store import shards
from orrery.store.by_digest import NONE, ByDigest, Digests, digests

PIECE = 20_000  # rows of which the values are in memory; of the others a digest is on the disk
MOST = 1000  # values that stand in two splits, of which the first is named


def refuse_leaks(dataset: Path, table: Table) -> None:
    """Raise OrreryError where a value of a column that keeps splits apart stands in two of them."""
    files = shards.splits(dataset).get(table.name, {})
    for column in table.apart:
        for (one, other), both in _shared(files, column).items():
            rows = {split: _with(files[split], column, both) for split in (one, other)}
            for value in sorted(rows[one].keys() & rows[other].keys()):
                raise OrreryError(
                    f"table '{table.name}': {rows[other][value]}",
                    f"its {column} also stands in split {one}, in {rows[one][value]}",
                    "delete what made it, as outputs/problems, and run `dvc repro`",
                )


def _shared(files: Mapping[str, Sequence[Path]], column: str) -> dict[tuple[str, str], Digests]:
    """Return the digests of values that two splits have, by these, where there are any."""
    found: dict[tuple[str, str], Digests] = {}
    pairs = list(combinations(files, 2))
    with ByDigest([("split", np.uint8)]) as records:
        for number, split in enumerate(files):
            for values, _ in _values(files[split], column):
                records.add(np.unique(digests(values.to_pylist())), split=number)
        for some in records:
            by_split = [some["digest"][some["split"] == number] for number in range(len(files))]
            shared = {
                pair: np.intersect1d(*each)
                for pair, each in zip(pairs, combinations(by_split, 2), strict=True)
            }
            for pair, both in shared.items():
                if len(both):
                    found[pair] = np.concatenate([found.get(pair, NONE), both])[:MOST]
    return {pair: found[pair] for pair in pairs if pair in found}


def _with(paths: Iterable[Path], column: str, wanted: Digests) -> dict[str, str]:
    """Return the values of these digests, each with the id of the first row that has it."""
    found: dict[str, str] = {}
    for values, ids in _values(paths, column):
        chosen = pa.array(np.isin(digests(values.to_pylist()), wanted))
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
