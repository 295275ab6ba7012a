"""Colour refinement (1-dimensional Weisfeiler-Leman) on ordered partitions.

A partition is a list of cells, each the list of its vertices; the order of cells carries meaning, the
order within a cell none. Refinement splits cells until any two vertices of a cell have equally many
neighbours of each relation in every cell (an *equitable* partition). The work list is Hopcroft's
("An n log n algorithm for minimizing states in a finite automaton", 1971): of the parts of a split
cell all but a largest one split others. Choices rest on sizes, counts and positions of cells only, so
isomorphic inputs give partitions that correspond cell by cell.
"""

from __future__ import annotations

from collections import deque
from typing import TypeAlias

from orrery.equivalence.graph import Adjacency, Graph

Cell: TypeAlias = list[int]
Partition: TypeAlias = list[Cell]
Weights: TypeAlias = list[dict[int, int]]


def refined(graph: Graph) -> Partition:
    """Return the coarsest equitable partition of a graph below its colours."""
    return refine(weights_of(graph.adjacency), initial_partition(graph.colours))


def weights_of(adjacency: Adjacency) -> Weights:
    """Return for each vertex its neighbours with a number that counts the relation when numbers are added.

    The relation of rank ``r`` weighs ``2 ** (r * bits)`` where ``bits`` holds any count of vertices: a
    sum of weights is the exact vector of counts, and compares as a number.
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
    """Return the coarsest equitable partition below ``partition``, its cells in an order free of names.

    ``active`` are the positions of the cells to split by first: all, unless the partition without
    the change that made them is known to be equitable.
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
        """Split until nothing splits, or every vertex is alone."""
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
        """Return, by vertex, the sum of the weights towards ``splitter``, where there are any."""
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
        """Put parts in the place of their cell; all but a first largest one will split others."""
        cells, cell_of, waiting = self.cells, self.cell_of, self.waiting
        largest = max(map(len, parts))
        spared = start in waiting  # the cell itself still waits, so no part may be left out
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
