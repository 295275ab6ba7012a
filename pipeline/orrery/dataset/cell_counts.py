"""The report's table of counts: rows of each question table and split by domain, beside the number wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from orrery.config import Settings
from orrery.dataset.row_counts import RowCounts
from orrery.families.questions.cells import by_table, why_fewer
from orrery.families.questions.schemas import QUESTIONS


class CountedCell(NamedTuple):
    """The rows of a domain, and why they are fewer than wanted; the reason is empty otherwise."""

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


def cell_counts(settings: Settings, rows: RowCounts) -> CellCounts:
    """Return the rows of the dataset, beside the cells that stage ``ask`` wrote."""
    size, lines = settings.size.ask, []
    for (table, split), cells in sorted(by_table(settings).items()):
        counted = {
            cell["domain"]: CountedCell(
                rows.total(table, split, cell["domain"]), why_fewer(cell, size.questions)
            )
            for cell in cells
        }
        lines.append(CountsLine(QUESTIONS[table].short, split, counted, size.questions * len(counted)))
    domains = sorted({name for line in lines for name in line.cells})
    return CellCounts(size.questions, size.exact, domains, lines)
