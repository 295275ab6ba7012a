"""Stage ``validate``: check every row by an independent method; write the report and metrics.

Workers check blocks of problems with all their rows, and whole tables. Verdicts on a block
are stored on disk, and reused by the next run if rows, domain, templates, code and parameters are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from orrery.checks import family_checks, folder, tables, unchecked
from orrery.checks.inputs import CheckInputs
from orrery.checks.problem_blocks import BlockCheck, ProblemBlock, ProblemTables, fingerprints
from orrery.checks.verdict_parts import Notes, keep_only
from orrery.checks.verdicts import MALFORMED, Verdicts, unreadable
from orrery.config import Settings
from orrery.dataset.adversary import TableFigures, attack_dataset
from orrery.dataset.contents import content_hash
from orrery.dataset.folder import verdict_of
from orrery.dataset.metrics import write_metrics
from orrery.dataset.report import chart_of, count_figures, write_report
from orrery.evaluation.results.page import run_lines
from orrery.evaluation.results.runs import EVALS
from orrery.families import tables as published
from orrery.model import OrreryError
from orrery.stages.summary import StageSummary
from orrery.workers import ALONE, Workers, map_items

STAGE = "validate"
VERDICTS = ".validated"  # the folder of verdicts on blocks, by size
ALL = "all tables"
ROWS_APART = "rows apart"  # rows that a family checks independently of their problems


class TableWork(NamedTuple):
    """Work other than that on blocks: one of WHOLE, or ROWS_APART, on a table or another named item."""

    work: str
    name: str

    def __str__(self) -> str:
        """Return the name of the work in messages."""
        return f"{self.work} of {self.name}"


Item: TypeAlias = ProblemBlock | TableWork


class Attacks(NamedTuple):
    """The figures of the adversary by table, and their chart."""

    attacked: Sequence[TableFigures]
    chart: str


def _attacks(settings: Settings, _name: str) -> Attacks:
    attacked = attack_dataset(_dataset(settings))
    return Attacks(attacked, chart_of(settings.root / "templates", attacked))


# The work on whole tables, by its name in progress and messages.
WHOLE: Mapping[str, Callable[[Settings, str], Any]] = MappingProxyType(
    {
        "adversary": _attacks,
        "report": lambda settings, _name: count_figures(settings),
        "folder": lambda settings, _name: folder.check(_dataset(settings)),
        "files": tables.check_table,
    }
)
LONG = ("adversary", "report", ROWS_APART)  # work that takes longer than that on most tables


@dataclass(frozen=True)
class ItemCheck:
    """Performs the work of any item; picklable."""

    settings: Settings
    check_block: BlockCheck

    def __call__(self, item: Item) -> Any:
        """Return the findings in a block of problems, or in a table."""
        if isinstance(item, ProblemBlock):
            return self.check_block(item)
        if item.work == ROWS_APART:
            return _check_rows_apart(self.check_block.inputs, item.name)
        return WHOLE[item.work](self.settings, item.name)


def _check_rows_apart(inputs: CheckInputs, family: str) -> Verdicts:
    check = family_checks()[family].rows
    try:
        return check(inputs) if check else Verdicts()
    except MALFORMED as error:
        verdicts = Verdicts()
        verdicts.enter("values", "", f"rows of {family}", [unreadable(error)])
        return verdicts


def run(settings: Settings, workers: Workers = ALONE) -> StageSummary:
    """Check everything and write the report; raise an error if a row fails, so that the build stops here."""
    dataset, parts = _dataset(settings), settings.outputs / VERDICTS / settings.size_name
    inputs = CheckInputs(
        settings.root,
        dataset,
        settings.domains,
        settings.seed,
        settings.size.check.seconds,
        settings.size.check.recheck_sample_rate,
    )
    problem_tables = ProblemTables.of_build(settings)
    check_block = BlockCheck(inputs, problem_tables, parts, fingerprints(settings.root, settings.domains))
    blocks, whole = problem_tables.blocks(inputs), _work_on_tables()
    results = _results(ItemCheck(settings, check_block), blocks, whole, workers)
    verdicts = Verdicts()
    for work in whole:
        if work.work in ("files", "folder"):
            verdicts.enter("tables" if work.work == "files" else "folder", "", work.name, results[work])
    verdicts.enter("references", "", ALL, list(problem_tables.dangling()))
    for block in blocks:
        verdicts.add(results[block][1])
    for work in whole:
        if work.work == ROWS_APART:
            verdicts.add(results[work])
    keep_only(parts, (results[block][0] for block in blocks))
    _check_dataset(inputs, Notes(parts), verdicts)
    attacked, chart = results[TableWork("adversary", ALL)]
    for figures in attacked:
        for domain, faults in figures.verdicts():
            verdicts.enter("adversary", domain, figures.table, faults)
    runs, counted = run_lines(settings.outputs / EVALS), results[TableWork("report", ALL)]
    contents = (unchecked(), attacked, runs, counted, chart)
    write_report(settings, verdicts.checked, verdicts.findings, content_hash(dataset), *contents)
    return _summary(settings, verdicts)


def _summary(settings: Settings, verdicts: Verdicts) -> StageSummary:
    """Write the metrics, and return the numbers of checks; raise an error if a row failed."""
    failed = [finding for finding in verdicts.findings if finding.faults]
    if failed:
        raise OrreryError(
            f"{failed[0].check}: {failed[0].row}",
            failed[0].faults[0],
            f"{len(failed)} rows failed; outputs/report/index.html lists them",
        )
    write_metrics(settings.outputs, verdict_of(settings.outputs / "report"))
    undecided = sum(bool(finding.undecided) for finding in verdicts.findings)
    passed = {"checks passed": sum(verdicts.checked.values()) - undecided}
    return StageSummary(STAGE, "", passed, {"not decided a second time within the limits": undecided})


def _dataset(settings: Settings) -> Path:
    return settings.outputs / "dataset"


def _results(
    check: ItemCheck, blocks: Sequence[ProblemBlock], whole: Sequence[TableWork], workers: Workers
) -> dict[Item, Any]:
    """Return the results of all items. Long work runs first and single tables last, to keep all workers busy.

    Work on whole tables has separate workers, because these processes keep the memory that they once used.
    """
    long = [work for work in whole if work.work in LONG]
    short = [work for work in whole if work.work not in LONG]
    results: dict[Item, Any] = {}
    courses: Sequence[Sequence[Item]] = (long, blocks, short)
    for items in courses:
        results |= zip(items, map_items(check, items, workers, label=STAGE, describe=str), strict=True)
    return results


def _check_dataset(inputs: CheckInputs, notes: Notes, verdicts: Verdicts) -> None:
    """Compare rows of all problems. This may need much memory, so it runs after all workers have ended."""
    for name, checks in family_checks().items():
        if checks.dataset:
            try:
                checks.dataset(inputs, notes, verdicts)
            except MALFORMED as error:
                verdicts.enter("values", "", f"all tables of {name}", [unreadable(error)])


def _work_on_tables() -> list[TableWork]:
    names = {
        "adversary": [ALL],
        "report": [ALL],
        "folder": ["all files"],
        "files": list(published()),
        ROWS_APART: [name for name, checks in family_checks().items() if checks.rows],
    }
    return [TableWork(work, name) for work, listed in names.items() for name in listed]
