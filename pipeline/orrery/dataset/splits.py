"""Splits are kept apart: what a family says must not be parted stands in one split."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from orrery.families import Table
from orrery.model import OrreryError
from orrery.store import shards


def refuse_leaks(dataset: Path, table: Table) -> None:
    """Raise OrreryError where a value of a column that keeps splits apart stands in two of them."""
    for column in table.apart:
        parts = [
            shards.read(path, columns=["id", column]).append_column("split", pa.repeat(split, count))
            for split, paths in shards.splits(dataset).get(table.name, {}).items()
            for path in paths
            if (count := shards.count(path))
        ]
        if not parts:
            return
        rows = pa.concat_tables(parts)
        splits = rows.group_by(column).aggregate([("split", "min"), ("split", "max")])
        leaking = splits.filter(pc.not_equal(splits["split_min"], splits["split_max"]))
        if leaking.num_rows:
            there = rows.filter(pc.equal(rows[column], leaking[column][0])).to_pylist()
            other = next(row for row in there if row["split"] != there[0]["split"])
            raise OrreryError(
                f"table '{table.name}': {other['id']}",
                f"its {column} also stands in split {there[0]['split']}, in {there[0]['id']}",
                "delete what made it, as outputs/problems, and run `dvc repro`",
            )
