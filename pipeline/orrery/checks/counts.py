"""Check all rows together by counting: keys in two splits, repeated rows, trivial goals, uneven answers."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from pathlib import Path

from orrery.checks.sql import files_of, select

KEYS = ("strict_key", "loose_key")
LARGEST_SHARE = 0.02  # allowed share of rows whose goal holds initially
TEXT_KEY = "strict_key, fold_mixture, vocabulary, paraphrase"
TEXTS, PROBLEMS = "text_to_pddl", "problems"

IN_TWO_SPLITS = """
    SELECT {key}, min(file_split), max(file_split) FROM rows
    GROUP BY {key} HAVING min(file_split) <> max(file_split) ORDER BY {key}
"""
DESCRIBED_TWICE = (
    f"SELECT count(*), {TEXT_KEY} FROM rows GROUP BY {TEXT_KEY} HAVING count(*) > 1 ORDER BY ALL"
)
TRIVIAL_GOALS = """
    SELECT count(*), count(*) FILTER (goal_holds_initially = 1),
           count(*) FILTER (goal_holds_initially = 1 AND file_split = 'test')
    FROM rows
"""
YES_NO, CHOICE = "_bool", "_mcq"
POSITIONS = ("A", "B", "C", "D")
LIMIT = 0.03  # above chance, and what chance explains on top
ERRORS = 3  # standard errors

UNEQUAL = """
    SELECT file_split, domain, count(*) FILTER (answer = 'yes') AS yes, count(*) FILTER (answer = 'no') AS no
    FROM rows GROUP BY file_split, domain HAVING abs(yes - no) > 1 ORDER BY file_split, domain
"""


def repeated_and_trivial(dataset: Path) -> list[str]:
    """Return keys that are in two splits, rows that repeat a problem, and goals that hold initially."""
    faults = []
    for table in (PROBLEMS, TEXTS):
        rows = {"rows": files_of(dataset, table)}
        for key in KEYS if rows["rows"] else ():
            for value, split, another in select(IN_TWO_SPLITS.format(key=key), rows):
                faults.append(f"{key} {value} stands in {split} and in {another}")
    texts = {"rows": files_of(dataset, TEXTS)}
    if texts["rows"]:
        for number, *columns in select(DESCRIBED_TWICE, texts):
            faults.append(f"{number} rows have {' '.join(map(str, columns))}")
        [(rows_of_texts, trivial, in_test)] = select(TRIVIAL_GOALS, texts)
        if in_test:
            faults.append(f"the goal holds initially in {in_test} rows of test")
        if trivial > LARGEST_SHARE * rows_of_texts:
            faults.append(f"the goal holds initially in {trivial} of {rows_of_texts} rows")
    return faults


def frequent_answers(dataset: Path) -> list[str]:
    """Return the tables in which one constant answer, or one option position, is correct too often."""
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
    """Return the cells with unequal numbers of yes and no; for an odd number, they may differ by one."""
    return [
        f"{split}: {domain}: {yes} yes, {no} no"
        for split, domain, yes, no in select(UNEQUAL, {"rows": paths})
    ]


def frequent_positions(counts: dict[str, int]) -> list[str]:
    """Return the positions that are correct more often than the limit and random variation allow."""
    rows, chance = sum(counts.values()), 1 / len(POSITIONS)
    most = rows * (chance + LIMIT) + ERRORS * sqrt(rows * chance * (1 - chance))
    return [
        f"{position} is right in {counts[position]} of {rows} rows"
        for position in POSITIONS
        if counts.get(position, 0) > most
    ]
