"""Stage ``validate``: check every row by an independent method; write the report and metrics.

Workers check blocks of problems with all their rows, and whole tables. Verdicts on a block
are stored on disk, and reused by the next run if rows, domain, templates, code and parameters are the same.
Results on whole tables are stored until the run ends, so that a killed run continues where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from orrery.checks import family_checks, folder, tables, unchecked, verdict_parts
from orrery.checks.inputs import CheckInputs
from orrery.checks.problem_blocks import BlockCheck, ProblemTables, distributions, fingerprints
from orrery.checks.verdict_parts import Notes, keep_only
from orrery.checks.verdicts import MALFORMED, Verdicts, unreadable
from orrery.config import Settings
from orrery.corpus.sources import collect
from orrery.dataset.adversary import asking, attack_table, figure_table
from orrery.dataset.contents import content_hash
from orrery.dataset.folder import verdict_of
from orrery.dataset.metrics import write_metrics
from orrery.dataset.report import count_figures, write_report
from orrery.evaluation.results.page import run_lines
from orrery.evaluation.results.runs import EVALS
from orrery.families import tables as published
from orrery.model import OrreryError
from orrery.parts import Parts, Tables, fingerprint, map_parts
from orrery.stages.inputs import StageInputs
from orrery.stages.summary import StageSummary
from orrery.workers import ALONE, Workers, map_items

STAGE = "validate"
VERDICTS = ".validated"  # the folder of verdicts on blocks, by size
SCHEMAS = (*verdict_parts.VERDICTS, figure_table.ATTACKED)  # of results on whole tables


class TableWork(NamedTuple):
    """Work on whole tables, with its name in progress and messages; picklable."""

    name: str
    do: Callable[[], Any]  # returns the tables of its part, if the result is stored

    def __str__(self) -> str:
        """Return the name."""
        return self.name


def _perform(work: TableWork) -> Any:
    return work.do()


def _check_rows_apart(inputs: CheckInputs, family: str) -> Tables:
    check, verdicts = family_checks()[family].rows, Verdicts()
    try:
        verdicts = check(inputs) if check else verdicts
    except MALFORMED as error:
        verdicts.enter("values", "", f"rows of {family}", [unreadable(error)])
    return verdict_parts.as_tables(verdicts)


def _attack(dataset: Path, name: str) -> Tables:
    return figure_table.as_tables(attack_table(dataset, name))


def run(settings: Settings, workers: Workers = ALONE) -> StageSummary:
    """Check everything and write the report; raise an error if a row fails, so that the build stops here.

    Work on whole tables has separate workers, because these processes keep the memory that they once used.
    """
    dataset, parts = settings.outputs / "dataset", settings.outputs / VERDICTS / settings.size_name
    inputs = CheckInputs(
        settings.root,
        dataset,
        settings.all_domains,
        settings.seed,
        settings.size.check.seconds,
        settings.size.check.recheck_sample_rate,
        partial(collect, settings.root, settings.corpus),
    )
    problem_tables = ProblemTables.of_build(settings)
    check_block = BlockCheck(inputs, problem_tables, parts, fingerprints(settings.root, settings.all_domains))
    blocks = problem_tables.blocks(inputs)
    families = [name for name, checks in family_checks().items() if checks.rows]
    long = [TableWork(f"rows of {name}", partial(_check_rows_apart, inputs, name)) for name in families]
    long += [TableWork(f"tricks on {name}", partial(_attack, dataset, name)) for name in asking(dataset)]
    count = TableWork("report", partial(count_figures, settings))
    other_files = TableWork("all files", partial(folder.check, dataset))
    files = [TableWork(name, partial(tables.check_table, settings, name)) for name in published()]

    inputs_hash = StageInputs.of(settings, STAGE).fingerprint()
    made_from = fingerprint((), inputs=inputs_hash, code=distributions())
    of_tables = Parts(settings.unfinished / STAGE, SCHEMAS, made_from)
    names = map_parts(_perform, long, of_tables, workers, label=f"{STAGE}: tables and tricks", describe=str)
    stored = [of_tables.part(name) for name in names]
    of_rows = map(verdict_parts.load, stored[: len(families)])
    of_tricks = map(figure_table.load, stored[len(families) :])
    attacked = [figures for figures in of_tricks if figures.figures or figures.unread]
    of_blocks = list(map_items(check_block, blocks, workers, label=f"{STAGE}: problems", describe=str))
    counted, of_folder, *of_files = map_items(
        _perform, [count, other_files, *files], workers, label=f"{STAGE}: files", describe=str
    )
    verdicts = Verdicts()
    verdicts.enter("folder", "", other_files.name, of_folder)
    for table, faults in zip(files, of_files, strict=True):
        verdicts.enter("tables", "", table.name, faults)
    verdicts.enter("references", "", "all tables", list(problem_tables.dangling()))
    for of_items in ([of_block for _, of_block in of_blocks], of_rows):
        for verdicts_of_item in of_items:
            verdicts.add(verdicts_of_item)
    keep_only(parts, (fingerprint for fingerprint, _ in of_blocks))
    _check_dataset(inputs, Notes(parts), verdicts)
    for figures in attacked:
        for domain, faults in figures.verdicts():
            verdicts.enter("adversary", domain, figures.table, faults)
    contents = (unchecked(), attacked, run_lines(settings.outputs / EVALS), counted)
    write_report(settings, verdicts.checked, verdicts.findings, content_hash(dataset), *contents)
    of_tables.discard()
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


def _check_dataset(inputs: CheckInputs, notes: Notes, verdicts: Verdicts) -> None:
    """Compare rows of all problems. This may need much memory, so it runs after all workers have ended."""
    for name, checks in family_checks().items():
        if checks.dataset:
            try:
                checks.dataset(inputs, notes, verdicts)
            except MALFORMED as error:
                verdicts.enter("values", "", f"all tables of {name}", [unreadable(error)])
