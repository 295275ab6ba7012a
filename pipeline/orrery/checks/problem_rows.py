"""The work of ``validate``'s workers: read some rows once, and check them unless their verdicts are kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from orrery.catalog import entry_of
from orrery.checks import FamilyChecks, family_checks
from orrery.checks.inputs import CheckedProblem, CheckInputs, Row
from orrery.checks.kept import Kept, KeptVerdicts
from orrery.checks.labels import problem_of
from orrery.checks.made_from import MadeFrom, hash_of_rows, hashed
from orrery.checks.row_index import PROBLEMS, Batch, Item, Sample
from orrery.checks.verdicts import MALFORMED, Verdicts, unreadable
from orrery.families.problems.quotas import FROM_FILE
from orrery.model import OrreryError
from orrery.pddl.read import read_problem
from orrery.store.columns import Table
from orrery.store.shards import release

READING = ""  # in the place of a family: what is wrong with a problem that no check can read


class CheckedItem(NamedTuple):
    """What was found in an item, and the key under which it is kept, with what was noted."""

    key: str
    verdicts: Verdicts


class DueItem(NamedTuple):
    """An item with its rows, what is kept of it, and the families whose checks are due; if none, no rows."""

    item: Item
    key: str
    tables: Mapping[str, Table]
    found: Mapping[str, KeptVerdicts]
    due: tuple[str, ...]


class JudgedItem(NamedTuple):
    """What was found in an item by family, and what of it is new."""

    due: DueItem
    news: Mapping[str, KeptVerdicts]


@dataclass(frozen=True)
class ItemCheck:
    """The check of items; picklable. What is kept of earlier runs is used where it was made from the same.

    Done elsewhere it is three steps: what is ``due`` is read here, ``judged`` there, and ``entered`` here.
    """

    inputs: CheckInputs
    made_from: MadeFrom
    kept: Kept

    def __call__(self, item: Item) -> CheckedItem:
        """Return what the checks of all families find in an item."""
        return self.entered(self.judged(self.due(item)))

    def due(self, item: Item) -> DueItem:
        """Read the rows of an item, and what is kept of it."""
        tables = _tables(self.inputs, item)
        key = self._key(item, tables)
        found = self.kept.load(key)
        due = tuple(name for name in _checks_of(item) if not self._is_kept(found.get(name), name))
        return DueItem(item, key, tables if due else {}, found, due)

    def judged(self, due: DueItem) -> JudgedItem:
        """Check an item; of files nothing is read but what people wrote of the checkout."""
        checks = {name: each for name, each in _checks_of(due.item).items() if name in due.due}
        new = _checked(self.inputs, due.item, due.tables, checks) if checks else {}
        news = {name: KeptVerdicts(self._code(name), verdicts) for name, verdicts in new.items()}
        return JudgedItem(due._replace(tables={}), news)

    def entered(self, judged: JudgedItem) -> CheckedItem:
        """Keep what is new, and return what was found in an item."""
        due, news = judged
        if due.due:
            self.kept.save(due.key, news)
        release()
        together, found = Verdicts(), {**due.found, **news}
        for name in (READING, *_checks_of(due.item)):
            if name in found:
                together.add(found[name].verdicts)
        return CheckedItem(due.key, together)

    def elsewhere(self) -> ItemCheck:
        """Return the check as it judges elsewhere: without what tells the rows of an item."""
        return replace(self, inputs=replace(self.inputs, belonging={}))

    def _is_kept(self, found: KeptVerdicts | None, family: str) -> bool:
        return found is not None and found.sound and found.code == self._code(family)

    def _code(self, family: str) -> str:
        return self.made_from.code.get(family, "")

    def _key(self, item: Item, tables: Mapping[str, Table]) -> str:
        """Return a hash of the rows of an item and of all else that their checks read, but for their code."""
        domains = {name for rows in tables.values() if "domain" in rows.column_names
                   for name in rows["domain"].unique().to_pylist()}  # fmt: skip
        return hashed(
            {
                "kind": [
                    type(item).__name__,
                    getattr(item, "by_planner", False),
                    getattr(item, "family", ""),
                ],
                "seed": self.inputs.seed,
                "seconds": self.inputs.seconds,
                "domains": {name: self.made_from.domains.get(name) for name in sorted(map(str, domains))},
                "installation": self.made_from.installation,
                "rows": {name: hash_of_rows(rows) for name, rows in sorted(tables.items())},
            }
        )


def _checks_of(item: Item) -> dict[str, FamilyChecks]:
    """Return the checks that look at items of a kind, by family."""
    every = family_checks()
    if isinstance(item, Batch):
        return {name: each for name, each in every.items() if each.problem}
    if isinstance(item, Sample):
        return {name: each for name, each in every.items() if each.sample}
    return {item.family: every[item.family]}


def _tables(inputs: CheckInputs, item: Item) -> dict[str, Table]:
    """Return the rows of an item by table."""
    if not isinstance(item, Batch | Sample):
        return {item.table: inputs.rows[item.table].rows(item.numbers)}
    found = {PROBLEMS: inputs.problems.rows(item.problems)}
    if isinstance(item, Batch):
        of = ((table, there.rows(item.problems)) for table, there in inputs.belonging.items())
        found |= {table: inputs.rows[table].rows(numbers) for table, numbers in of if len(numbers)}
    return found


def _checked(
    inputs: CheckInputs, item: Item, tables: Mapping[str, Table], checks: Mapping[str, FamilyChecks]
) -> dict[str, Verdicts]:
    """Return what some checks find, by family."""
    found = {name: Verdicts() for name in checks}
    if isinstance(item, Batch):
        return found | {READING: _check_batch(inputs, item, tables, checks, found)}
    rows = next(iter(tables.values())).to_pylist()
    for name, check in checks.items():
        if isinstance(item, Sample) and check.sample:
            check.sample(inputs, rows, found[name])
        elif check.row:
            for row in rows:
                check.row(inputs, row, found[name])
    return found


def _check_batch(
    inputs: CheckInputs,
    batch: Batch,
    tables: Mapping[str, Table],
    checks: Mapping[str, FamilyChecks],
    found: Mapping[str, Verdicts],
) -> Verdicts:
    """Check the problems of a batch, and return what is wrong with those that cannot be read."""
    unread = Verdicts()
    belonging = {table: _by_problem(rows.to_pylist()) for table, rows in tables.items() if table != PROBLEMS}
    for row in tables[PROBLEMS].to_pylist():
        rows = {table: belonging.get(table, {}).get(row["id"], []) for table in inputs.rows}
        try:
            checked = _read(inputs, row, rows, batch.by_planner)
        except OrreryError as error:
            unread.enter("plans", row["domain"], row["id"], [str(error)])
            continue
        for name, check in checks.items():
            if check.problem:
                _judge(check.problem, checked, found[name])
    return unread


def _judge(
    check: Callable[[CheckedProblem, Verdicts], None], checked: CheckedProblem, found: Verdicts
) -> None:
    """Check what belongs to a problem; what cannot be read is a fault of it, and ends no other check."""
    try:
        check(checked, found)
    except MALFORMED as error:
        found.enter("values", checked.row["domain"], checked.row["id"], [unreadable(error)])


def _read(inputs: CheckInputs, row: Row, rows: Mapping[str, list[Row]], by_planner: bool) -> CheckedProblem:
    """Return the problem of a row; raise OrreryError where its domain, task or PDDL cannot be read."""
    entry = entry_of(inputs.root, row["domain"])
    tasks = {task.name: task for task in (*entry.tasks, FROM_FILE)}
    if row["task"] not in tasks:
        raise OrreryError(row["id"], f"the domain has no task '{row['task']}'")
    problem = read_problem(row["problem_pddl"], entry.domain, row["id"])
    return CheckedProblem(inputs, entry, tasks[row["task"]], row, problem, rows, by_planner)


def _by_problem(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.get("problem_id") or problem_of(row["id"])].append(row)
    return found
