"""The work of ``validate``'s workers: read a problem once and check all that is published of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from orrery.catalog import entry_of
from orrery.checks import family_checks
from orrery.checks.inputs import CheckedProblem, CheckInputs, Row
from orrery.checks.labels import problem_of
from orrery.checks.row_index import Batch, Item, Sample
from orrery.checks.verdicts import MALFORMED, Verdicts, unreadable
from orrery.families.problems.quotas import FROM_FILE
from orrery.model import OrreryError
from orrery.pddl.read import read_problem
from orrery.store.shards import read_rows, release


def check_item(inputs: CheckInputs, item: Item) -> Verdicts:
    """Return what the checks of all families find in an item."""
    found = Verdicts()
    if isinstance(item, Batch):
        _check_batch(inputs, item, found)
    elif isinstance(item, Sample):
        rows = inputs.problems.rows(item.problems).to_pylist()
        for checks in family_checks().values():
            if checks.sample:
                checks.sample(inputs, rows, found)
    elif check := family_checks()[item.family].row:
        for row in read_rows(item.path):
            check(inputs, row, found)
    release()
    return found


def _check_batch(inputs: CheckInputs, batch: Batch, found: Verdicts) -> None:
    belonging = {
        table: _by_problem(inputs.rows[table].rows(numbers).to_pylist())
        for table, numbers in batch.rows.items()
    }
    problems = inputs.problems.rows(batch.problems).to_pylist()
    for number, row in zip(batch.problems.tolist(), problems, strict=True):
        rows = {table: by_problem.get(row["id"], []) for table, by_problem in belonging.items()}
        try:
            checked = _read(inputs, number, row, rows, batch.by_planner)
        except OrreryError as error:
            found.enter("plans", row["domain"], row["id"], [str(error)])
            continue
        for checks in family_checks().values():
            if checks.problem:
                _judge(checks.problem, checked, found)


def _judge(
    check: Callable[[CheckedProblem, Verdicts], None], checked: CheckedProblem, found: Verdicts
) -> None:
    """Check what belongs to a problem; what cannot be read is a fault of it, and ends no other check."""
    try:
        check(checked, found)
    except MALFORMED as error:
        found.enter("values", checked.row["domain"], checked.row["id"], [unreadable(error)])


def _read(
    inputs: CheckInputs, number: int, row: Row, rows: Mapping[str, list[Row]], by_planner: bool
) -> CheckedProblem:
    """Return the problem of a row; raise OrreryError where its domain, task or PDDL cannot be read."""
    entry = entry_of(inputs.root, row["domain"])
    tasks = {task.name: task for task in (*entry.tasks, FROM_FILE)}
    if row["task"] not in tasks:
        raise OrreryError(row["id"], f"the domain has no task '{row['task']}'")
    problem = read_problem(row["problem_pddl"], entry.domain, row["id"])
    return CheckedProblem(inputs, number, entry, tasks[row["task"]], row, problem, rows, by_planner)


def _by_problem(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.get("problem_id") or problem_of(row["id"])].append(row)
    return found
