"""The check of a block of problems: read its rows, and check them unless their verdicts are on disk."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from orrery.catalog import entry_of
from orrery.checks import family_checks, verdict_parts
from orrery.checks.inputs import CheckedProblem, CheckInputs, Row
from orrery.checks.problem_blocks import PROBLEMS, ProblemBlock, ProblemTables
from orrery.checks.verdicts import MALFORMED, Verdicts, unreadable
from orrery.model import OrreryError
from orrery.parts import fingerprint, package_fingerprint
from orrery.pddl.read import read_problem
from orrery.problems.quotas import FROM_FILE


@dataclass(frozen=True)
class BlockCheck:
    """Checks blocks of problems; picklable. ``folder`` has the parts of verdicts.

    ``fingerprints`` has by domain that of its files, of the code and of the installation.
    """

    inputs: CheckInputs
    tables: ProblemTables
    folder: Path
    fingerprints: Mapping[str, str]

    def __call__(self, block: ProblemBlock) -> tuple[str, Verdicts]:
        """Return the fingerprint of a block's verdicts, and the verdicts without their notes."""
        rows = self.tables.rows(block)
        made_from = fingerprint(
            (),
            inputs=[self.inputs.seed, self.inputs.seconds, block.by_planner],
            domain=self.fingerprints.get(block.domain, ""),
            rows=rows,
        )
        part = verdict_parts.part_of(self.folder, made_from)
        if part.is_made() and not (verdicts := verdict_parts.load(part)).has_faults:
            return made_from, verdicts
        verdicts = Verdicts()
        for problem in block.problems:
            _check_problem(self.inputs, rows[problem], block.by_planner, verdicts)
        verdict_parts.save(part, verdicts)
        return made_from, Verdicts(verdicts.checked, verdicts.findings)


def fingerprints(root: Path, domains: Iterable[str]) -> dict[str, str]:
    """Return by domain the fingerprint of its files, of the package and of the installed distributions."""
    words = root / "templates" / "domains"
    shared = [path for path in sorted((root / "templates").iterdir()) if path != words]
    code = [package_fingerprint(), *_distributions()]
    return {
        name: fingerprint(
            [*shared, words / f"{name}.j2", root / "domains" / name, root / "generators" / f"{name}.py"],
            code=code,
        )
        for name in domains
    }


def _distributions() -> list[str]:
    """Return the names of the installed distributions, with their versions."""
    folders = {Path(entry) for entry in sys.path if entry}
    return sorted({path.name for folder in folders if folder.is_dir() for path in folder.glob("*.dist-info")})


def _check_problem(
    inputs: CheckInputs, rows: Mapping[str, list[Row]], by_planner: bool, verdicts: Verdicts
) -> None:
    """Check all rows that belong to a problem."""
    for row in rows[PROBLEMS]:
        try:
            checked = _read(inputs, row, rows, by_planner)
        except OrreryError as error:
            verdicts.enter("plans", row["domain"], row["id"], [str(error)])
            continue
        for checks in family_checks().values():
            if checks.problem:
                _judge(checks.problem, checked, verdicts)


def _judge(
    check: Callable[[CheckedProblem, Verdicts], None], checked: CheckedProblem, verdicts: Verdicts
) -> None:
    """Check a problem; a malformed value is a fault of it, and ends no other check."""
    try:
        check(checked, verdicts)
    except MALFORMED as error:
        verdicts.enter("values", checked.row["domain"], checked.row["id"], [unreadable(error)])


def _read(inputs: CheckInputs, row: Row, rows: Mapping[str, list[Row]], by_planner: bool) -> CheckedProblem:
    """Return the problem of a row; raise OrreryError where its domain, task or PDDL cannot be read."""
    entry = entry_of(inputs.root, row["domain"])
    tasks = {task.name: task for task in (*entry.tasks, FROM_FILE)}
    if row["task"] not in tasks:
        raise OrreryError(row["id"], f"the domain has no task '{row['task']}'")
    problem = read_problem(row["problem_pddl"], entry.domain, row["id"])
    return CheckedProblem(inputs, entry, tasks[row["task"]], row, problem, rows, by_planner)
