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
    found = map_items(
        partial(proc2pddl, with_articles=with_articles),
        proc2pddl_folders(folder),
        label="importing",
        describe=lambda path: path.name,
    )
    return _write(PROC2PDDL, out, ACTION_MODELING, list(found))


def import_text2world(path: Path, out: Path) -> StageSummary:
    """Write the rows of ``domain_modeling`` that the published file holds, and the log."""
    return _write(TEXT2WORLD, out, DOMAIN_MODELING, text2world(path))


def _write(name: str, out: Path, schema: Schema, found: Sequence[Imported]) -> StageSummary:
    """Write both files, whole or not at all."""
    log = [{"id": each.row["id"], "item": item, "what": what} for each in found for item, what in each.log]
    with replacing(out) as folder:
        folder.mkdir(parents=True)
        write(folder / f"{table_name(schema)}.parquet", schema, [each.row for each in found])
        write(folder / FILE, LOG, log)
    problems = _problems(each.row for each in found)
    left_out = sum(is_problem_left_out(entry["item"], entry["what"]) for entry in log)
    made = {"rows": len(found), "problems": problems, "log entries": len(log)}
    licensed = sum(bool(each.row["license"]) for each in found)
    left = {} if licensed == len(found) else {"without licence, never published": len(found) - licensed}
    left |= {f"problems left out of {problems + left_out}": left_out} if left_out else {}
    return StageSummary(STAGE, name, {**made, **left})


def _problems(rows: Iterable[dict[str, Any]]) -> int:
    return sum(len(row["problems"]) for row in rows)
