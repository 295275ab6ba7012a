"""Compute keys of generated problems, the reasons for problems without keys, and splits by key."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from orrery.catalog import Alike, Entry, entry_of
from orrery.equivalence.canonical import Canonical
from orrery.equivalence.closure import RULE, Closure, close
from orrery.equivalence.embedding import goal_holds_permuted
from orrery.equivalence.graph import Layers, Undecided
from orrery.equivalence.keys import (
    INIT,
    as_spelled,
    form_of,
    goal_key,
    goal_layers,
    init_key,
    spelled_strict_key,
    strict_key,
    strict_layers,
)
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


class KeyMaker:
    """Computes keys of problems of one domain; halves of loose keys are cached by the result of ``alike``."""

    def __init__(self, entry: Entry) -> None:
        """Create the key maker of a domain."""
        self.entry, self.domain = entry, entry.domain
        self._halves: dict[Hashable, str] = {}

    def keys(self, generated: Generated, alike: Alike | None = None) -> ProblemKeys | Rejection:
        """Return the keys of a problem, or the reason of its rejection.

        Args:
            generated: the problem.
            alike: the result of ``Entry.alike`` for its parameters.
        """
        problem = generated.problem
        if problem.satisfied(problem.init):
            return Rejection(GOAL_HOLDS, problem.name)
        closure = self._closure(generated)
        if not closure.decided:
            return Rejection(NO_KEY, f"goal closure {closure.proof}")
        try:
            strict = strict_key(self.domain, closure, self._form(problem, strict_layers(problem, closure)))
            goal = self._half(
                alike and ("goal", alike[1]),
                lambda: goal_key(
                    self.domain,
                    closure,
                    self._form(problem, goal_layers(self.domain, problem, closure)),
                ),
            )
            init = self._init_half(alike and ("init", alike[0]), problem, problem.init)
        except Undecided as error:
            return Rejection(NO_KEY, str(error))
        try:
            goal_holds = self._goal_holds(generated, init, alike)
        except Undecided as error:
            return Rejection(HOLDING_UNDECIDED, str(error))
        return ProblemKeys(strict, init + goal, goal_holds)

    def _closure(self, generated: Generated) -> Closure:
        """Return the goal closure; for a domain without texts, the goal as written."""
        if not self.entry.description.texts:
            return as_spelled(self.domain, generated.problem)
        if generated.closure is not None:
            return Closure(True, RULE, generated.closure)
        return close(self.domain, generated.problem, self.entry.closure_rule)

    def _goal_holds(self, generated: Generated, init: str, alike: Alike | None) -> bool:
        """Return whether the goal holds initially, for some choice of its open objects."""
        if not (self.entry.description.texts and generated.task.interchangeable):
            return False
        problem = generated.problem

        def is_like_init(facts: State) -> bool:
            return init == self._init_half(alike and ("goal as init", alike[1]), problem, facts)

        return goal_holds_permuted(self.domain, problem, is_like_init=is_like_init)

    def _init_half(self, remembered_as: Hashable | None, problem: Problem, facts: State) -> str:
        """Return the half of a loose key for an initial state with these facts."""
        return self._half(remembered_as, lambda: init_key(self.domain, self._form(problem, {INIT: facts})))

    def _form(self, problem: Problem, layers: Layers) -> Canonical:
        return form_of(self.domain, problem, layers)

    def _half(self, remembered_as: Hashable | None, key: Callable[[], str]) -> str:
        """Return half of a loose key, computed once for all problems with the same half."""
        if remembered_as is None:
            return key()
        if remembered_as not in self._halves:
            self._halves[remembered_as] = key()
        return self._halves[remembered_as]


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
