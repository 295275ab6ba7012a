"""Coloured graphs of problems that do not depend on names.

A vertex represents an object or constant, or a fact of three or more arguments. Facts of one
argument (and ``(p x x)``) colour their vertex, and facts of two colour the pair of their arguments. Longer
ones are vertices linked to each argument by the argument's position. Facts without arguments are in
the header. Every fact also has the *layer* it belongs to ("init", "goal", ...), so one graph contains
an initial state and a goal. Colours and relations are sets of *marks*, one bit for each layer, predicate
and position. They depend only on the domain and the layers, never on object names or input order.

Colour refinement (1-dimensional Weisfeiler-Leman) works on ordered partitions. A partition is a list of
cells, each the list of its vertices. The order of cells is significant, the order within a cell is not.
Refinement splits cells until any two vertices of a cell have equally many neighbours of each relation in
every cell (an *equitable* partition). The work list is Hopcroft's ("An n log n algorithm for minimizing
states in a finite automaton", 1971): all parts of a split cell except a largest one split others. Choices
depend only on sizes, counts and positions of cells, so isomorphic inputs give partitions that correspond cell
by cell.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from orrery.model import Atom, Domain, Problem, TypedName

Layers: TypeAlias = Mapping[str, Collection[Atom]]
Adjacency: TypeAlias = list[dict[int, int]]
Vertex: TypeAlias = str | Atom


@dataclass(slots=True)
class Graph:
    """A coloured graph; it must not be changed.

    ``vertices`` are names of objects, or whole facts; ``colours`` are numbers that describe a vertex except
    for its name. ``adjacency[u][v]`` is the relation of ``u`` to ``v``, a number above 0. It describes
    the ordered pair completely, so it determines the relation of ``v`` to ``u``. ``header`` is
    the rest; graphs with different headers are not isomorphic.
    """

    vertices: list[Vertex]
    colours: list[int]
    adjacency: Adjacency
    header: str


def problem_graph(domain: Domain, problem: Problem, layers: Layers, apart: Sequence[str] = ()) -> Graph:
    """Return the graph of the problem's objects, the domain's constants and the facts of ``layers``.

    The objects listed in ``apart`` are distinguished by their position in the list, as constants are by name.
    """
    names = sorted(layers)
    marks, width = marks_of(domain, names)
    builder = _GraphBuilder(colours_of(domain, problem.objects, width, apart))
    for name in names:
        builder.add(marks[name], layers[name])
    header = f"{names} {width} {builder.whole}"
    return Graph(builder.vertices, builder.own, builder.pairs, header)


def meaning(domain: Domain, types: tuple[str, ...]) -> frozenset[str]:
    """Return all types of an object with the declared ``types``; equal for equal meanings."""
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
    """Return one integer per object name: its types as a bit set.

    The bits above ``width`` name the constant, or the place in ``apart``.
    """
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
    """Collects marks of the whole graph, of vertices and of ordered pairs of vertices."""

    def __init__(self, colours_of: dict[str, int]) -> None:
        self.vertices: list[Vertex] = list(colours_of)
        self.index: dict[Vertex, int] = {name: i for i, name in enumerate(colours_of)}
        self.own = list(colours_of.values())
        self.pairs: Adjacency = [{} for _ in colours_of]
        self.whole = 0

    def add(self, marks: dict[str, int], facts: Collection[Atom]) -> None:
        """Add the facts of one layer."""
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
        """Add a fact of three or more arguments as a vertex, shared by the layers."""
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


Cell: TypeAlias = list[int]
Partition: TypeAlias = list[Cell]
Weights: TypeAlias = list[dict[int, int]]


def refined(graph: Graph) -> Partition:
    """Return the coarsest equitable partition of a graph below its colours."""
    return refine(weights_of(graph.adjacency), initial_partition(graph.colours))


def weights_of(adjacency: Adjacency) -> Weights:
    """Return the neighbours of each vertex with weights whose sums count the relations.

    The relation of rank ``r`` weighs ``2 ** (r * bits)``, and ``bits`` are enough for any count of vertices.
    So a sum of weights is the exact vector of counts, and can be compared as a number.
    """
    bits = len(adjacency).bit_length()
    relations = sorted({relation for row in adjacency for relation in row.values()})
    weight = {relation: 1 << rank * bits for rank, relation in enumerate(relations)}
    return [{v: weight[relation] for v, relation in row.items()} for row in adjacency]


def initial_partition(colours: list[int]) -> Partition:
    """Return vertices by colour, colours ascending."""
    cells: dict[int, Cell] = {}
    for vertex, colour in enumerate(colours):
        if colour in cells:
            cells[colour].append(vertex)
        else:
            cells[colour] = [vertex]
    return [cells[colour] for colour in sorted(cells)]


def refine(weights: Weights, partition: Partition, active: range | None = None) -> Partition:
    """Return the coarsest equitable refinement of ``partition``, with a name-independent order of cells.

    ``active`` are the positions of the cells to split by first: all cells, unless the partition before
    the change that created them is known to be equitable.
    """
    if len(partition) == len(weights):
        return partition
    return _Refinement(weights, partition).run(range(len(partition)) if active is None else active)


class _Refinement:
    """Cells by the position of their first vertex in the ordered partition, and the work list."""

    def __init__(self, weights: Weights, partition: Partition) -> None:
        self.weights = weights
        self.cells: dict[int, Cell] = {}
        self.cell_of = [0] * len(weights)
        self.several: set[int] = set()  # the cells of two vertices or more
        self.starts: list[int] = []
        self.waiting: set[int] = set()
        self.queue: deque[int] = deque()
        start = 0
        for cell in partition:
            self.cells[start] = cell
            for vertex in cell:
                self.cell_of[vertex] = start
            if len(cell) > 1:
                self.several.add(start)
            self.starts.append(start)
            start += len(cell)

    def run(self, active: range) -> Partition:
        """Split until no cell can be split, or every vertex is alone."""
        cells, queue, waiting = self.cells, self.queue, self.waiting
        queue.extend([self.starts[position] for position in active])
        waiting.update(queue)
        cell_of, several = self.cell_of, self.several
        while queue and several:
            start = queue.popleft()
            waiting.discard(start)
            touched: dict[int, dict[int, Cell]] = {}
            for vertex, total in self._sums(cells[start]).items():
                cell = cell_of[vertex]
                if cell in several:
                    parts = touched.setdefault(cell, {})
                    if total in parts:
                        parts[total].append(vertex)
                    else:
                        parts[total] = [vertex]
            for cell in sorted(touched):
                self._split(cell, touched[cell])
        return [cells[start] for start in sorted(cells)]

    def _sums(self, splitter: Cell) -> dict[int, int]:
        """Return, by vertex, the sum of the weights towards ``splitter``, if there are any."""
        sums = self.weights[splitter[0]]
        if len(splitter) > 1:
            sums = sums.copy()
            for vertex in splitter[1:]:
                for neighbour, weight in self.weights[vertex].items():
                    sums[neighbour] = sums.get(neighbour, 0) + weight
        return sums

    def _split(self, start: int, parts: dict[int, Cell]) -> None:
        """Replace a cell by its parts, the vertices without neighbours first, then by count."""
        cell = self.cells[start]
        counted = sum(map(len, parts.values()))
        if counted < len(cell):
            touched = {vertex for part in parts.values() for vertex in part}
            ordered = [[vertex for vertex in cell if vertex not in touched]]
        elif len(parts) > 1:
            ordered = []
        else:
            return
        ordered += [parts[total] for total in sorted(parts)]
        self._replace(start, ordered)

    def _replace(self, start: int, parts: list[Cell]) -> None:
        """Replace a cell by its parts. All except a first largest one will split others."""
        cells, cell_of, waiting = self.cells, self.cell_of, self.waiting
        largest = max(map(len, parts))
        spared = start in waiting  # the cell itself is still waiting, so no part may be omitted
        self.several.discard(start)
        for part in parts:
            size = len(part)
            cells[start] = part
            for vertex in part:
                cell_of[vertex] = start
            if size > 1:
                self.several.add(start)
            if size == largest and not spared:
                spared = True
            elif start not in waiting:
                waiting.add(start)
                self.queue.append(start)
            start += size


class Undecided(Exception):
    """A budget was exceeded before a result; this never means "no". The message names the open part."""
