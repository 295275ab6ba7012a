"""Small solved problems that ``generalization`` shows: drawn for it, of the task of the larger one.

An example belongs to one split: that of a problem of the domain that differs from it in nothing but names, or
else the one that its key decides. Rows of a split show examples of this split alone.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from orrery.catalog import SPLITS, Entry, entry_of
from orrery.families.plans.keys import kept_key, spelled_key
from orrery.families.plans.space import space_of
from orrery.model import ParameterError, Problem, Step
from orrery.pddl.read import read_problem
from orrery.planning.grounding import Grounder
from orrery.problems.schemas import GENERATED_PROBLEMS
from orrery.seeds import digest, stream
from orrery.store.shards import read_rows

DRAWN = 40  # problems drawn of a task, at most
MOST_STATES = 20_000
LEAST_STEPS = 3
KEPT = 4096


class SolvedProblem(NamedTuple):
    """A problem with a shortest plan."""

    problem: Problem
    plan: tuple[Step, ...]


def solved_examples(
    entry: Entry, task: str, seed: int, split: str, objects: int, steps: int, wanted: int
) -> list[SolvedProblem]:
    """Return as many as are ``wanted`` of a task and split, with fewer than ``objects`` and ``steps``.

    They come in the order in which they are drawn, which depends on the seed, the domain and the task alone.
    No two differ in nothing but names.
    """
    examples, keys = list[SolvedProblem](), set[str]()
    for number in range(DRAWN):
        if len(examples) == wanted:
            break
        problem = _drawn(entry.root, entry.name, task, seed, number)
        if problem is None or len(problem.objects) >= objects:
            continue
        key = kept_key(entry.domain, problem)
        if (
            not key
            or key in keys
            or split != (_splits(entry.root, entry.name).get(key) or _split_of(entry, key))
        ):
            continue
        keys.add(key)
        plan = _plan(entry.root, entry.name, task, seed, number)
        if plan is not None and LEAST_STEPS <= len(plan) < steps:
            examples.append(SolvedProblem(problem, plan))
    return examples


@lru_cache(maxsize=KEPT)
def _drawn(root: Path, domain: str, task: str, seed: int, number: int) -> Problem | None:
    """Return the ``number``-th problem of a task; None where there is none."""
    entry = entry_of(root, domain)
    pair = next((candidate for candidate in entry.tasks if candidate.name == task), None)
    if pair is None or not entry.description.difficulties:
        return None
    easiest = next(iter(entry.description.difficulties))
    try:
        return entry.make(pair, easiest, stream(seed, "generalization", domain, task, number)).problem
    except ParameterError:  # the limits leave no parameters
        return None


@lru_cache(maxsize=KEPT)
def _plan(root: Path, domain: str, task: str, seed: int, number: int) -> tuple[Step, ...] | None:
    """Return a shortest plan of a drawn problem; None where there is none, or states are too many."""
    drawn = _drawn(root, domain, task, seed, number)
    planning = _grounder(root, domain).ground(drawn) if drawn else None
    space = space_of(planning, MOST_STATES) if planning else None
    if space is None or planning is None:
        return None
    distances = space.distances(space.satisfying(planning.goal_positive, planning.goal_negative))
    rng = stream(seed, "example plan", domain, task, number)
    return tuple(space.shortest(0, distances, rng)) if distances[0] >= 0 else None


@lru_cache(maxsize=8)
def _grounder(root: Path, domain: str) -> Grounder:
    return Grounder(entry_of(root, domain).domain)


def _split_of(entry: Entry, key: str) -> str:
    """Return the split of a problem that the domain has none like: each gets a share, whatever is drawn."""
    if entry.description.test_only:
        return "test"
    return SPLITS[digest("example", key)[0] % len(SPLITS)]


@lru_cache(maxsize=8)
def _splits(root: Path, domain: str) -> dict[str, str]:
    """Return the splits of the domain's problems by key; none where no problems were generated."""
    path = root / "outputs" / "problems" / domain / "problems.parquet"
    return splits_by_key(path, domain, root) if path.exists() else {}


def splits_by_key(path: Path, domain: str, root: Path) -> dict[str, str]:
    """Return the splits of the problems of a file by key, those of the test split above others."""
    splits: dict[str, str] = {}
    entry = entry_of(root, domain)
    for row in read_rows(path, GENERATED_PROBLEMS, ["problem_id", "split", "problem_pddl"]):
        problem = read_problem(row["problem_pddl"], entry.domain, row["problem_id"])
        key = spelled_key(entry.domain, problem)
        if key and splits.get(key) != "test":
            splits[key] = row["split"]
    return splits
