"""Check the view of all questions: each row matches the row of its own table, and its reply is correct.

The check does not use the code that wrote the view.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from orrery.checks.verdicts import MALFORMED, unreadable
from orrery.grading import grade
from orrery.model import Row

TABLES = "acp_"  # prefix of the names of question tables
AT_A_TIME = 100
SPLITS = ("train", "validation", "test")
SAME = ("id", "kind", "domain", "problem_id", "context", "question", "difficulty", "num_objects", "h_star")
MOST = 20  # maximum number of faults that are listed


def check(dataset: Path) -> tuple[dict[str, int], list[str]]:
    """Return the number of rows of the view by split, and its faults."""
    counts: dict[str, int] = {}
    faults: list[str] = []
    for split in SPLITS:
        rows_by_table = {
            folder.name: _rows(sorted(folder.glob(f"{split}-*.parquet")))
            for folder in sorted((dataset / "data").glob(f"{TABLES}*/"))
        }
        for row in _rows(sorted((dataset / "views" / "questions").glob(f"{split}-*.parquet"))):
            counts[split] = counts.get(split, 0) + 1
            typed = next(rows_by_table.get(row["table"], iter(())), None)
            row_faults = ["stands in no table in this order"] if typed is None else _compared(row, typed)
            faults += [f"views/questions, {row['id']}: {fault}" for fault in row_faults]
            if len(faults) >= MOST:
                return counts, faults
        lacking = [name for name, remaining in rows_by_table.items() if next(remaining, None) is not None]
        faults += [f"views/questions: lacks rows of {name}, {split}" for name in lacking]
    return counts, faults


def _rows(paths: list[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(AT_A_TIME):
                yield from batch.to_pylist()


def _compared(row: Row, typed: Row) -> list[str]:
    """Return the faults of a row, also of one whose values cannot be read."""
    try:
        return _faults(row, typed)
    except MALFORMED as error:
        return [unreadable(error)]


def _faults(row: Row, typed: Row) -> list[str]:
    """Return where a row of the view differs from the row of its own table."""
    faults = [f"{name} is another than in {row['table']}" for name in SAME if row[name] != typed[name]]
    graded = json.loads(row["grader_input"])
    faults += [
        f"grader_input: {name} is another than in {row['table']}"
        for name, value in graded.items()
        if value != typed.get(name)
    ]
    if row["table"] != f"acp_{row['kind']}_{row['format']}":
        faults.append("table is not that of its kind and format")
    if json.loads(row["answer"]) != typed["answer"]:
        faults.append(f"answer is another than in {row['table']}")
    if row["choices"] != (typed["choices"]["text"] if "choices" in typed else []):
        faults.append(f"choices are others than in {row['table']}")
    if grade(row["reply"], typed).value != 1 or grade(row["reply"], graded).value != 1:
        faults.append("reply is not right")
    return faults
