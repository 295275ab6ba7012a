"""Checks on all texts and problems together: keys in two splits, problems described twice, trivial goals."""

from __future__ import annotations

from pathlib import Path

from orrery.checks.sql import files_of, select

KEYS = ("strict_key", "loose_key")
LARGEST_SHARE = 0.02  # of rows whose goal holds initially
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


def check(dataset: Path) -> list[str]:
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
