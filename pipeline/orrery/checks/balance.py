"""Check that frequencies give no answer away: yes and no by table, domain and split; right options."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from pathlib import Path

from orrery.checks.sql import files_of, select

YES_NO, CHOICE = "_bool", "_mcq"
POSITIONS = ("A", "B", "C", "D")
LIMIT = 0.03  # above chance, and what chance explains on top
ERRORS = 3  # standard errors

UNEQUAL = """
    SELECT file_split, domain, count(*) FILTER (answer = 'yes') AS yes, count(*) FILTER (answer = 'no') AS no
    FROM rows GROUP BY file_split, domain HAVING abs(yes - no) > 1 ORDER BY file_split, domain
"""


def check(dataset: Path) -> list[str]:
    """Return the tables in which one answer, or one position, is right too often."""
    faults: list[str] = []
    for folder in sorted((dataset / "data").iterdir()):
        paths = files_of(dataset, folder.name)
        if paths and folder.name.endswith(YES_NO):
            faults += [f"{folder.name}: {fault}" for fault in unequal(paths)]
        elif paths and folder.name.endswith(CHOICE):
            counts = dict(select("SELECT answer, count(*) FROM rows GROUP BY answer", {"rows": paths}))
            faults += [f"{folder.name}: {fault}" for fault in frequent_positions(counts)]
    return faults


def unequal(paths: Sequence[Path]) -> list[str]:
    """Return where yes and no are not equally frequent; an odd number allows one more of one."""
    return [
        f"{split}: {domain}: {yes} yes, {no} no"
        for split, domain, yes, no in select(UNEQUAL, {"rows": paths})
    ]


def frequent_positions(counts: dict[str, int]) -> list[str]:
    """Return the positions that are right more often than the limit and chance together allow."""
    rows, chance = sum(counts.values()), 1 / len(POSITIONS)
    most = rows * (chance + LIMIT) + ERRORS * sqrt(rows * chance * (1 - chance))
    return [
        f"{position} is right in {counts[position]} of {rows} rows"
        for position in POSITIONS
        if counts.get(position, 0) > most
    ]
