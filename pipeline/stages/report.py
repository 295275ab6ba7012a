"""The report of a build: ``outputs/report/validation.json`` and one self-contained page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.settings import Settings
from pipeline.store.schemas import INTERMEDIATE
from pipeline.store.shards import read_rows, replacing, splits
from pipeline.store.views import query
from pipeline.words import environment

REJECTS = ("problems", "questions")


class Finding(NamedTuple):
    """What one check says of one row: its faults, and what it could not decide within its limits."""

    check: str
    domain: str
    row: str
    faults: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()


def write_report(settings: Settings, findings: list[Finding], dataset_hash: str) -> None:
    """Write both files of the report, whole or not at all."""
    failed = [finding for finding in findings if finding.faults]
    checked = Counter((finding.check, finding.domain) for finding in findings)
    verdict = {
        "passed": not failed,
        "dataset_hash": dataset_hash,
        "size": settings.size_name,
        "checked": [{"check": c, "domain": d, "rows": n} for (c, d), n in sorted(checked.items())],
        "undecided": [
            {"check": f.check, "row": f.row, "what": list(f.undecided)} for f in findings if f.undecided
        ],
        "failed": [{"check": f.check, "row": f.row, "faults": list(f.faults)} for f in failed],
    }
    page = environment(settings.root / "templates").get_template("report/index.html.j2")
    with replacing(settings.outputs / "report") as folder:
        folder.mkdir()
        (folder / "validation.json").write_text(json.dumps(verdict, indent=2) + "\n", encoding="utf-8")
        content = page.render(
            verdict=verdict,
            failed=failed,
            counts=_counts(settings),
            rejects=_rejects(settings),
            outcomes=_outcomes(settings),
        )
        (folder / "index.html").write_text(content, encoding="utf-8")


def _counts(settings: Settings) -> list[dict[str, Any]]:
    """Rows by table, domain and split."""
    dataset = settings.outputs / "dataset"
    tables = [table for table, by_split in splits(dataset).items() if by_split]
    parts = [f"select '{t}' as \"table\", split, domain, count(*) as n from {t} group by all" for t in tables]
    found: list[dict[str, Any]] = query(dataset, " union all ".join(parts) + " order by all").to_pylist()
    return found


def _rejects(settings: Settings) -> list[dict[str, Any]]:
    """What stages left out, by stage, domain and reason."""
    paths = [
        settings.outputs / stage / name / "rejects.parquet" for name in settings.domains for stage in REJECTS
    ]
    rows: Iterable[dict[str, Any]] = (
        row for path in paths for row in read_rows(path, INTERMEDIATE["rejects"])
    )
    counts = Counter((row["stage"], row["domain"], row["reason"]) for row in rows)
    return [{"stage": s, "domain": d, "reason": r, "n": n} for (s, d, r), n in sorted(counts.items())]


def _outcomes(settings: Settings) -> list[dict[str, Any]]:
    """Planner outcomes by domain."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for name in settings.domains:
        path: Path = settings.outputs / "solutions" / name / "solutions.parquet"
        counts.update(
            (name, row["outcome"], row["planner"]) for row in read_rows(path, INTERMEDIATE["solutions"])
        )
    return [{"domain": d, "outcome": o, "planner": p, "n": n} for (d, o, p), n in sorted(counts.items())]
