"""Stage ``validate``: every row checked by a route that did not make it; writes ``outputs/report``.

What has passed is put into numbers, too: ``outputs/metrics``.

Rows are found by their numbers in the files and read by the workers, a problem with all that belongs to
it at a time: none travels between processes, and none stays in memory. Of an item there are some twenty bytes
that tell which it is, and the bytes of its key. What was found of rows is kept, and used by the next run
where rows, domain, templates, code and parameters are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from orrery.checks import family_checks, folder, tables, unchecked
from orrery.checks.inputs import CheckInputs
from orrery.checks.kept import Kept, Keys
from orrery.checks.made_from import MadeFrom
from orrery.checks.problem_rows import ItemCheck
from orrery.checks.row_index import Item as RowItem
from orrery.checks.row_index import RowIndex
from orrery.checks.verdicts import MALFORMED, Verdicts, unreadable
from orrery.config import Settings
from orrery.dataset.adversary import TableFigures, attack_dataset
from orrery.dataset.contents import content_hash
from orrery.dataset.gate import verdict_of
from orrery.dataset.metrics import write_metrics
from orrery.dataset.report import chart_of, count_figures, write_report
from orrery.evaluation.results.page import run_lines
from orrery.evaluation.results.runs import EVALS
from orrery.families import tables as published
from orrery.model import OrreryError
from orrery.stages.summary import StageSummary
from orrery.workers import ALONE, Workers, map_items

STAGE = "validate"
KEPT = ".validated"  # the folder of verdicts, by size
MANY = 100  # items of which it is known beforehand that they are worth the start of workers
LARGE = 1000  # items of large tables, from which on workers end after so many, and after each kind of work


class OfTable(NamedTuple):
    """Work beside that on rows: by one of WHOLE, or DRAWN, on a table or under another name."""

    what: str
    name: str


Item: TypeAlias = RowItem | OfTable


class Attacks(NamedTuple):
    """The figures of the adversary, by table, and the chart of them."""

    attacked: Sequence[TableFigures]
    chart: str


def _attacks(settings: Settings, _name: str) -> Attacks:
    attacked = attack_dataset(_dataset(settings))
    return Attacks(attacked, chart_of(attacked))


ALL = "all tables"
# What looks at tables as they are, by what it is called in progress and messages.
WHOLE: Mapping[str, Callable[[Settings, str], Any]] = MappingProxyType(
    {
        "adversary": _attacks,
        "report": lambda settings, _name: count_figures(settings),
        "folder": lambda settings, _name: folder.check(_dataset(settings)),
        "files": tables.check_table,
    }
)
DRAWN = "rows drawn"  # what a family puts to another tool, under the family's name
# Each is one item, for what it loads takes longer than most of its tables.
LONG = ("adversary", "report", DRAWN)


@dataclass(frozen=True)
class Look:
    """Does an item of any kind; picklable."""

    settings: Settings
    check: ItemCheck

    def __call__(self, item: Item) -> Any:
        """Return what is found in rows, or in a table."""
        if not isinstance(item, OfTable):
            return self.check(item)
        if item.what == DRAWN:
            return _drawn(self.check.inputs, item.name)
        return WHOLE[item.what](self.settings, item.name)


def _drawn(inputs: CheckInputs, family: str) -> Verdicts:
    """Return what another tool says of the rows that a family draws."""
    check, found = family_checks()[family].drawn, Verdicts()
    try:
        return check(inputs) if check else found
    except MALFORMED as error:
        found.enter("values", "", f"rows drawn of {family}", [unreadable(error)])
        return found


@dataclass
class Seen:
    """What was found: of rows, with the keys under which that is kept, of rows drawn, and of whole tables."""

    rows: Verdicts = field(default_factory=Verdicts)
    keys: Keys = field(default_factory=Keys)
    drawn: Verdicts = field(default_factory=Verdicts)
    whole: dict[OfTable, Any] = field(default_factory=dict)

    def take(self, item: Item, found: Any) -> None:
        """Take what was found in an item."""
        if not isinstance(item, OfTable):
            self.rows.add(found.verdicts)
            self.keys.append(found.key)
        elif item.what == DRAWN:
            self.drawn.add(found)
        else:
            self.whole[item] = found

    def of(self, what: str) -> dict[str, Any]:
        """Return what one of WHOLE found, by name."""
        return {item.name: found for item, found in self.whole.items() if item.what == what}


def run(settings: Settings, workers: Workers = ALONE) -> StageSummary:
    """Check everything; write the report; raise where a row fails, so that the build ends here."""
    index, dataset = RowIndex.of_build(settings), _dataset(settings)
    kept = Kept(settings.outputs / KEPT / settings.size_name)
    check = ItemCheck(index.inputs, MadeFrom.of(settings.root, settings.domains), kept)
    seen = _seen(settings, index, check, workers)
    found = Verdicts()
    for (check_name, name), messages in _of_files(seen).items():
        found.enter(check_name, "", name, messages)
    found.enter("references", "", "all tables", list(index.dangling()))
    found.add(seen.rows)
    found.add(seen.drawn)
    kept.prune(seen.keys)
    found.stored = partial(kept.notes, seen.keys)
    # What compares all rows fills memory, so it comes when the workers are gone.
    for name, checks in family_checks().items():
        if checks.dataset:
            try:
                checks.dataset(index.inputs, found, workers.jobs)
            except MALFORMED as error:
                found.enter("values", "", f"all tables of {name}", [unreadable(error)])
    attacked, chart = seen.of("adversary")[ALL]
    for each in attacked:
        for domain, faults in each.verdicts():
            found.enter("adversary", domain, each.table, faults)
    runs, counted = run_lines(settings.outputs / EVALS), seen.of("report")[ALL]
    told = (unchecked(), attacked, runs, counted, chart)
    write_report(settings, found.checked, found.findings, content_hash(dataset), *told)
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


def _dataset(settings: Settings) -> Path:
    return settings.outputs / "dataset"


def _seen(settings: Settings, index: RowIndex, check: ItemCheck, workers: Workers) -> Seen:
    """Look at all rows and tables."""
    rows, whole = index.items(), _whole(_dataset(settings))
    describe, seen, look = partial(_describe, index), Seen(), Look(settings, check)
    for items in _courses(rows, whole):
        results = map_items(look, items, workers, label=STAGE, describe=describe)
        for item, found in zip(items, results, strict=True):
            seen.take(item, found)
    return seen


def _courses(rows: Sequence[RowItem], whole: Sequence[OfTable]) -> Iterator[Sequence[Item]]:
    """Yield items that have workers of their own, one course after another.

    What is longest comes first, tables one by one last, so that all workers are busy to the end. Workers keep
    what memory they took once, those that attack large tables some 250 MiB, so that where there is much to do
    they end after each of these kinds of work, and after so many items.
    """
    long = [item for item in whole if item.what in LONG]
    short = [item for item in whole if item.what not in LONG]
    if len(rows) < LARGE:
        yield [*long, *rows, *short]
        return
    yield long
    for start in range(0, len(rows), LARGE):
        yield rows[start : start + LARGE]
    yield short


def _of_files(seen: Seen) -> dict[tuple[str, str], list[str]]:
    """Return what was found in the files of tables, and in the folder, by check and name."""
    checks = {"files": "tables", "folder": "folder"}
    return {(check, name): found for what, check in checks.items() for name, found in seen.of(what).items()}


def _whole(dataset: Path) -> list[OfTable]:
    """Return the work on whole tables."""
    names = {
        "adversary": [ALL],
        "report": [ALL],
        "folder": ["all files"],
        "files": list(published()),
        DRAWN: [name for name, checks in family_checks().items() if checks.drawn],
    }
    return [OfTable(what, name) for what, some in names.items() for name in some]


def _describe(index: RowIndex, item: Item) -> str:
    return f"{item.what} of {item.name}" if isinstance(item, OfTable) else index.describe(item)
