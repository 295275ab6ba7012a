"""Stage ``validate``: every row checked by a route that did not make it; writes ``outputs/report``.

What has passed is put into numbers, too: ``outputs/metrics``.

Rows are found by their numbers in the files and read by the workers, a problem with all that belongs to
it at a time: none travels between processes, and none stays in memory. What was found of rows is kept, and
used by the next run where rows, domain, templates, code and parameters are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from orrery.checks import family_checks, folder, tables, unchecked
from orrery.checks.kept import Kept
from orrery.checks.made_from import MadeFrom
from orrery.checks.problem_rows import CheckedItem, ItemCheck, JudgedItem
from orrery.checks.row_index import RowIndex
from orrery.checks.verdicts import MALFORMED, unreadable
from orrery.config import Settings
from orrery.dataset.adversary import adversary
from orrery.dataset.contents import content_hash
from orrery.dataset.gate import verdict_of
from orrery.dataset.metrics import write_metrics
from orrery.dataset.plan_baselines import STAGE as PLAN_BASELINES
from orrery.dataset.plan_baselines import plan_baselines
from orrery.dataset.report import write_report
from orrery.engine import is_cluster, map_items
from orrery.evaluation.results.page import run_lines
from orrery.evaluation.results.runs import EVALS
from orrery.model import OrreryError
from orrery.stages.summary import StageSummary

STAGE = "validate"
KEPT = ".validated"  # the folder of verdicts, by size


def run(settings: Settings, jobs: int = 1) -> StageSummary:
    """Check everything; write the report; raise where a row fails, so that the build ends here."""
    index = RowIndex.of_build(settings)
    found = tables.check_files(settings, jobs)
    found.enter("folder", "", "all files", folder.check(settings.outputs / "dataset"))
    found.enter("references", "", "all tables", list(index.dangling()))
    kept = Kept(settings.outputs / KEPT / settings.size_name)
    check = ItemCheck(index.inputs, MadeFrom.of(settings.root, settings.domains), kept)
    keys = []
    for key, verdicts in _checked(index, check, jobs):
        found.add(verdicts)
        keys.append(key)
    kept.prune(keys)
    found.stored = partial(kept.notes, keys)
    # What compares all rows fills memory, so it comes when the workers are gone.
    for name, checks in family_checks().items():
        if checks.dataset:
            try:
                checks.dataset(index.inputs, found, jobs)
            except MALFORMED as error:
                found.enter("values", "", f"all tables of {name}", [unreadable(error)])
    attacked = adversary(settings.outputs / "dataset", jobs)
    for each in attacked:
        for domain, faults in each.verdicts():
            found.enter("adversary", domain, each.table, faults)
    attempts = plan_baselines(settings.outputs / "dataset", jobs)
    for tried in attempts:
        for domain, faults in tried.verdicts():
            found.enter(PLAN_BASELINES, domain, tried.table, faults)
    dataset_hash = content_hash(settings.outputs / "dataset")
    told = (unchecked(), attacked, attempts, run_lines(settings.outputs / EVALS))
    write_report(settings, found.checked, found.findings, dataset_hash, *told)
    failed = [finding for finding in found.findings if finding.faults]
    if failed:
        raise OrreryError(
            f"{failed[0].check}: {failed[0].row}",
            failed[0].faults[0],
            f"{len(failed)} rows failed; outputs/report/index.html lists them",
        )
    write_metrics(settings.outputs, verdict_of(settings.outputs / "report"))
    still_open = sum(bool(finding.undecided) for finding in found.findings)
    made = {"checks passed": sum(found.checked.values()) - still_open}
    return StageSummary(STAGE, "", made, {"not decided a second time within the limits": still_open})


def _checked(index: RowIndex, check: ItemCheck, jobs: int) -> Iterator[CheckedItem]:
    """Yield what is found in each item; a cluster gets its rows with it, and sees no other files."""
    items, described = index.items(), index.describe
    if not is_cluster():
        yield from map_items(items, check, jobs=jobs, label=STAGE, describe=described)
        return
    judge: Callable[[Any], JudgedItem] = check.elsewhere().judged
    for judged in map_items(items, judge, jobs=jobs, label=STAGE, describe=described, carry=check.due):
        yield check.entered(judged)
