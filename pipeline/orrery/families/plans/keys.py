"""Keys and splits of the problems in rows: no problem, up to renaming, is in two splits."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from orrery.catalog import entry_of
from orrery.equivalence.graph import Undecided
from orrery.equivalence.keys import spelled_strict_key
from orrery.model import Domain, Problem
from orrery.pddl.read import read_problem
from orrery.problems.schemas import GENERATED_PROBLEMS
from orrery.store.shards import read_rows

KEPT = 2_000  # large problems take about 25 KiB each


def spelled_key(domain: Domain, problem: Problem) -> str:
    """Return a key of the problem with its goal as written; empty if a budget was used up.

    Problems with equal keys differ only in names.
    """
    try:
        return spelled_strict_key(domain, problem)
    except Undecided:
        return ""


# A cached version, for problems of several rows.
kept_key = lru_cache(maxsize=KEPT)(spelled_key)


def splits_by_key(path: Path, domain: str, root: Path) -> dict[str, str]:
    """Return the split of each problem in a file, by key; the test split takes precedence."""
    splits: dict[str, str] = {}
    entry = entry_of(root, domain)
    for row in read_rows(path, GENERATED_PROBLEMS, ["problem_id", "split", "problem_pddl"]):
        problem = read_problem(row["problem_pddl"], entry.domain, row["problem_id"])
        key = spelled_key(entry.domain, problem)
        if key and splits.get(key) != "test":
            splits[key] = row["split"]
    return splits
