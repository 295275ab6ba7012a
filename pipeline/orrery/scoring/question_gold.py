"""The rows that replies to questions are graded by: all tables of questions of a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from orrery.model import OrreryError, UsageError
from orrery.scoring.gold import Gold
from orrery.store import shards

PREFIX = "acp_"
NEEDED = ("id", "group", "answer")
# What grading looks at, and what scores are counted by; the long contexts are left on disk.
USED = (
    *NEEDED,
    "domain",
    "kind",
    "question",
    "PDDL_domain",
    "PDDL_problem",
    "answer_all",
    "answer_all_is",
    "typing",
    "sequence",
    "plan",
    "positions",
    "choices",
    "choices_pddl",
)


@dataclass(frozen=True)
class QuestionGold:
    """The rows of several tables; each begins a block of ``size`` rows of its own."""

    tables: tuple[Gold, ...]
    size: int

    @property
    def files(self) -> list[Path]:
        """The files of all tables."""
        return [path for gold in self.tables for path in gold.files]

    @cached_property
    def ids(self) -> dict[str, int]:
        """The number of each row by its id; numbers between the tables are left out.

        Raises:
            OrreryError: a file cannot be read or lacks a column, or two rows share an id.
        """
        found: dict[str, int] = {}
        start = 0
        for gold in self.tables:
            for name, number in gold.ids.items():
                if found.setdefault(name, start + number) != start + number:
                    raise OrreryError(str(gold.dataset), f"two rows have the id '{name}'", "ids must differ")
            start += -(-len(gold.ids) // self.size) * self.size
        return found

    def blocks(self, size: int) -> Iterator[Any]:
        """The rows as Arrow tables of at most ``size`` rows of one table each."""
        for gold in self.tables:
            yield from gold.blocks(size)


def find_questions(dataset: Path, split: str | None, size: int) -> QuestionGold:
    """The tables of questions in ``dataset``, by name; those of a folder of imports have no splits.

    Raises:
        UsageError: there are none.
    """
    if not dataset.is_dir():
        raise UsageError(f"dataset {dataset}", "no such folder", "build it: `make data`, or give --dataset")
    there = {path.parent.name for path in (dataset / "data").glob(f"{PREFIX}*/*.parquet")}
    found = {name: tuple(shards.shards(dataset, name, split)) for name in there}
    found |= {path.stem: (path,) for path in dataset.glob(f"{PREFIX}*.parquet")}
    tables = [
        Gold(dataset, split, files, name, USED, NEEDED) for name, files in sorted(found.items()) if files
    ]
    if not tables:
        what = f"rows of questions in split '{split}'" if split else "rows of questions"
        raise UsageError(f"dataset {dataset}", f"has no {what}", f"expected data/{PREFIX}.../*.parquet")
    return QuestionGold(tuple(tables), size)
