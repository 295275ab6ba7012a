"""Checks on all texts and problems together: keys, shares, and texts that say the same.

Read with pyarrow alone, a few columns of each file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

KEYS = ("strict_key", "loose_key")
LARGEST_SHARE = 0.02  # of rows where nothing is to be done
NUMBERS = ("paraphrase", "goal_holds_initially")
TEXT_KEY = ("strict_key", "fold_mixture", "vocabulary", "paraphrase")


def check(dataset: Path) -> list[str]:
    """Return keys that stand in two splits, rows that repeat a problem, and goals that hold initially."""
    texts = _columns(dataset, "text_to_pddl", [*TEXT_KEY, "loose_key", "goal_holds_initially"])
    problems = _columns(dataset, "problems", list(KEYS))
    found = [fault for table in (problems, texts) for key in KEYS for fault in _shared(table, key)]
    for row in _several(texts, TEXT_KEY):
        found.append(f"{row['count_all']} rows have {' '.join(str(row[name]) for name in TEXT_KEY)}")
    return found + _idle(texts)


def _columns(dataset: Path, table: str, names: list[str]) -> Any:
    """Return some columns of all shards of a table, and the split of each row; no rows where it has none."""
    kinds = {name: pa.int32() if name in NUMBERS else pa.string() for name in (*names, "split")}
    found = [pa.table({name: pa.array([], kind) for name, kind in kinds.items()})]
    for path in sorted((dataset / "data" / table).glob("*.parquet")):
        content = pq.read_table(path, columns=names, partitioning=None)
        found.append(content.append_column("split", pa.repeat(path.name.split("-")[0], content.num_rows)))
    return pa.concat_tables(found, promote_options="permissive")


def _shared(table: Any, key: str) -> Iterator[str]:
    """Yield keys that stand in more than one split."""
    splits = table.group_by(key).aggregate([("split", "min"), ("split", "max")])
    for row in splits.filter(pc.not_equal(splits["split_min"], splits["split_max"])).to_pylist():
        yield f"{key} {row[key]} stands in {row['split_min']} and in {row['split_max']}"


def _several(table: Any, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the groups of rows equal in ``names`` that hold more than one."""
    groups = table.group_by(list(names)).aggregate([([], "count_all")])
    return list(groups.filter(pc.greater(groups["count_all"], 1)).to_pylist())


def _idle(texts: Any) -> list[str]:
    """Return a fault if the goal holds initially in rows of test, or in too many rows."""
    idle = pc.equal(texts["goal_holds_initially"], 1)
    number = pc.sum(idle).as_py() or 0
    in_test = pc.sum(pc.and_(idle, pc.equal(texts["split"], "test"))).as_py() or 0
    found = [f"the goal holds initially in {in_test} rows of test"] if in_test else []
    if number > LARGEST_SHARE * texts.num_rows:
        found.append(f"the goal holds initially in {number} of {texts.num_rows} rows")
    return found


def ambiguous(texts: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the indices of texts (digests in ``texts``) that problems of different ``keys`` share."""
    order = np.lexsort((keys, texts))
    same_text = texts[order][1:] == texts[order][:-1]
    other_key = keys[order][1:] != keys[order][:-1]
    at = np.flatnonzero(same_text & other_key)
    return np.sort(order[np.unique(np.concatenate([at, at + 1]))])
