"""No problem of a plan row stands in two splits, under whatever names: those asked, shown, and of examples.

Fingerprints that no renaming changes sort the problems; where one stands in several splits, graphs of these
problems are compared.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from orrery.catalog import entry_of
from orrery.checks import splits
from orrery.checks.inputs import CheckInputs, split_of
from orrery.checks.plans.asked import Asked
from orrery.checks.plans.columns import examples_of
from orrery.engine import map_items
from orrery.model import Problem
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_problem

NOTED = "plan splits"


class Noted(NamedTuple):
    """A problem of a row: the row's id, what no renaming of the problem changes, and its PDDL, compressed.

    A problem is noted once a split, so that what is kept does not grow with the rows that share it.
    """

    name: str
    domain: str
    profile: int
    text: bytes


OfProblems: TypeAlias = Sequence[tuple[str, int, int]]


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
        zlib.compress(write_problem(problem).encode()),
    )


def check(inputs: CheckInputs, noted: Sequence[Noted], problems: OfProblems, jobs: int) -> list[str]:
    """Return the rows whose problem stands in another split; ``problems`` are those of the problems table."""
    buckets: dict[tuple[str, int], list[Noted | tuple[str, int]]] = defaultdict(list)
    for each in noted:
        buckets[each.domain, each.profile].append(each)
    for name, number, profile in problems:
        if (key := (name.split("/")[0], profile)) in buckets:
            buckets[key].append((name, number))
    suspected = [some for some in buckets.values() if len({split_of(each[0]) for each in some}) > 1]
    found = map_items(suspected, partial(_leaking, inputs), jobs=jobs, label="validate: plan splits")
    return [message for some in found for message in some]


def _leaking(inputs: CheckInputs, some: Iterable[Noted | tuple[str, int]]) -> list[str]:
    """Return a message for each problem that is one of another split."""
    read = []
    for each in some:
        if isinstance(each, Noted):
            name, text = each.name, zlib.decompress(each.text).decode()
        else:
            name, text = each[0], inputs.problems.rows([each[1]]).to_pylist()[0]["problem_pddl"]
        domain = entry_of(inputs.root, name.split("/")[0]).domain
        read.append((name, split_of(name), read_problem(text, domain, name)))
    return [f"{name} {fault}" for name, fault in splits.leaks(read)]
