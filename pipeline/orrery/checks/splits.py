"""Splits: no problem of one stands in another, under any renaming of its objects.

The stored keys come from our own canonical form. Here a fingerprint that no renaming changes sorts the
problems into buckets; where one holds problems of several splits, graphs are built anew, labels
propagated until they are stable, and a general isomorphism test (VF2, of rustworkx) looks for a renaming of
each pair. Where it finds none in so many steps, a search whose work is counted decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from orrery.catalog import SPLITS
from orrery.checks import automorphisms
from orrery.checks.colours import fingerprint, first_colours, marked, refined
from orrery.checks.graphs import Graph, ObjectGraph, bucket, graph_of
from orrery.checks.verdicts import UNDECIDED
from orrery.model import Domain, Problem
from orrery.store.by_digest import ByDigest

ROUNDS = 4  # what is equal by then is left to the graphs
INIT, GOAL, AVOID = range(3)
PIECE = 10_000  # problems in memory
MIXED = np.uint64(0x9E3779B97F4A7C15)  # odd, so that what differs stays different; spreads the first bytes
_NOTED = [("domain", np.int32), ("profile", np.int64), ("split", np.int8), ("own", np.bool_)]


def profile(domain: Domain, problem: Problem) -> int:
    """Return a number that is equal for problems that are renamings of each other, and seldom for others."""
    goal = {positive: [g.atom for g in problem.goal if g.positive == positive] for positive in (True, False)}
    facts = marked(domain, {INIT: problem.init, GOAL: goal[True], AVOID: goal[False]})
    return fingerprint(refined(first_colours(domain, problem), facts, ROUNDS), facts)


def suspects(
    noted: Iterable[tuple[str, int]], others: Iterable[tuple[str, int]] = ()
) -> set[tuple[str, int]]:
    """Return (domain, profile) of what problems of several splits share; these are ids with profiles.

    ``others`` count where one that is ``noted`` has the same. They are put in order by way of the disk.
    """
    domains: dict[str, int] = {}
    with ByDigest(_NOTED) as records:
        for own, some in ((True, noted), (False, others)):
            listed = iter(some)
            while piece := list(islice(listed, PIECE)):
                _put_in(records, piece, domains, own)
        shared = {key for some in records for key in _shared(some)}
    names = list(domains)
    return {(names[domain], profile) for domain, profile in shared}


def _put_in(records: ByDigest, noted: Sequence[tuple[str, int]], domains: dict[str, int], own: bool) -> None:
    profiles = np.array([number for _, number in noted], np.int64)
    within = [name.split("/", 2)[:2] for name, _ in noted]
    records.add(
        profiles.view(np.uint64) * MIXED,
        profile=profiles,
        domain=[domains.setdefault(domain, len(domains)) for domain, _ in within],
        split=[SPLITS.index(split) for _, split in within],
        own=own,
    )


def _shared(some: NDArray[Any]) -> set[tuple[int, int]]:
    """Return numbers of domains, with profiles, that records of several splits have, and one that is own."""
    some = some[np.lexsort([some["split"], some["profile"], some["domain"]])]
    same = (some["domain"][1:] == some["domain"][:-1]) & (some["profile"][1:] == some["profile"][:-1])
    both = some[1:][same & (some["split"][1:] != some["split"][:-1])]
    found = set(zip(both["domain"].tolist(), both["profile"].tolist(), strict=True))
    if found:
        own = some[some["own"]]
        found &= set(zip(own["domain"].tolist(), own["profile"].tolist(), strict=True))
    return found


def leaks(problems: Sequence[tuple[str, str, Problem]]) -> list[tuple[str, str]]:
    """Return a message for each problem (id, split, problem) that is isomorphic to one of another split.

    A message is a pair: the problem, and what is wrong with it. Where this stays undecided, the first of them
    is the word that such messages begin with.
    """
    buckets: dict[str, list[_Placed]] = defaultdict(list)
    for name, split, problem in problems:
        graph = graph_of(_structure(problem))
        buckets[bucket(graph)].append(_Placed(name, split, graph, len(problem.objects)))
    return [
        message
        for some in buckets.values()
        for first, second in _across(some)
        for message in _judged(first, second)
    ]


class _Placed(NamedTuple):
    """A problem in a split, with its graph, whose first vertices are the objects."""

    name: str
    split: str
    graph: Graph
    objects: int


def _judged(first: _Placed, second: _Placed) -> Iterator[tuple[str, str]]:
    """Yield the message on two problems, if there is one."""
    same = automorphisms.same(first.graph, second.graph, first.objects)
    if same is None:
        yield UNDECIDED.rstrip(), f"whether {first.name} is the same problem as {second.name}"
    if same:
        yield first.name, f"is the same problem as {second.name}"


def _across(some: list[_Placed]) -> Iterator[tuple[_Placed, _Placed]]:
    return ((a, b) for a, b in combinations(some, 2) if a.split != b.split)


def _structure(problem: Problem) -> ObjectGraph:
    """Return objects by type, facts of the initial state, and goal literals by sign."""
    objects = {typed.name: f"object {' '.join(typed.types)}" for typed in problem.objects}
    facts = [("init", fact) for fact in problem.init]
    facts += [(f"goal {literal.positive}", literal.atom) for literal in problem.goal]
    return ObjectGraph(objects, [(f"{where} {atom[0]}", atom[1:]) for where, atom in facts])
