"""Coloured graphs of problems, in which names do not matter.

A vertex stands for an object or constant, or for a fact of three or more arguments. Facts of one
argument (and ``(p x x)``) colour their vertex, facts of two colour the pair of their arguments, longer
ones are vertices joined to each argument by the argument's position; facts without arguments go into
the header. Every fact also carries the *layer* it belongs to ("init", "goal", ...), so one graph holds
an initial state and a goal. Colours are ranks of contents (predicates, layers, types, names of
constants), never of object names or of input order: isomorphic structures get equal headers and equal
ranks.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias

from pipeline.model import Atom, Domain, Problem, TypedName

Layers: TypeAlias = dict[str, Collection[Atom]]
Adjacency: TypeAlias = list[dict[int, int]]
_Symbol: TypeAlias = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Graph:
    """A coloured graph.

    ``vertices`` are names of objects, or whole facts; ``colours`` their ranks from 0.
    ``adjacency[u][v]`` is the relation of ``u`` to ``v``, a rank from 1: it stands for all that the
    structure says of the ordered pair, so it determines the relation of ``v`` to ``u``.
    ``header`` spells out what the ranks mean; graphs with different headers are not isomorphic.
    """

    vertices: tuple[str | Atom, ...]
    colours: list[int]
    adjacency: Adjacency
    header: str


def problem_graph(domain: Domain, problem: Problem, layers: Layers) -> Graph:
    """The graph of the problem's objects, the domain's constants and the facts of ``layers``."""
    marks = _marks(layers)
    vertices: list[str | Atom] = []
    labels: list[tuple[tuple[str, ...], str]] = []
    for typed, constant in _individuals(domain, problem):
        vertices.append(typed.name)
        labels.append((_types(domain, typed.types), typed.name if constant else ""))
    builder = _Builder(vertices, marks)
    for layer in sorted(layers):
        builder.add(layer, layers[layer])
    labels.extend([((), "")] * (len(vertices) - len(labels)))
    return _ranked(builder, labels, sorted(marks))


def _individuals(domain: Domain, problem: Problem) -> list[tuple[TypedName, bool]]:
    """Constants and objects, with whether they are constants."""
    return [(c, True) for c in domain.constants] + [(o, False) for o in problem.objects]


def _types(domain: Domain, types: tuple[str, ...]) -> tuple[str, ...]:
    """All types that something of ``types`` belongs to: equal for equal meanings."""
    if len(types) == 1:
        return tuple(sorted(domain.ancestors[types[0]]))
    return tuple(sorted(frozenset().union(*(domain.ancestors[name] for name in types))))


def _marks(layers: Layers) -> dict[_Symbol, int]:
    """The first of the bits that stand for each (layer, predicate, arity); a bit an argument."""
    symbols = {(layer, fact[0], len(fact) - 1) for layer, facts in layers.items() for fact in facts}
    marks, position = {}, 0
    for symbol in sorted(symbols):
        marks[symbol] = 1 << position
        position += max(symbol[2], 1)
    return marks


class _Builder:
    """Collects masks of marks on the whole, on vertices and on ordered pairs of vertices."""

    def __init__(self, vertices: list[str | Atom], marks: dict[_Symbol, int]) -> None:
        self.vertices, self.marks = vertices, marks
        self.index: dict[str | Atom, int] = {vertex: i for i, vertex in enumerate(vertices)}
        self.whole = 0
        self.own = [0] * len(vertices)
        self.pairs: Adjacency = [{} for _ in vertices]

    def add(self, layer: str, facts: Collection[Atom]) -> None:
        """Put the facts of one layer in."""
        index, marks, own, pairs = self.index, self.marks, self.own, self.pairs
        for fact in facts:
            arity = len(fact) - 1
            mark = marks[layer, fact[0], arity]
            if arity == 2:
                u, v = index[fact[1]], index[fact[2]]
                if u == v:
                    own[u] |= mark
                else:
                    pairs[u][v] = pairs[u].get(v, 0) | mark
                    pairs[v][u] = pairs[v].get(u, 0) | mark << 1
            elif arity == 1:
                own[index[fact[1]]] |= mark
            elif arity == 0:
                self.whole |= mark
            else:
                self._add_long(fact, mark)

    def _add_long(self, fact: Atom, mark: int) -> None:
        """A fact of three or more arguments: a vertex of its own, shared by the layers."""
        if fact not in self.index:
            self.index[fact] = len(self.vertices)
            self.vertices.append(fact)
            self.own.append(0)
            self.pairs.append({})
        node = self.index[fact]
        self.own[node] |= mark
        for position, name in enumerate(fact[1:]):
            argument = self.index[name]
            self.pairs[node][argument] = self.pairs[node].get(argument, 0) | mark << position
            self.pairs[argument][node] = self.pairs[node][argument]


def _ranked(builder: _Builder, labels: list[tuple[tuple[str, ...], str]], symbols: list[_Symbol]) -> Graph:
    """Masks and labels replaced by ranks among those that occur."""
    looks = [(*label, own) for label, own in zip(labels, builder.own, strict=True)]
    colours = sorted(set(looks))
    relations = sorted({mask for row in builder.pairs for mask in row.values()})
    colour_of = {look: rank for rank, look in enumerate(colours)}
    relation_of = {mask: rank for rank, mask in enumerate(relations, 1)}
    return Graph(
        vertices=tuple(builder.vertices),
        colours=[colour_of[look] for look in looks],
        adjacency=[{v: relation_of[mask] for v, mask in row.items()} for row in builder.pairs],
        header=repr((symbols, builder.whole, colours, relations)),
    )
