"""The report's table of counts: rows of each question table and split by domain, beside what is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orrery.config import Settings
from orrery.dataset.views import counts_of
from orrery.families.questions.cells import by_table, why_fewer
from orrery.families.questions.schemas import QUESTIONS
from orrery.store.shards import splits


class CountedCell(NamedTuple):
    """The rows of a domain, and why there are fewer than wanted; empty where there are not."""

    rows: int
    reason: str


class CountsLine(NamedTuple):
    """The rows of one table and split by domain, and how many are wanted in all."""

    table: str
    split: str
    cells: Mapping[str, CountedCell]
    wanted: int

    @property
    def total(self) -> int:
        """The rows of all domains."""
        return sum(cell.rows for cell in self.cells.values())

    @property
    def short(self) -> bool:
        """Whether there are fewer than wanted."""
        return self.total < self.wanted


class CellCounts(NamedTuple):
    """All counts; ``exact`` says whether they are promised."""

    wanted: int
    exact: bool
    domains: Sequence[str]
    lines: Sequence[CountsLine]

    @property
    def bounded(self) -> list[tuple[str, str, str, int, str]]:
        """Return table, split, domain, rows and reason of each cell that has fewer rows than wanted."""
        return [
            (line.table, line.split, name, *cell)
            for line in self.lines
            for name, cell in line.cells.items()
            if cell.reason
        ]

    def as_json(self) -> list[dict[str, Any]]:
        """Return the counts as plain values."""
        return [
            {"table": line.table, "split": line.split, "domain": name, **cell._asdict()}
            for line in self.lines
            for name, cell in line.cells.items()
        ]


def cell_counts(settings: Settings) -> CellCounts:
    """Count the rows of the dataset, beside the cells that stage ``ask`` wrote."""
    size, counts = settings.size.ask, _counts(settings.outputs / "dataset")
    lines = []
    for (table, split), cells in sorted(by_table(settings).items()):
        found = {}
        for cell in cells:
            rows = counts.get((table, split, cell["domain"]), 0)
            found[cell["domain"]] = CountedCell(rows, why_fewer(cell, size.questions))
        lines.append(CountsLine(QUESTIONS[table].short, split, found, size.questions * len(found)))
    domains = sorted({name for line in lines for name in line.cells})
    return CellCounts(size.questions, size.exact, domains, lines)


def _counts(dataset: Path) -> dict[tuple[str, str, str], int]:
    """Return the rows of the dataset by table, split and domain."""
    there = splits(dataset)
    parts = [
        f"select '{name}' as t, split, domain, count(*) as n from {name} group by all"
        for name in sorted(QUESTIONS)
        if name in there
    ]
    rows = counts_of(dataset, f"{' union all '.join(parts)} order by all") if parts else []
    return {(row["t"], row["split"], row["domain"]): row["n"] for row in rows}
