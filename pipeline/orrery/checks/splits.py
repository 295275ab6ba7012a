"""Splits: no problem of one stands in another, under any renaming of its objects.

The stored keys come from our own canonical form. Here a fingerprint that no renaming changes sorts the
problems into buckets; where one holds problems of several splits, graphs are built anew, labels
propagated until they are stable, and a general isomorphism test (VF2, of rustworkx) decides each pair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from orrery.catalog import SPLITS
from orrery.checks.colours import fingerprint, first_colours, marked, refined
from orrery.checks.graphs import Graph, ObjectGraph, bucket, graph_of, isomorphic
from orrery.model import Domain, Problem

ROUNDS = 4  # what is equal by then is left to the graphs
INIT, GOAL, AVOID = range(3)
_NOTED = np.dtype([("domain", np.int32), ("profile", np.int64), ("split", np.int8)])


def profile(domain: Domain, problem: Problem) -> int:
    """Return a number that is equal for problems that are renamings of each other, and seldom for others."""
    goal = {positive: [g.atom for g in problem.goal if g.positive == positive] for positive in (True, False)}
    facts = marked(domain, {INIT: problem.init, GOAL: goal[True], AVOID: goal[False]})
    return fingerprint(refined(first_colours(domain, problem), facts, ROUNDS), facts)


def suspects(noted: Iterable[tuple[str, int]]) -> set[tuple[str, int]]:
    """Return (domain, profile) of what problems of several splits share; ``noted`` are ids with profiles.

    Of each only some numbers stay in memory.
    """
    domains: dict[str, int] = {}
    said = (
        (domains.setdefault(domain, len(domains)), number, SPLITS.index(split))
        for name, number in noted
        for domain, split, *_ in [name.split("/")]
    )
    found = np.fromiter(said, _NOTED)
    found = found[np.lexsort([found["split"], found["profile"], found["domain"]])]
    same = (found["domain"][1:] == found["domain"][:-1]) & (found["profile"][1:] == found["profile"][:-1])
    shared = found[1:][same & (found["split"][1:] != found["split"][:-1])]
    names = list(domains)
    return {(names[each["domain"]], int(each["profile"])) for each in shared}


def leaks(problems: Sequence[tuple[str, str, Problem]]) -> list[tuple[str, str]]:
    """Return a message for each problem (id, split, problem) that is isomorphic to one of another split."""
    buckets: dict[str, list[tuple[str, str, Graph]]] = defaultdict(list)
    for name, split, problem in problems:
        graph = graph_of(_structure(problem))
        buckets[bucket(graph)].append((name, split, graph))
    return [
        (first[0], f"is the same problem as {second[0]}")
        for bucket in buckets.values()
        for first, second in _across(bucket)
        if isomorphic(first[2], second[2])
    ]


def _across(bucket: list[tuple[str, str, Graph]]) -> Iterator[tuple[Any, Any]]:
    return ((a, b) for a, b in combinations(bucket, 2) if a[1] != b[1])


def _structure(problem: Problem) -> ObjectGraph:
    """Return objects by type, facts of the initial state, and goal literals by sign."""
    objects = {typed.name: f"object {' '.join(typed.types)}" for typed in problem.objects}
    facts = [("init", fact) for fact in problem.init]
    facts += [(f"goal {literal.positive}", literal.atom) for literal in problem.goal]
    return ObjectGraph(objects, [(f"{where} {atom[0]}", atom[1:]) for where, atom in facts])
