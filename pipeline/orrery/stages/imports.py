"""The published sets of others as Parquet in our schemas, with a log of repairs: ``outputs/imports``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from orrery.corpus.published_sets import (
    PROC2PDDL,
    TEXT2WORLD,
    Imported,
    proc2pddl,
    proc2pddl_folders,
    text2world,
)
from orrery.families.modelling.import_log import FILE, LOG, is_problem_left_out
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING
from orrery.stages.summary import StageSummary
from orrery.store.kinds import Schema, table_name
from orrery.store.shards import replacing, write
from orrery.workers import map_items

STAGE = "import"


def import_proc2pddl(folder: Path, out: Path, *, with_articles: bool = False) -> StageSummary:
    """Write the rows of ``action_modeling`` that the published folders hold, and the log."""
    imported = map_items(
        partial(proc2pddl, with_articles=with_articles),
        proc2pddl_folders(folder),
        label="importing",
        describe=lambda path: path.name,
    )
    return _write(PROC2PDDL, out, ACTION_MODELING, list(imported))


def import_text2world(path: Path, out: Path) -> StageSummary:
    """Write the rows of ``domain_modeling`` that the published file holds, and the log."""
    return _write(TEXT2WORLD, out, DOMAIN_MODELING, text2world(path))


def _write(name: str, out: Path, schema: Schema, imported: Sequence[Imported]) -> StageSummary:
    """Write both files, whole or not at all."""
    log = [
        {"id": domain.row["id"], "item": item, "what": change}
        for domain in imported
        for item, change in domain.log
    ]
    with replacing(out) as folder:
        folder.mkdir(parents=True)
        write(folder / f"{table_name(schema)}.parquet", schema, [domain.row for domain in imported])
        write(folder / FILE, LOG, log)
    problems = _problems(domain.row for domain in imported)
    left_out = sum(is_problem_left_out(entry["item"], entry["what"]) for entry in log)
    counts = {"rows": len(imported), "problems": problems, "log entries": len(log)}
    licensed = sum(bool(domain.row["license"]) for domain in imported)
    notes = (
        {} if licensed == len(imported) else {"without licence, never published": len(imported) - licensed}
    )
    notes |= {f"problems left out of {problems + left_out}": left_out} if left_out else {}
    return StageSummary(STAGE, name, {**counts, **notes})


def _problems(rows: Iterable[dict[str, Any]]) -> int:
    return sum(len(row["problems"]) for row in rows)
