"""Check that frequencies give no answer away: yes and no by table, domain and split; right options.

Read with pyarrow alone, a few columns of each file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import sqrt
from pathlib import Path

import pyarrow.parquet as pq

YES_NO, CHOICE = "_bool", "_mcq"
ANSWERS = ("yes", "no")
PLACES = ("A", "B", "C", "D")
LIMIT = 0.03  # so much above chance is too much, and what chance explains on top
ERRORS = 3


def check(dataset: Path) -> list[str]:
    """Return the tables in which one answer, or one position, is right too often."""
    found: list[str] = []
    for folder in sorted((dataset / "data").iterdir()):
        files = sorted(folder.glob("*.parquet"))
        if folder.name.endswith(YES_NO):
            found += [f"{folder.name}: {fault}" for path in files for fault in _unequal(path)]
        elif folder.name.endswith(CHOICE):
            answers = (answer for path in files for _, answer in _answers(path))
            found += [f"{folder.name}: {fault}" for fault in one_place(Counter(answers))]
    return found


def _answers(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the domain and answer of each row of a file."""
    content = pq.read_table(path, columns=["domain", "answer"], partitioning=None)
    yield from zip(content["domain"].to_pylist(), content["answer"].to_pylist(), strict=True)


def _unequal(path: Path) -> list[str]:
    split = path.name.split("-")[0]
    return [f"{split}: {fault}" for fault in unequal(_answers(path))]


def unequal(answers: Iterable[tuple[str, str]]) -> list[str]:
    """Return the domains where yes and no are not equally frequent; an odd number allows one more of one."""
    counts = Counter(answers)
    numbers = {name: [counts[name, answer] for answer in ANSWERS] for name in sorted({d for d, _ in counts})}
    return [f"{name}: {yes} yes, {no} no" for name, (yes, no) in numbers.items() if abs(yes - no) > 1]


def one_place(counts: Counter[str]) -> list[str]:
    """Return the positions that are right more often than the limit and chance together allow."""
    rows, chance = counts.total(), 1 / len(PLACES)
    most = rows * (chance + LIMIT) + ERRORS * sqrt(rows * chance * (1 - chance))
    return [f"{place} is right in {counts[place]} of {rows} rows" for place in PLACES if counts[place] > most]
