"""Splits: no problem of one stands in another, under any renaming of its objects.

The stored keys come from our own canonical form. Here plain label propagation on a graph built anew
sorts the problems into buckets, and a general isomorphism test (VF2, of rustworkx) decides each pair
of a bucket across splits. A pair with isomorphic texts of PDDL must not exist.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import rustworkx

from pipeline.model import Problem


def leaks(problems: Iterable[tuple[str, str, Problem]]) -> list[tuple[str, str]]:
    """A message for each problem (id, split, problem) that is isomorphic to one of another split."""
    buckets: dict[str, list[tuple[str, str, Any]]] = defaultdict(list)
    for name, split, problem in problems:
        graph = _graph(problem)
        buckets[_bucket(graph)].append((name, split, graph))
    return [
        (first[0], f"is the same problem as {second[0]}")
        for bucket in buckets.values()
        for first, second in _across(bucket)
        if _isomorphic(first[2], second[2])
    ]


def _across(bucket: list[tuple[str, str, Any]]) -> Iterator[tuple[Any, Any]]:
    return ((a, b) for a, b in combinations(bucket, 2) if a[1] != b[1])


def _graph(problem: Problem) -> Any:
    """Objects and literals as vertices; an edge from a literal to each argument says its position."""
    graph = rustworkx.PyGraph()
    vertex = {typed.name: graph.add_node(f"object {' '.join(typed.types)}") for typed in problem.objects}
    sides = [("init", fact, True) for fact in problem.init]
    sides += [("goal", literal.atom, literal.positive) for literal in problem.goal]
    for side, atom, positive in sorted(sides):
        node = graph.add_node(
            f"{side} {atom[0]} {positive} " + " ".join(a for a in atom[1:] if a not in vertex)
        )
        for position, name in enumerate(atom[1:]):
            if name in vertex:
                graph.add_edge(node, vertex[name], position)
    distinct = 0
    while distinct < (now := len(set(graph.nodes()))):
        distinct = now
        _propagate(graph)
    return graph


def _propagate(graph: Any) -> None:
    """Replace every label by a digest of itself and the labels around it."""
    labels = [
        repr((graph[node], sorted((str(edge), graph[other]) for other, edge in graph.adj(node).items())))
        for node in graph.node_indices()
    ]
    for node, label in zip(graph.node_indices(), labels, strict=True):
        graph[node] = hashlib.sha256(label.encode()).hexdigest()[:16]


def _bucket(graph: Any) -> str:
    return hashlib.sha256(" ".join(sorted(graph.nodes())).encode()).hexdigest()


def _isomorphic(first: Any, second: Any) -> bool:
    """Whether a bijection keeps labels and edges; the labels, propagated until they are stable, guide it."""
    return bool(
        rustworkx.is_isomorphic(first, second, node_matcher=_same, edge_matcher=_same, id_order=False)
    )


def _same(first: Any, second: Any) -> bool:
    return bool(first == second)
