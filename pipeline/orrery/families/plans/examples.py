"""Small solved problems that ``generalization`` shows: drawn for it, of the task of the larger one.

An example belongs to one split: that of a problem of the domain that differs from it in nothing but names, or
else the one that its key decides. Rows of a split show examples of this split alone.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from orrery.catalog import SPLITS, Entry, entry_of
from orrery.families.plans.keys import spelled_key
from orrery.families.plans.space import space_of
from orrery.families.problems.schemas import GENERATED_PROBLEMS
from orrery.model import OrreryError, Problem, Step
from orrery.pddl.read import read_problem
from orrery.seeds import digest, stream
from orrery.semantics.grounding import Grounder
from orrery.store.shards import read_rows

DRAWN = 40  # problems drawn of a task
ENOUGH = 4  # examples of a split
MOST_STATES = 20_000
LEAST_STEPS = 3


class SolvedProblem(NamedTuple):
    """A problem with a shortest plan, and the split that it belongs to."""

    problem: Problem
    plan: tuple[Step, ...]
    split: str


@lru_cache(maxsize=256)
def solved_examples(root: Path, domain: str, task: str, seed: int) -> tuple[SolvedProblem, ...]:
    """Return small problems of a task of a domain with their plans, in the order in which they were drawn."""
    entry = entry_of(root, domain)
    wanted = next((each for each in entry.tasks if each.name == task), None)
    if wanted is None or not entry.description.difficulties:
        return ()
    grounder, known = Grounder(entry.domain), _splits(root, domain)
    easiest = next(iter(entry.description.difficulties))
    found, seen = list[SolvedProblem](), set[str]()
    for number in range(DRAWN):
        if all(sum(each.split == split for each in found) >= ENOUGH for split in SPLITS):
            break
        rng = stream(seed, "generalization", domain, task, number)
        try:
            problem = entry.make(wanted, easiest, rng).problem
        except OrreryError:
            continue
        key = spelled_key(entry.domain, problem)
        if not key or key in seen:
            continue
        seen.add(key)
        plan = _plan(grounder, problem, seed, number)
        if plan is not None and len(plan) >= LEAST_STEPS:
            found.append(SolvedProblem(problem, plan, known.get(key) or _split_of(entry, key)))
    return tuple(found)


def _plan(grounder: Grounder, problem: Problem, seed: int, number: int) -> tuple[Step, ...] | None:
    """Return a shortest plan; None where there is none, or states are too many."""
    task = grounder.ground(problem)
    space = space_of(task, MOST_STATES)
    if space is None:
        return None
    distances = space.distances(space.satisfying(task.goal_positive, task.goal_negative))
    if distances[0] < 0:
        return None
    return tuple(space.shortest(0, distances, stream(seed, "example plan", problem.domain, number)))


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
    found: dict[str, str] = {}
    entry = entry_of(root, domain)
    for row in read_rows(path, GENERATED_PROBLEMS, ["problem_id", "split", "problem_pddl"]):
        problem = read_problem(row["problem_pddl"], entry.domain, row["problem_id"])
        key = spelled_key(entry.domain, problem)
        if key and found.get(key) != "test":
            found[key] = row["split"]
    return found
