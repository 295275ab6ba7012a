"""Compute keys of generated problems, the reasons for problems without keys, and splits by key."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from orrery.catalog import Entry, entry_of
from orrery.equivalence.closure import RULE, Closure, close
from orrery.equivalence.embedding import goal_holds_permuted
from orrery.equivalence.graph import Undecided
from orrery.equivalence.keys import as_spelled, keys_of, spelled_strict_key
from orrery.model import Domain, Generated, Problem, State
from orrery.pddl.read import read_problem
from orrery.problems.schemas import GENERATED_PROBLEMS
from orrery.store.shards import read_rows

GOAL_HOLDS = "goal holds initially"
NO_KEY = "key undecided"
HOLDING_UNDECIDED = "undecided whether the goal holds initially"
KEPT = 2_000  # large problems take about 25 KiB each


class ProblemKeys(NamedTuple):
    """The keys of a problem, and whether its goal holds initially under another choice of open objects."""

    strict: str
    loose: str
    goal_holds: bool


class Rejection(NamedTuple):
    """The reason for a rejected problem, and a message."""

    reason: str
    detail: str


def problem_keys(entry: Entry, generated: Generated) -> ProblemKeys | Rejection:
    """Return the keys of a problem of a domain, or the reason of its rejection."""
    problem = generated.problem
    if problem.satisfied(problem.init):
        return Rejection(GOAL_HOLDS, problem.name)
    try:
        keys = keys_of(entry.domain, problem, _closure(entry, generated))
    except Undecided as error:
        return Rejection(NO_KEY, str(error))
    is_open = entry.description.texts and generated.task.interchangeable
    try:
        goal_holds = is_open and goal_holds_permuted(entry.domain, problem)
    except Undecided as error:
        return Rejection(HOLDING_UNDECIDED, str(error))
    return ProblemKeys(keys.strict, keys.loose, goal_holds)


def _closure(entry: Entry, generated: Generated) -> Closure:
    """Return the goal closure; for a domain without texts, the goal as written."""
    if not entry.description.texts:
        return as_spelled(entry.domain, generated.problem)
    if generated.closure is not None:
        return Closure(True, RULE, generated.closure)
    return close(entry.domain, generated.problem, entry.closure_rule)


def spelled_key(domain: Domain, problem: Problem) -> str:
    """Return a key of the problem with its goal as written; empty if a budget was used up.

    Problems with equal keys differ only in names.
    """
    try:
        return spelled_strict_key(domain, problem)
    except Undecided:
        return ""


def goal_free_key(domain: Domain, problem: Problem, state: State) -> str:
    """Return a key of the problem with another initial state and no goal; empty if a budget was used up."""
    return spelled_key(domain, replace(problem, init=state, goal=frozenset()))


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
