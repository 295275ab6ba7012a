"""Stage ``validate``: every row checked by a route that did not make it; writes ``outputs/report``.

Rows are found by their numbers in the files and read by the workers, a problem with all that belongs to
it at a time: none travels between processes, and none stays in memory.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from orrery.catalog import entry_of
from orrery.checks import balance, counts, descriptions, splits, tables
from orrery.checks.descriptions import check_foreign
from orrery.checks.problem_rows import STAGE, Batch, ExternalCheck, Verdicts, judge, leaking, split_of
from orrery.config import Settings
from orrery.dataset.contents import content_hash
from orrery.dataset.report import write_report
from orrery.dataset.row_index import RowIndex
from orrery.engine import map_items
from orrery.families import families, table_of
from orrery.families import tables as published
from orrery.model import OrreryError
from orrery.stages.summary import StageSummary
from orrery.store.shards import SPLITS, count, read_rows

SOURCE = "orrery"  # of rows on our own domains


def run(settings: Settings, jobs: int = 1) -> StageSummary:
    """Check everything; write the report; raise where a row fails, so that the build ends here."""
    index = RowIndex.of_build(settings)
    found = _files(settings, jobs)
    found.enter("references", "", "all tables", list(index.dangling()))
    _described(settings, found)
    judge_one = partial(judge, index.desk)
    # The other tools take memory of their own, so they come while the workers are still small.
    items: list[Batch | ExternalCheck] = [*index.retellings(), *index.batches()]
    for verdicts in map_items(items, judge_one, jobs=jobs, label=STAGE, describe=index.describe):
        found.add(verdicts)
    found.enter("balance", "", "all questions", balance.check(settings.outputs / "dataset"))
    # The keys of all texts fill memory, too, so they are counted when the workers are gone.
    found.enter("counts", "", "all tables", counts.check(settings.outputs / "dataset"))
    _compare(index, found, jobs)
    write_report(settings, found.checked, found.findings, content_hash(settings.outputs / "dataset"))
    failed = [finding for finding in found.findings if finding.faults]
    if failed:
        raise OrreryError(
            f"{failed[0].check}: {failed[0].row}",
            failed[0].faults[0],
            f"{len(failed)} rows failed; outputs/report/index.html lists them",
        )
    still_open = sum(bool(finding.undecided) for finding in found.findings)
    made = {"checks passed": sum(found.checked.values()) - still_open}
    return StageSummary(STAGE, "", made, {"not decided a second time within the limits": still_open})


def _files(settings: Settings, jobs: int) -> Verdicts:
    """The checks of the tables as files."""
    found, dataset = Verdicts(), settings.outputs / "dataset"
    files = [(path, table) for table in published() for path in tables.files_of(dataset, table)]
    contents = list(map_items(files, _file, jobs=jobs, label=f"{STAGE}: files", describe=str))
    for table in published():
        mine = [each for (_, name), each in zip(files, contents, strict=True) if name == table]
        faults = tables.together(mine)
        if mine or _was_made(settings, table):
            faults += tables.lacking([each.path for each in mine])
        found.enter("tables", "", table, [f"{row}: {fault}" for row, fault in faults])
    return found


def _was_made(settings: Settings, table: str) -> bool:
    """Whether the stages before made rows for a table; a size may ask no questions."""
    made = {
        "questions": [f"{name}/{table}.parquet" for name in settings.domains],
        **{stage: [f"{table}-{split}.parquet" for split in SPLITS] for stage in ("descriptions", "corpus")},
    }
    paths = [settings.outputs / stage / name for stage, names in made.items() for name in names]
    there = [path for path in paths if path.exists()]
    return not there or any(map(count, there))


def _described(settings: Settings, found: Verdicts) -> None:
    """The rows on whole domains; those of ours are held against the domain's words."""
    for table in families()["modelling"].tables:
        for path in tables.files_of(settings.outputs / "dataset", table.name):
            for row in read_rows(path, table.schema):
                ours = row["domain"] in settings.domains and row["source"] == SOURCE
                words = entry_of(settings.root, row["domain"]).words if ours else None
                faults = partial(descriptions.check, words, row) if words else partial(check_foreign, row)
                found.judge("descriptions", row, faults)


def _file(named: tuple[Path, str]) -> tables.Contents:
    path, table = named
    return tables.check_file(path, table, table_of(table).schema)


def _compare(index: RowIndex, found: Verdicts, jobs: int) -> None:
    """What takes all problems together: one in two splits, one abstract text for different problems."""
    profiles = [((name.split("/")[0], number), split_of(name)) for name, number in found.profiles]
    number = dict(zip(index.problems.to_pylist(), range(len(index.problems)), strict=True))
    suspected = [
        [number[found.profiles[place][0]] for place in places] for places in splits.suspects(profiles)
    ]
    faults = map_items(suspected, partial(leaking, index.desk), jobs=jobs, label=f"{STAGE}: splits")
    messages = [f"{name} {fault}" for leaks in faults for name, fault in leaks]
    found.enter("splits", "", f"{len(profiles)} problems", messages)
    told, keys = (np.array([each[i] for each in found.told], np.uint64) for i in (1, 2))
    shared = [
        f"{found.told[i][0]}: its abstract text also tells another" for i in counts.ambiguous(told, keys)
    ]
    found.enter("determined", "", f"{len(told)} abstract texts", shared)
