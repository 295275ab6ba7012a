"""Decide isomorphism of small structures with VF2 (rustworkx), guided by refined labels."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import rustworkx

Graph: TypeAlias = Any  # type of rustworkx.PyGraph


class ObjectGraph(NamedTuple):
    """Objects with their labels, and facts about them: a label, then objects and other names."""

    objects: Mapping[str, str]
    facts: Iterable[tuple[str, tuple[str, ...]]]


def graph_of(structure: ObjectGraph) -> Graph:
    """Return objects and facts as vertices; the edge from a fact to an argument has its position as label.

    The labels are digests of the original labels, refined until no more vertices are separated.
    """
    graph = rustworkx.PyGraph()
    vertex = {name: graph.add_node(label) for name, label in structure.objects.items()}
    for label, arguments in sorted(structure.facts):
        node = graph.add_node(f"{label} " + " ".join(name for name in arguments if name not in vertex))
        for position, name in enumerate(arguments):
            if name in vertex:
                graph.add_edge(node, vertex[name], position)
    distinct = 0
    while distinct < (now := len(set(graph.nodes()))):
        distinct = now
        _propagate(graph)
    return graph


def _propagate(graph: Graph) -> None:
    """Replace every label by a digest of itself and the labels around it."""
    labels = [
        repr(
            (graph[node], sorted((str(edge), graph[neighbor]) for neighbor, edge in graph.adj(node).items()))
        )
        for node in graph.node_indices()
    ]
    for node, label in zip(graph.node_indices(), labels, strict=True):
        graph[node] = hashlib.sha256(label.encode()).hexdigest()[:16]


def bucket(graph: Graph) -> str:
    """Return a digest of all labels; isomorphic graphs share it."""
    return hashlib.sha256(" ".join(sorted(graph.nodes())).encode()).hexdigest()


def isomorphic(first: Graph, second: Graph, calls: int | None = None) -> bool:
    """Return whether a bijection keeps labels and edges, or is found within a limit of calls."""
    return bool(
        rustworkx.is_isomorphic(
            first, second, node_matcher=_same, edge_matcher=_same, id_order=False, call_limit=calls
        )
    )


def _same(first: Any, second: Any) -> bool:
    return bool(first == second)
