"""Find generators of the automorphism group of a labelled graph, within a limit of work.

Vertices are coloured until the colours are stable; then one vertex gets a colour of its own, and so on until
all colours differ. If another vertex of the same colour is chosen instead, and the final colours are the
same, the two colourings define an automorphism. One such automorphism for each chosen vertex and each other
vertex of its colour, where one exists, generates the whole group (Schreier and Sims; for the colours: McKay
and Piperno, "Practical graph isomorphism, II", 2014). The size of the group does not affect the work. The
same search on two graphs decides whether they are isomorphic.

The first colours of objects are integers that do not depend on names; they come from plain colour refinement.
Objects of different colours cannot be exchanged. Python hashes tuples of integers alike in every process, so
colours can be compared between processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from orrery.checks import graphs
from orrery.checks.graphs import Graph
from orrery.model import Atom, Domain, Problem

Colours: TypeAlias = list[int]
Edges: TypeAlias = Sequence[Sequence[tuple[int, int]]]  # by vertex: pairs of label and neighbour

CALLS = 100_000  # limit of steps of VF2, whose time is exponential on some symmetric problems
WORK = 1_000_000  # limit of vertex colourings if VF2 has found nothing


class OutOfWork(Exception):
    """The search reached its limit of work."""


def generators(graph: Graph, count: int, work: int) -> Iterator[dict[int, int]]:
    """Yield generators of the automorphisms, as permutations of the first ``count`` vertices.

    The later vertices must be determined by the first ones, as facts are by their arguments. The identity is
    omitted.

    Raises:
        OutOfWork: more than ``work`` vertices were coloured.
    """
    edges = _edges(graph)
    search = _AutomorphismSearch(edges, edges, count, work)
    colours = search.spread(*[_numbered(graph.nodes())] * 2)
    assert colours is not None
    now, _ = colours
    while (vertex := search.open_vertex(now)) is not None:
        for second in [number for number in range(count) if number > vertex and now[number] == now[vertex]]:
            if permutation := search.mapped(_singled(now, vertex), _singled(now, second)):
                yield permutation
        fixed = search.spread(*[_singled(now, vertex)] * 2)
        assert fixed is not None
        now, _ = fixed


def isomorphic(first: Graph, second: Graph, count: int, work: int) -> bool:
    """Return whether a bijection keeps labels and edges; ``count`` is as in ``generators``.

    Raises:
        OutOfWork: more than ``work`` vertices were coloured.
    """
    if sorted(first.nodes()) != sorted(second.nodes()):
        return False
    search = _AutomorphismSearch(_edges(first), _edges(second), count, work)
    return search.mapped(_numbered(first.nodes()), _numbered(second.nodes())) is not None


def same(first: Graph, second: Graph, count: int) -> bool | None:
    """Return whether a bijection keeps labels and edges; None if this is not decided within ``WORK``.

    VF2 usually finds a bijection at once. If it finds none within its limit of steps, a search with a limit
    of work decides.
    """
    if graphs.isomorphic(first, second, CALLS):
        return True
    try:
        return isomorphic(first, second, count, WORK)
    except OutOfWork:
        return None


def _edges(graph: Graph) -> Edges:
    edges: list[list[tuple[int, int]]] = [[] for _ in graph.node_indices()]
    for source, target, label in graph.weighted_edge_list():  # of which two may join the same vertices
        edges[source].append((label, target))
        edges[target].append((label, source))
    return edges


def _numbered(labels: Sequence[str]) -> Colours:
    """Return colours: the number of each label among the different labels."""
    numbers = {label: number for number, label in enumerate(sorted(set(labels)))}
    return [numbers[label] for label in labels]


def _singled(colours: Colours, vertex: int) -> Colours:
    """Return the colours with a new, separate colour for a vertex."""
    return [len(colours) if number == vertex else colour for number, colour in enumerate(colours)]


def _around(colours: Colours, edges: Edges) -> list[tuple[int, tuple[tuple[int, int], ...]]]:
    """Return the colour of each vertex with the labels and colours of its neighbours."""
    return [
        (colour, tuple(sorted((label, colours[neighbour]) for label, neighbour in neighbours)))
        for colour, neighbours in zip(colours, edges, strict=True)
    ]


@dataclass
class _AutomorphismSearch:
    """A search for maps from the first ``count`` vertices of a graph to those of the same or another graph.

    ``work`` is the remaining limit.
    """

    edges: Edges
    others: Edges
    count: int
    work: int

    def spread(self, first: Colours, second: Colours) -> tuple[Colours, Colours] | None:
        """Return two colourings refined along the edges until they are stable; None if they differ.

        The colours of both graphs are comparable.
        """
        number_of_colours = len(set(first))
        while True:
            self.work -= len(first)
            if self.work < 0:
                raise OutOfWork
            first_signatures, second_signatures = _around(first, self.edges), _around(second, self.others)
            numbers = {
                signature: number
                for number, signature in enumerate(sorted({*first_signatures, *second_signatures}))
            }
            first, second = (
                [numbers[signature] for signature in first_signatures],
                [numbers[signature] for signature in second_signatures],
            )
            if Counter(first) != Counter(second):
                return None
            if (now := len(set(first))) == number_of_colours:
                return first, second
            number_of_colours = now

    def open_vertex(self, colours: Colours) -> int | None:
        """Return the first vertex of the smallest colour class with several vertices, or None."""
        sizes = Counter(colours[: self.count])
        shared = [
            (sizes[colours[vertex]], vertex) for vertex in range(self.count) if sizes[colours[vertex]] > 1
        ]
        return min(shared)[1] if shared else None

    def mapped(self, first: Colours, second: Colours) -> dict[int, int] | None:
        """Return a map that takes the first colouring to the second; None if there is none."""
        spread = self.spread(first, second)
        if spread is None:
            return None
        first, second = spread
        if (vertex := self.open_vertex(first)) is None:
            place = {colour: vertex for vertex, colour in enumerate(second[: self.count])}
            return {vertex: place[first[vertex]] for vertex in range(self.count)}
        for image in range(self.count):
            if second[image] == first[vertex] and (
                permutation := self.mapped(_singled(first, vertex), _singled(second, image))
            ):
                return permutation
        return None


Marked = tuple[int, Atom]  # a fact with a mark for its part (initial state or goal) and its predicate
WRAP = (1 << 61) - 1


def first_colours(domain: Domain, problem: Problem) -> dict[str, int]:
    """Return the colours of objects, by their types; constants are coloured by name."""
    kinds = sorted({typed.types for typed in problem.objects})
    colours = {typed.name: hash((1, kinds.index(typed.types))) for typed in problem.objects}
    return colours | {typed.name: hash((2, i)) for i, typed in enumerate(domain.constants)}


def marked(domain: Domain, facts: Mapping[int, Iterable[Atom]]) -> list[Marked]:
    """Return the facts of initial state and goal, each with a mark for its part and its predicate."""
    number = {predicate.name: i for i, predicate in enumerate(domain.predicates)}
    return [(hash((part, number.get(atom[0], -1))), atom) for part, atoms in facts.items() for atom in atoms]


def refined(colours: Mapping[str, int], facts: list[Marked], rounds: int) -> dict[str, int]:
    """Return the colours of objects after ``rounds`` of refinement by the facts on each object."""
    now = dict(colours)
    for _ in range(rounds):
        news = dict.fromkeys(now, 0)
        for mark, atom in facts:
            fact_colour = hash((mark, *[now[name] for name in atom[1:]]))
            for place, name in enumerate(atom[1:]):
                news[name] += hash((fact_colour, place))
        now = {name: hash((now[name], news[name] % WRAP)) for name in now}
    return now


def fingerprint(colours: Mapping[str, int], facts: list[Marked]) -> int:
    """Return a hash of all colours and facts; a renaming does not change it."""
    hashed = sorted(hash((mark, *[colours[name] for name in atom[1:]])) for mark, atom in facts)
    return hash((tuple(sorted(colours.values())), tuple(hashed)))
