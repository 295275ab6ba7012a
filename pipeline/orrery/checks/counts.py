"""Checks on all texts and problems together: keys, shares, and texts that say the same.

Read with pyarrow alone, a few columns of each file, some rows at a time: digests of values are put in order
by way of the disk. What they show to stand twice is read again, and compared as it is written.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from orrery.store.by_digest import ByDigest, in_several, repeated

KEYS = ("strict_key", "loose_key")
LARGEST_SHARE = 0.02  # of rows where nothing is to be done
TEXT_KEY = ("strict_key", "fold_mixture", "vocabulary", "paraphrase")
TEXTS, PROBLEMS = "text_to_pddl", "problems"
ROWS = 20_000  # held at a time


def check(dataset: Path) -> list[str]:
    """Return keys that stand in two splits, rows that repeat a problem, and goals that hold initially."""
    found = [fault for table in (PROBLEMS, TEXTS) for key in KEYS for fault in _shared(dataset, table, key)]
    return found + list(_several(dataset, TEXTS, TEXT_KEY)) + _idle(dataset)


def _values(dataset: Path, table: str, names: Sequence[str]) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """Yield the values of some columns of all shards of a table with their split, some rows at a time."""
    for path in sorted((dataset / "data" / table).glob("*.parquet")):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(ROWS, columns=list(names)):
                columns = (batch.column(name).to_pylist() for name in names)
                yield path.name.split("-")[0], list(zip(*columns, strict=True))


def _digested(dataset: Path, table: str, names: Sequence[str]) -> ByDigest:
    """Return digests of the values of some columns, a record a row with the number of its split."""
    records, known = ByDigest([("split", np.uint8)]), list[str]()
    for split, values in _values(dataset, table, names):
        known += [split] * (split not in known)
        found = np.fromiter(map(_digest, values), np.uint64, len(values))
        records.add(found, split=known.index(split))
    return records


def _digest(values: tuple[Any, ...]) -> int:
    return int.from_bytes(hashlib.blake2b(repr(values).encode(), digest_size=8).digest(), "little")


def _counted(
    dataset: Path, table: str, names: Sequence[str], digests: Iterable[int]
) -> dict[tuple[Any, ...], Counter[str]]:
    """Return how many rows of each split have the values of some digests, by values."""
    wanted, found = set(digests), defaultdict[tuple[Any, ...], Counter[str]](Counter)
    for split, values in _values(dataset, table, names) if wanted else ():
        for each in values:
            if _digest(each) in wanted:
                found[each][split] += 1
    return found


def _shared(dataset: Path, table: str, key: str) -> Iterator[str]:
    """Yield keys that stand in more than one split."""
    with _digested(dataset, table, [key]) as records:
        two = [each for some in records for each in in_several(some, "split").tolist()]
    for (value,), counts in _counted(dataset, table, [key], two).items():
        if len(counts) > 1:
            yield f"{key} {value} stands in {min(counts)} and in {max(counts)}"


def _several(dataset: Path, table: str, names: Sequence[str]) -> Iterator[str]:
    """Yield what more than one row has of some columns together."""
    with _digested(dataset, table, names) as records:
        twice = [each for some in records for each in repeated(some).tolist()]
    for values, counts in _counted(dataset, table, names, twice).items():
        if counts.total() > 1:
            yield f"{counts.total()} rows have {' '.join(map(str, values))}"


def _idle(dataset: Path) -> list[str]:
    """Return a fault if the goal holds initially in rows of test, or in too many rows."""
    rows, counts = 0, Counter[str]()
    for split, values in _values(dataset, TEXTS, ["goal_holds_initially"]):
        rows += len(values)
        counts[split] += values.count((1,))
    number, in_test = counts.total(), counts["test"]
    found = [f"the goal holds initially in {in_test} rows of test"] if in_test else []
    if number > LARGEST_SHARE * rows:
        found.append(f"the goal holds initially in {number} of {rows} rows")
    return found


def ambiguous(texts: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the indices of texts (digests in ``texts``) that problems of different ``keys`` share."""
    order = np.lexsort((keys, texts))
    same_text = texts[order][1:] == texts[order][:-1]
    other_key = keys[order][1:] != keys[order][:-1]
    at = np.flatnonzero(same_text & other_key)
    return np.sort(order[np.unique(np.concatenate([at, at + 1]))])
