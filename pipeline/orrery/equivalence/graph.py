"""Coloured graphs of problems, in which names do not matter.

A vertex stands for an object or constant, or for a fact of three or more arguments. Facts of one
argument (and ``(p x x)``) colour their vertex, facts of two colour the pair of their arguments, longer
ones are vertices joined to each argument by the argument's position; facts without arguments go into
the header. Every fact also carries the *layer* it belongs to ("init", "goal", ...), so one graph holds
an initial state and a goal. Colours and relations are sets of *marks*, a bit for each layer, predicate
and position, fixed by the domain and the layers alone: never by object names or by input order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from orrery.model import Atom, Domain, Problem, TypedName

Layers: TypeAlias = Mapping[str, Collection[Atom]]
Adjacency: TypeAlias = list[dict[int, int]]
Vertex: TypeAlias = str | Atom


@dataclass(slots=True)
class Graph:
    """A coloured graph, not to be changed.

    ``vertices`` are names of objects, or whole facts; ``colours`` numbers that say all of a vertex but
    its name. ``adjacency[u][v]`` is the relation of ``u`` to ``v``, a number above 0: all that the
    structure says of the ordered pair, so it determines the relation of ``v`` to ``u``. ``header`` is
    the rest; graphs with different headers are not isomorphic.
    """

    vertices: list[Vertex]
    colours: list[int]
    adjacency: Adjacency
    header: str


def problem_graph(domain: Domain, problem: Problem, layers: Layers, apart: Sequence[str] = ()) -> Graph:
    """Return the graph of the problem's objects, the domain's constants and the facts of ``layers``.

    The objects listed in ``apart`` are told apart by their place in the list, as constants are by name.
    """
    names = sorted(layers)
    marks, width = marks_of(domain, names)
    builder = _GraphBuilder(colours_of(domain, problem.objects, width, apart))
    for name in names:
        builder.add(marks[name], layers[name])
    header = f"{names} {width} {builder.whole}"
    return Graph(builder.vertices, builder.own, builder.pairs, header)


def meaning(domain: Domain, types: tuple[str, ...]) -> frozenset[str]:
    """Return all types that something of ``types`` belongs to: equal for equal meanings."""
    if len(types) == 1:
        return domain.ancestors[types[0]]
    return frozenset().union(*(domain.ancestors[name] for name in types))


def marks_of(domain: Domain, layers: list[str]) -> tuple[dict[str, dict[str, int]], int]:
    """Return, by layer and predicate, the first of its bits, one for each argument.

    The second result is the number of bits.
    """
    arities = sorted([(predicate.name, len(predicate.parameters) or 1) for predicate in domain.predicates])
    marks: dict[str, dict[str, int]] = {}
    width = 0
    for layer in layers:
        marks[layer] = first = {}
        for name, arity in arities:
            first[name] = 1 << width
            width += arity
    return marks, width


def colours_of(
    domain: Domain, objects: Sequence[TypedName], width: int, apart: Sequence[str] = ()
) -> dict[str, int]:
    """Return, by name, the types as a bit set and, above ``width``, which constant it is or place it has."""
    rank = {name: 1 << width + i for i, name in enumerate(sorted(domain.ancestors))}
    number_of_types: dict[tuple[str, ...], int] = {}
    for _, types in (*domain.constants, *objects):
        if types not in number_of_types:
            number_of_types[types] = sum([rank[name] for name in meaning(domain, types)])
    colours = {name: number_of_types[types] for name, types in objects}
    above = width + len(rank)
    for i, (name, types) in enumerate(sorted(domain.constants), 1):
        colours[name] = number_of_types[types] | i << above
    above += len(domain.constants).bit_length()
    for i, name in enumerate(apart, 1):
        colours[name] |= i << above
    return colours


class _GraphBuilder:
    """Collects marks on the whole, on vertices and on ordered pairs of vertices."""

    def __init__(self, colours_of: dict[str, int]) -> None:
        self.vertices: list[Vertex] = list(colours_of)
        self.index: dict[Vertex, int] = {name: i for i, name in enumerate(colours_of)}
        self.own = list(colours_of.values())
        self.pairs: Adjacency = [{} for _ in colours_of]
        self.whole = 0

    def add(self, marks: dict[str, int], facts: Collection[Atom]) -> None:
        """Put the facts of one layer in."""
        index, unary, pairs = self.index, self.own, self.pairs
        for fact in facts:
            mark, size = marks[fact[0]], len(fact)
            if size == 3:
                u, v = index[fact[1]], index[fact[2]]
                if u == v:
                    unary[u] |= mark
                else:
                    row = pairs[u]
                    row[v] = row.get(v, 0) | mark
                    row = pairs[v]
                    row[u] = row.get(u, 0) | mark << 1
            elif size == 2:
                unary[index[fact[1]]] |= mark
            elif size == 1:
                self.whole |= mark
            else:
                self._add_long(fact, mark)

    def _add_long(self, fact: Atom, mark: int) -> None:
        """Add a fact of three or more arguments as a vertex of its own, shared by the layers."""
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
