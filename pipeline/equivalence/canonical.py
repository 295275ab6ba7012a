"""Exact canonical forms of coloured graphs by refinement, decomposition and individualisation.

After refinement the *skeleton* (sizes of the cells, and how many neighbours of each relation a vertex
of one cell has in another) says everything about most pairs of cells. For each pair of cells the
relation that more than half of the pairs of vertices have is its *background*; only the exceptions
from it are looked at further. They fall into connected components, which are canonised one by one:
graphs with equal skeletons are isomorphic iff their components, coloured by cell, match up as
multisets. Inside one component nothing is left but to try: each vertex of a smallest cell is set apart
in turn and the least certificate wins (McKay, "Practical graph isomorphism", 1981). Vertices that a
symmetry found on the way carries into each other are tried once.

So interchangeable objects cost nothing (their relations are background), k equal rooms with m equal
balls cost k small components, and only symmetry that is neither takes search, which a budget ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias

from pipeline.equivalence.graph import Adjacency, Graph
from pipeline.equivalence.outcome import Undecided
from pipeline.equivalence.refinement import Partition, initial_partition, refine, weights_of

Certificate: TypeAlias = tuple[int, ...]
Form: TypeAlias = tuple[Certificate, list[int]]
_Quotient: TypeAlias = list[dict[tuple[int, int], int]]

BUDGET = 5_000


@dataclass(frozen=True, slots=True)
class Canonical:
    """A canonical form: graphs are isomorphic iff their certificates are equal.

    Mapping ``order[i]`` of one graph to ``order[i]`` of another with an equal certificate, for all
    ``i``, is an isomorphism.
    """

    certificate: str
    order: tuple[int, ...]

    @property
    def key(self) -> str:
        """The certificate's SHA-256 as 64 hexadecimal digits."""
        return sha256(self.certificate.encode()).hexdigest()


def canonical(graph: Graph, budget: int = BUDGET) -> Canonical | Undecided:
    """The canonical form, unless more than ``budget`` vertices would have to be set apart."""
    partition = refine(weights_of(graph.adjacency), initial_partition(graph.colours))
    colours = [graph.colours[cell[0]] for cell in partition]
    try:
        certificate, order = _Search(budget).solve(graph.adjacency, partition)
    except _BudgetSpent:
        return Undecided(f"the problem's symmetry takes more than {budget} steps of search")
    return Canonical(repr((graph.header, colours, certificate)), tuple(order))


class _BudgetSpent(Exception):
    """The search has set apart as many vertices as it may."""


class _Search:
    """Solves graphs within one budget."""

    def __init__(self, budget: int) -> None:
        self.left = budget

    def solve(self, adjacency: Adjacency, partition: Partition) -> Form:
        """The form of a graph under an equitable partition."""
        if len(partition) == len(adjacency):
            return _rigid_form(adjacency, partition)
        quotient = _quotient(adjacency, partition)
        left = _exceptions(adjacency, partition, quotient)
        components = _components(left, partition)
        if len(components) == 1 and len(components[0]) == len(adjacency):
            forms = [self._branch(left, partition)]
        else:
            forms = sorted(self._component(left, partition, part) for part in components)
        return _joined(_skeleton(partition, quotient), forms, partition)

    def _component(self, adjacency: Adjacency, partition: Partition, part: list[int]) -> Form:
        """The form of one connected component; its certificate names the cells it lies in."""
        local = {vertex: i for i, vertex in enumerate(part)}
        rows = [{local[v]: relation for v, relation in adjacency[u].items()} for u in part]
        cells: dict[int, list[int]] = {}
        cell_of = {vertex: i for i, cell in enumerate(partition) for vertex in cell}
        for vertex in part:
            cells.setdefault(cell_of[vertex], []).append(local[vertex])
        names = sorted(cells)
        certificate, order = self.solve(rows, [cells[name] for name in names])
        return (len(names), *names, *certificate), [part[i] for i in order]

    def _branch(self, adjacency: Adjacency, partition: Partition) -> Form:
        """The least form over the vertices of the first smallest cell, each set apart in turn."""
        position = min(range(len(partition)), key=lambda i: (len(partition[i]), i))
        weights = weights_of(adjacency)
        orbits = _Orbits(len(adjacency))
        best: Form | None = None
        tried: list[int] = []
        for vertex in partition[position]:
            if orbits.meets(vertex, tried):
                continue
            tried.append(vertex)
            form = self.solve(adjacency, self._set_apart(weights, partition, position, vertex))
            if best is not None and form[0] == best[0]:
                orbits.join(best[1], form[1])
            elif best is None or form[0] < best[0]:
                best = form
        assert best is not None  # cells are never empty
        return best

    def _set_apart(
        self, weights: list[list[tuple[int, int]]], partition: Partition, position: int, vertex: int
    ) -> Partition:
        if not self.left:
            raise _BudgetSpent
        self.left -= 1
        rest = [other for other in partition[position] if other != vertex]
        parts = [*partition[:position], [vertex], rest, *partition[position + 1 :]]
        return refine(weights, parts, range(position, position + 1))


class _Orbits:
    """Which vertices the symmetries found so far carry into each other (union-find)."""

    def __init__(self, size: int) -> None:
        self.parent = list(range(size))

    def find(self, vertex: int) -> int:
        """The orbit's representative."""
        while self.parent[vertex] != vertex:
            self.parent[vertex] = vertex = self.parent[self.parent[vertex]]
        return vertex

    def join(self, order: list[int], image: list[int]) -> None:
        """Take in the symmetry that maps ``order[i]`` to ``image[i]``."""
        for u, v in zip(order, image, strict=True):
            self.parent[self.find(u)] = self.find(v)

    def meets(self, vertex: int, others: list[int]) -> bool:
        """Whether ``vertex`` shares an orbit with one of ``others``."""
        orbit = self.find(vertex)
        return any(self.find(other) == orbit for other in others)


def _rigid_form(adjacency: Adjacency, partition: Partition) -> Form:
    """The form where every vertex is alone: all edges, vertices named by position."""
    order = [cell[0] for cell in partition]
    size = len(order)
    position = [0] * size
    for i, vertex in enumerate(order):
        position[vertex] = i
    edges = []
    for i, vertex in enumerate(order):
        base = i * size
        edges += sorted(
            [(base + position[v], relation) for v, relation in adjacency[vertex].items() if position[v] > i]
        )
    return (size, -1, *[number for edge in edges for number in edge]), order


def exceptions(adjacency: Adjacency, partition: Partition) -> Adjacency:
    """The relations that an equitable partition alone does not tell.

    A bijection that keeps cells is a symmetry of the graph iff it keeps these.
    """
    return _exceptions(adjacency, partition, _quotient(adjacency, partition))


def _quotient(adjacency: Adjacency, partition: Partition) -> _Quotient:
    """For each cell, how many neighbours (by cell and relation) each of its vertices has."""
    cell_of = [0] * len(adjacency)
    for position, cell in enumerate(partition):
        for vertex in cell:
            cell_of[vertex] = position
    quotient: _Quotient = []
    for cell in partition:
        counts: dict[tuple[int, int], int] = {}
        for neighbour, relation in adjacency[cell[0]].items():
            entry = (cell_of[neighbour], relation)
            counts[entry] = counts.get(entry, 0) + 1
        quotient.append(counts)
    return quotient


def _skeleton(partition: Partition, quotient: _Quotient) -> Certificate:
    """Sizes of cells and counts of neighbours, in a form that can be read back."""
    numbers = [len(partition), *map(len, partition)]
    for counts in quotient:
        numbers.append(len(counts))
        for (cell, relation), count in sorted(counts.items()):
            numbers += (cell, relation, count)
    return tuple(numbers)


def _exceptions(adjacency: Adjacency, partition: Partition, quotient: _Quotient) -> Adjacency:
    """The pairs whose relation is not their cells' background.

    Unrelated pairs against a background get a relation that the graph does not use.
    """
    cell_of = {vertex: position for position, cell in enumerate(partition) for vertex in cell}
    absent = 1 + max((relation for counts in quotient for _, relation in counts), default=0)
    found: Adjacency = [{} for _ in adjacency]
    for position, cell in enumerate(partition):
        backgrounds, partial = _backgrounds(partition, quotient, position)
        if len(cell) == 1 or (len(backgrounds) == len(quotient[position]) and not partial):
            continue  # everything said of these vertices is background
        for u in cell:
            row = adjacency[u]
            found[u] = {v: r for v, r in row.items() if backgrounds.get(cell_of[v]) != r}
            for other in partial:
                found[u].update({v: absent for v in partition[other] if v not in row and v != u})
    return found


def _backgrounds(
    partition: Partition, quotient: _Quotient, position: int
) -> tuple[dict[int, int], list[int]]:
    """By other cell, the relation that more than half of the pairs have; and where not all have it.

    The share is the same from both sides; a relation within a cell with more than half is symmetric.
    """
    found: dict[int, int] = {}
    partial: list[int] = []
    for (other, relation), count in quotient[position].items():
        pairs = len(partition[other]) - (other == position)
        if 2 * count > pairs:
            found[other] = relation
            if count < pairs:
                partial.append(other)
    return found, partial


def _components(adjacency: Adjacency, partition: Partition) -> list[list[int]]:
    """The connected components of two or more vertices."""
    components = []
    seen = [False] * len(adjacency)
    for start in range(len(adjacency)):
        if seen[start] or not adjacency[start]:
            continue
        seen[start] = True
        component = [start]
        for vertex in component:  # grows while it is read
            for neighbour in adjacency[vertex]:
                if not seen[neighbour]:
                    seen[neighbour] = True
                    component.append(neighbour)
        components.append(component)
    return components


def _joined(skeleton: Certificate, forms: list[Form], partition: Partition) -> Form:
    """The skeleton with the components' forms; vertices outside all of them come first, by cell."""
    within = {vertex for _, order in forms for vertex in order}
    order = [vertex for cell in partition for vertex in cell if vertex not in within]
    numbers = [*skeleton, len(forms)]
    for certificate, part in forms:
        numbers.append(len(certificate))
        numbers += certificate
        order += part
    return tuple(numbers), order
