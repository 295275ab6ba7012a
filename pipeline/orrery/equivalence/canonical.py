"""Exact canonical forms of coloured graphs by refinement, decomposition and individualisation.

After refinement, the *skeleton* (sizes of the cells, and the number of neighbours by relation that a vertex
of one cell has in another) determines most pairs of cells. For each pair of cells, the
relation of more than half of the pairs of vertices is its *background*; only the exceptions
are examined further. They form connected components, which are canonised one by one:
graphs with equal skeletons are isomorphic iff their components, coloured by cell, match as
multisets. Inside one component, each vertex of a smallest cell is individualised
in turn, and the smallest certificate wins (McKay, "Practical graph isomorphism", 1981). Of vertices that are
equivalent under a symmetry found on the way, one is tried.

So interchangeable objects cost nothing (their relations are background), and k equal rooms with m equal
balls cost k small components. Only other symmetry needs search, which a budget limits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from orrery.equivalence.graph import (
    Adjacency,
    Graph,
    Layers,
    Partition,
    Undecided,
    Weights,
    problem_graph,
    refine,
    refined,
    weights_of,
)
from orrery.model import Atom, Domain, Problem, State

Symmetry: TypeAlias = dict[int, int]
Renaming: TypeAlias = dict[str, str]
Outline: TypeAlias = tuple[tuple[int, ...], tuple[tuple[tuple[int, int], ...], ...]]
Certificate: TypeAlias = tuple[Outline, tuple[Any, ...]]

BUDGET = 5_000
_ABSENT = 0  # relations of a graph are above 0


@dataclass(frozen=True, slots=True)
class Canonical:
    """A canonical form: graphs are isomorphic iff their certificates are equal.

    Mapping ``order[i]`` of one graph to ``order[i]`` of another with an equal certificate, for all
    ``i``, is an isomorphism. ``symmetries`` generate all symmetries of the graph; each maps the
    vertices that it moves.
    """

    certificate: str
    order: list[int]
    symmetries: list[Symmetry]

    @property
    def key(self) -> str:
        """The certificate's SHA-256 as 64 hexadecimal digits."""
        return sha256(self.certificate.encode()).hexdigest()


def canonical(graph: Graph, budget: int = BUDGET) -> Canonical:
    """Return the canonical form.

    Raises:
        Undecided: more than ``budget`` vertices would have to be individualised.
    """
    partition = refined(graph)
    colours = [graph.colours[cell[0]] for cell in partition]
    form = _CanonicalSearch(budget).solve(graph.adjacency, partition)
    return Canonical(repr((graph.header, colours, form.certificate)), form.order, form.symmetries)


@dataclass(frozen=True, slots=True)
class CanonicalGraph:
    """The graph of a problem's objects with some facts, and its canonical form."""

    graph: Graph
    form: Canonical

    def onto(self, target: CanonicalGraph) -> Renaming:
        """Return an isomorphism to a graph with an equal certificate; constants are mapped too."""
        return self._renaming(zip(self.form.order, target.form.order, strict=True), target)

    def symmetries(self) -> list[Renaming]:
        """Return generators of all symmetries; each maps the names that it moves."""
        return [self._renaming(move.items(), self) for move in self.form.symmetries]

    def _renaming(self, pairs: Iterable[tuple[int, int]], target: CanonicalGraph) -> Renaming:
        ours, theirs = self.graph.vertices, target.graph.vertices
        renaming: Renaming = {}
        for u, v in pairs:
            name, image = ours[u], theirs[v]
            if isinstance(name, str) and isinstance(image, str):  # others are facts, which follow
                renaming[name] = image
        return renaming


def canonical_graph(
    domain: Domain, problem: Problem, layers: Layers, apart: Sequence[str] = ()
) -> CanonicalGraph:
    """Return the graph of ``problem_graph`` with its canonical form.

    Raises:
        Undecided: the budget was exceeded, as in ``canonical``.
    """
    graph = problem_graph(domain, problem, layers, apart)
    return CanonicalGraph(graph, canonical(graph))


def renamed(facts: Iterable[Atom], renaming: Renaming) -> State:
    """Return the facts with objects renamed; names that are not in ``renaming`` are unchanged."""
    get = renaming.get
    return frozenset([(fact[0], *[get(name, name) for name in fact[1:]]) for fact in facts])


class _CanonicalForm(NamedTuple):
    """The form of a part of a graph, with vertices numbered within the part; see ``Canonical``."""

    certificate: Certificate
    order: list[int]
    symmetries: list[Symmetry]


class _CanonicalSearch:
    """Canonises graphs within one budget."""

    def __init__(self, budget: int) -> None:
        self.budget = self.steps_left = budget

    def solve(self, adjacency: Adjacency, partition: Partition) -> _CanonicalForm:
        """Return the form of a graph under an equitable partition."""
        cell_of = _cells_of(partition, len(adjacency))
        outline = _outline(adjacency, partition, cell_of)
        if len(partition) == len(adjacency):
            return _CanonicalForm((outline, ()), [cell[0] for cell in partition], [])
        rows_left = _exceptions(adjacency, partition, cell_of)
        components = _components(rows_left) if rows_left else []
        if len(components) == 1 and len(components[0]) == len(adjacency):
            forms = [self._branch(rows_left, partition)]
        else:
            forms = [self._component(rows_left, cell_of, part) for part in components]
            forms.sort(key=lambda form: form.certificate)
        return _joined(outline, forms, partition)

    def _component(self, adjacency: Adjacency, cell_of: list[int], part: list[int]) -> _CanonicalForm:
        """Return the form of one connected component; its certificate names its cells."""
        names = sorted([cell_of[vertex] for vertex in part])
        if len(set(names)) == len(part):
            return _settled_component(adjacency, cell_of, part, names)
        local = {vertex: i for i, vertex in enumerate(part)}
        rows = [{local[v]: relation for v, relation in adjacency[u].items()} for u in part]
        cells: dict[int, list[int]] = {}
        for vertex in part:
            cells.setdefault(cell_of[vertex], []).append(local[vertex])
        names = sorted(cells)
        (outline, inner), order, symmetries = self.solve(rows, [cells[name] for name in names])
        moves = [{part[u]: part[v] for u, v in move.items()} for move in symmetries]
        return _CanonicalForm((outline, (tuple(names), *inner)), [part[i] for i in order], moves)

    def _branch(self, adjacency: Adjacency, partition: Partition) -> _CanonicalForm:
        """Return the smallest form over the individualised vertices of the first smallest cell."""
        position = min(range(len(partition)), key=lambda i: (len(partition[i]), i))
        weights = weights_of(adjacency)
        orbits = _Orbits(len(adjacency))
        best: _CanonicalForm | None = None
        branches: list[int] = []
        for vertex in partition[position]:
            if orbits.meets(vertex, branches):
                continue
            branches.append(vertex)
            form = self.solve(adjacency, self._individualise(weights, partition, position, vertex))
            if best is not None and form.certificate == best.certificate:
                orbits.join(best.order, form.order)
            elif best is None or form.certificate < best.certificate:
                best = form
        assert best is not None  # cells are never empty
        return best._replace(symmetries=[*best.symmetries, *orbits.moves])

    def _individualise(self, weights: Weights, partition: Partition, position: int, vertex: int) -> Partition:
        if not self.steps_left:
            raise Undecided(f"the problem's symmetry takes more than {self.budget} steps of search")
        self.steps_left -= 1
        cell_rest = [member for member in partition[position] if member != vertex]
        parts = [*partition[:position], [vertex], cell_rest, *partition[position + 1 :]]
        return refine(weights, parts, range(position, position + 1))


class _Orbits:
    """The orbits of vertices under the symmetries found so far (union-find)."""

    def __init__(self, size: int) -> None:
        self.parent = list(range(size))
        self.moves: list[Symmetry] = []

    def find(self, vertex: int) -> int:
        """Return the orbit's representative."""
        while self.parent[vertex] != vertex:
            self.parent[vertex] = vertex = self.parent[self.parent[vertex]]
        return vertex

    def join(self, order: list[int], image: list[int]) -> None:
        """Add the symmetry that maps ``order[i]`` to ``image[i]``."""
        self.moves.append({u: v for u, v in zip(order, image, strict=True) if u != v})
        for u, v in self.moves[-1].items():
            self.parent[self.find(u)] = self.find(v)

    def meets(self, vertex: int, vertices: list[int]) -> bool:
        """Return whether ``vertex`` shares an orbit with one of ``vertices``."""
        orbit = self.find(vertex)
        return any(self.find(member) == orbit for member in vertices)


def _settled_component(
    adjacency: Adjacency, cell_of: list[int], part: list[int], names: list[int]
) -> _CanonicalForm:
    """Return the form of a component whose vertices are all in separate cells, without search."""
    order = sorted(part, key=cell_of.__getitem__)
    place = {vertex: i for i, vertex in enumerate(order)}
    rows = [
        tuple(sorted([(j, r) for v, r in adjacency[vertex].items() if (j := place[v]) >= i]))
        for i, vertex in enumerate(order)
    ]
    return _CanonicalForm((((1,) * len(order), tuple(rows)), (tuple(names),)), order, [])


def exceptions(adjacency: Adjacency, partition: Partition) -> Adjacency:
    """Return the relations that an equitable partition alone does not determine.

    A bijection that keeps cells is a symmetry of the graph iff it keeps these.
    """
    return _exceptions(adjacency, partition, _cells_of(partition, len(adjacency))) or [{} for _ in adjacency]


def outline_of(adjacency: Adjacency, partition: Partition) -> Outline:
    """Return the sizes of the cells of an equitable partition, and the related cells of each cell."""
    return _outline(adjacency, partition, _cells_of(partition, len(adjacency)))


def _cells_of(partition: Partition, size: int) -> list[int]:
    """Return for each vertex the position of its cell."""
    cell_of = [0] * size
    for position, cell in enumerate(partition):
        for vertex in cell:
            cell_of[vertex] = position
    return cell_of


def _outline(adjacency: Adjacency, partition: Partition, cell_of: list[int]) -> Outline:
    """Return the sizes of the cells and, by cell, the cell and relation of each neighbour of a vertex.

    Only later cells are listed, because relations are symmetric.
    """
    rows = []
    for position, cell in enumerate(partition):
        row = adjacency[cell[0]].items()
        rows.append(tuple(sorted([(c, r) for v, r in row if (c := cell_of[v]) >= position])))
    return tuple(map(len, partition)), tuple(rows)


def _exceptions(adjacency: Adjacency, partition: Partition, cell_of: list[int]) -> Adjacency:
    """Return the pairs whose relation is not their cells' background; no rows at all if there are none.

    Unrelated pairs against a background get the relation ``_ABSENT``.
    """
    rows: Adjacency = []
    for position, cell in enumerate(partition):
        if len(cell) == 1:
            continue
        counts = Counter([(cell_of[v], r) for v, r in adjacency[cell[0]].items()])
        backgrounds, partial = _backgrounds(partition, counts, position)
        if len(backgrounds) == len(counts) and not partial:
            continue  # all relations of these vertices are background
        rows = rows or [{} for _ in adjacency]
        for u in cell:
            row = adjacency[u]
            rows[u] = {v: r for v, r in row.items() if backgrounds.get(cell_of[v]) != r}
            for neighbour_cell in partial:
                rows[u].update({v: _ABSENT for v in partition[neighbour_cell] if v not in row and v != u})
    return rows


def _backgrounds(
    partition: Partition, counts: Counter[tuple[int, int]], position: int
) -> tuple[dict[int, int], list[int]]:
    """Return, by other cell, the relation of more than half of the pairs; and the cells with exceptions.

    The share is the same from both sides. A relation within a cell with more than half is symmetric.
    """
    backgrounds: dict[int, int] = {}
    partial: list[int] = []
    for (neighbour_cell, relation), count in counts.items():
        pairs = len(partition[neighbour_cell]) - (neighbour_cell == position)
        if 2 * count > pairs:
            backgrounds[neighbour_cell] = relation
            if count < pairs:
                partial.append(neighbour_cell)
    return backgrounds, partial


def _components(adjacency: Adjacency) -> list[list[int]]:
    """Return the connected components of two or more vertices."""
    components = []
    visited = [False] * len(adjacency)
    for start, row in enumerate(adjacency):
        if visited[start] or not row:
            continue
        visited[start] = True
        component = [start]
        for vertex in component:  # the list grows during the loop
            for neighbour in adjacency[vertex]:
                if not visited[neighbour]:
                    visited[neighbour] = True
                    component.append(neighbour)
        components.append(component)
    return components


def _joined(outline: Outline, forms: list[_CanonicalForm], partition: Partition) -> _CanonicalForm:
    """Return the outline with the components' forms; vertices outside all of them come first, by cell."""
    members = {vertex for form in forms for vertex in form.order}
    order: list[int] = []
    symmetries: list[Symmetry] = []
    for cell in partition:
        free = [vertex for vertex in cell if vertex not in members] if members else cell
        order += free
        if len(free) > 1:
            symmetries += [{u: v, v: u} for u, v in pairwise(free)]
    for form in forms:
        order += form.order
        symmetries += form.symmetries
    for first, second in pairwise(forms):
        if first.certificate == second.certificate:
            move = dict(zip(first.order, second.order, strict=True))
            symmetries.append(move | {v: u for u, v in move.items()})
    return _CanonicalForm((outline, tuple([form.certificate for form in forms])), order, symmetries)
