"""The main numbers of a build, for ``dvc metrics`` and ``dvc plots``: ``outputs/metrics``."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from orrery.dataset.adversary.verdict import FEW
from orrery.dataset.contents import count_rows
from orrery.dataset.views import counts_of
from orrery.families import families
from orrery.model import Row
from orrery.store.files import replacing

FOLDER = "metrics"
NUMBERS, ROWS, LENGTHS, TRICKS = "build.json", "rows.csv", "plan_lengths.csv", "tricks.csv"
PROBLEMS = "problems"

Table = Sequence[Mapping[str, Any]]


def write_metrics(outputs: Path, verdict: Mapping[str, Any]) -> None:
    """Write the numbers of the dataset in ``outputs``, and of ``verdict``, the result of the checks.

    ``build.json`` has the numbers. The other files are tables for plots: rows by table and split, lengths of
    plans by domain, and the score of the best trick on each table.
    """
    dataset = outputs / "dataset"
    rows = count_rows(dataset)
    tried = [table for table in verdict["adversary"] if not table.get("unread")]
    with replacing(outputs / FOLDER) as folder:
        folder.mkdir()
        numbers = json.dumps(_numbers(dataset, rows, verdict, tried), indent=1) + "\n"
        (folder / NUMBERS).write_text(numbers, encoding="utf-8")
        _write(
            folder / ROWS,
            ("table", "split", "rows"),
            [
                {"table": table, "split": split, "rows": n}
                for table, by_split in sorted(rows.items())
                for split, n in by_split.items()
            ],
        )
        _write(folder / LENGTHS, ("domain", "steps", "problems"), _lengths(dataset, rows))
        _write(folder / TRICKS, ("table", "score", "chance", "rows", "trick"), map(_trick, tried))


def _numbers(
    dataset: Path, rows: Mapping[str, Mapping[str, int]], verdict: Mapping[str, Any], tried: Table
) -> dict[str, Any]:
    of_family = {
        name: sum(sum(rows.get(table.name, {}).values()) for table in family.tables)
        for name, family in families().items()
    }
    judged = [table for table in tried if table["verdict"] != FEW]
    return {
        "rows": {"all": sum(of_family.values()), **of_family},
        PROBLEMS: _proven(dataset) if PROBLEMS in rows else {},
        "checks": {
            "made": sum(table["rows"] for table in verdict["checked"]),
            "failed": len(verdict["failed"]),
            "undecided": len(verdict["undecided"]),
        },
        "tricks": {
            "most above chance": max(map(_above, judged), default=0.0),
            "tables judged": len(judged),
        },
    }


def _proven(dataset: Path) -> dict[str, int]:
    """Return the numbers of problems by result: shortest plan, any plan, unsolvable, or undecided."""
    sql = f"""select count(*) filter (solvable and plan_optimal) as "shortest plan",
        count(*) filter (solvable and not plan_optimal) as "some plan",
        count(*) filter (not solvable) as "no plan", count(*) filter (solvable is null) as undecided
        from {PROBLEMS}"""
    (counts,) = counts_of(dataset, sql)
    return dict(counts)


def _above(trick: Mapping[str, Any]) -> float:
    return round(float(trick["score"] - trick["chance"]), 4)


def _trick(trick: Mapping[str, Any]) -> dict[str, Any]:
    return {**{name: trick[name] for name in ("table", "score", "chance", "rows")}, "trick": trick["rule"]}


def _lengths(dataset: Path, rows: Mapping[str, Mapping[str, int]]) -> Table:
    if PROBLEMS not in rows:
        return []
    sql = f"""select domain, plan_cost as steps, count(*) as problems from {PROBLEMS}
        where solvable group by all order by all"""
    lengths: Table = counts_of(dataset, sql)
    return lengths


def _write(path: Path, names: Sequence[str], rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
