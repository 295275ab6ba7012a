"""No problem of a plan row stands in two splits, under whatever names: those asked, shown, and of examples.

Fingerprints that no renaming changes sort the problems; where one stands in several splits, graphs of these
problems are compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from orrery.catalog import entry_of
from orrery.checks import splits
from orrery.checks.inputs import CheckInputs, split_of
from orrery.checks.plans.asked import Asked
from orrery.checks.plans.columns import examples_of
from orrery.model import Problem
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_problem
from orrery.workers import Workers, map_items

NOTED = "plan splits"


class Noted(NamedTuple):
    """A problem of a row: the row's id, what no renaming of the problem changes, and its PDDL.

    A problem is noted once a split, so that what is kept does not grow with the rows that share it.
    """

    name: str
    domain: str
    profile: int
    text: str


Notes: TypeAlias = Callable[[], Iterable[Any]]


def profiles(asked: Asked) -> list[Noted]:
    """Return the problems of a row, under plain names but for the objects of examples."""
    problems = [asked.plain_problem, *examples_of(asked)]
    if "shown_problem_pddl" in asked.row:
        problems.append(asked.plain_shown_problem)
    new = [each for each in problems if asked.searched.is_new(each)]
    return [_noted(asked, each) for each in new]


def _noted(asked: Asked, problem: Problem) -> Noted:
    domain = asked.plain_domain
    return Noted(
        asked.row["id"],
        domain.name,
        splits.profile(domain, problem),
        write_problem(problem),
    )


def check(inputs: CheckInputs, noted: Notes, problems: Notes, jobs: int) -> list[str]:
    """Return the rows whose problem stands in another split.

    ``noted`` and ``problems``, of the problems table, give what was noted each time they are called: only
    what several splits share is held in memory.
    """
    shared = splits.suspects(((_within(each), each[2]) for each in noted()), problems())
    buckets: dict[tuple[str, int], list[Noted | str]] = defaultdict(list)
    for each in noted() if shared else ():
        if (key := (each[1], each[2])) in shared:
            buckets[key].append(Noted(*each))
    for name, profile in problems() if shared else ():
        if (key := (name.split("/")[0], profile)) in shared:
            buckets[key].append(name)
    suspected = list(buckets.values())
    found = map_items(partial(_leaking, inputs), suspected, Workers(jobs), label="validate: plan splits")
    return [message for some in found for message in some]


def _within(noted: Sequence[Any]) -> str:
    """Return domain and split of a row as an id begins, the domain being that of its problem."""
    return f"{noted[1]}/{split_of(noted[0])}"


def _leaking(inputs: CheckInputs, some: Iterable[Noted | str]) -> list[str]:
    """Return a message for each problem that is one of another split."""
    listed = list(some)
    names = [each for each in listed if isinstance(each, str)]
    texts = {row["id"]: row["problem_pddl"] for row in inputs.problems.named("id", names).to_pylist()}
    read = []
    for each in listed:
        name, text = (each, texts[each]) if isinstance(each, str) else (each.name, each.text)
        domain = entry_of(inputs.root, name.split("/")[0]).domain
        read.append((name, split_of(name), read_problem(text, domain, name)))
    return [f"{name} {fault}" for name, fault in splits.leaks(read)]
