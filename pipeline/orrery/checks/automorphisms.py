"""Permutations that keep a labelled graph: some of which all others are made up, found by counted work.

Vertices are coloured until the colours are stable, one is singled out, and so on until each has a colour of
its own; what singles out another one of the same colour instead, with the same colours in the end, is a
permutation. For each vertex that is singled out and each other of its colour one such permutation, where
there is one, makes up with the others all that there are (Schreier and Sims; McKay and Piperno, "Practical
graph isomorphism, II", 2014, for colours). How many permutations there are does not matter. The same search
over two graphs tells whether they are isomorphic.

Colours of objects are whole numbers that no renaming changes, by plain refinement: objects of different
colours cannot take each other's place. Python hashes tuples of whole numbers alike in every process, so
colours can be compared across them.
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
Edges: TypeAlias = Sequence[Sequence[tuple[int, int]]]  # by vertex: label and neighbour

CALLS = 100_000  # steps of VF2, which takes exponentially many on some symmetric problems
WORK = 1_000_000  # times that a vertex is coloured where VF2 has found nothing


class OutOfWork(Exception):
    """So much was looked at that it may never end."""


def generators(graph: Graph, count: int, work: int) -> Iterator[dict[int, int]]:
    """Yield permutations of the first ``count`` vertices, of which all that keep the graph are made up.

    Vertices after these must be told apart by them, as facts are by their arguments. The permutation that
    moves nothing is left out.

    Raises:
        OutOfWork: vertices were coloured more than ``work`` times.
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
    """Return whether a bijection keeps labels and edges; of the vertices the same holds as in ``generators``.

    Raises:
        OutOfWork: vertices were coloured more than ``work`` times.
    """
    if sorted(first.nodes()) != sorted(second.nodes()):
        return False
    search = _AutomorphismSearch(_edges(first), _edges(second), count, work)
    return search.mapped(_numbered(first.nodes()), _numbered(second.nodes())) is not None


def same(first: Graph, second: Graph, count: int) -> bool | None:
    """Return whether a bijection keeps labels and edges; None where that is not decided within ``WORK``.

    VF2 mostly finds one at once. Where it finds none in so many steps, a search with counted work decides.
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
    """Return the number of each label among those there are."""
    numbers = {label: number for number, label in enumerate(sorted(set(labels)))}
    return [numbers[label] for label in labels]


def _singled(colours: Colours, vertex: int) -> Colours:
    """Return the colours with one of its own for a vertex."""
    return [len(colours) if number == vertex else colour for number, colour in enumerate(colours)]


def _around(colours: Colours, edges: Edges) -> list[tuple[int, tuple[tuple[int, int], ...]]]:
    """Return the colour of each vertex, with labels and colours around it."""
    return [
        (colour, tuple(sorted((label, colours[neighbour]) for label, neighbour in neighbours)))
        for colour, neighbours in zip(colours, edges, strict=True)
    ]


@dataclass
class _AutomorphismSearch:
    """A search for maps of the first ``count`` vertices of a graph to those of another, or to its own.

    ``work`` is how much is left for it.
    """

    edges: Edges
    others: Edges
    count: int
    work: int

    def spread(self, first: Colours, second: Colours) -> tuple[Colours, Colours] | None:
        """Return two colourings spread along the edges until they are stable; None where they differ.

        Colours of both are comparable.
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
        """Return the first vertex of the smallest colour that several have; None where none is shared."""
        sizes = Counter(colours[: self.count])
        shared = [
            (sizes[colours[vertex]], vertex) for vertex in range(self.count) if sizes[colours[vertex]] > 1
        ]
        return min(shared)[1] if shared else None

    def mapped(self, first: Colours, second: Colours) -> dict[int, int] | None:
        """Return a map that takes the first colouring to the second; None where there is none."""
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


Marked = tuple[int, Atom]  # a fact with a mark that says where it stands and what it states
WRAP = (1 << 61) - 1


def first_colours(domain: Domain, problem: Problem) -> dict[str, int]:
    """Return the colours of objects by their types, those of constants by their names."""
    kinds = sorted({typed.types for typed in problem.objects})
    colours = {typed.name: hash((1, kinds.index(typed.types))) for typed in problem.objects}
    return colours | {typed.name: hash((2, i)) for i, typed in enumerate(domain.constants)}


def marked(domain: Domain, facts: Mapping[int, Iterable[Atom]]) -> list[Marked]:
    """Return the facts of initial state and goal, each marked with the one it stands in and its predicate."""
    number = {predicate.name: i for i, predicate in enumerate(domain.predicates)}
    return [(hash((part, number.get(atom[0], -1))), atom) for part, atoms in facts.items() for atom in atoms]


def refined(colours: Mapping[str, int], facts: list[Marked], rounds: int) -> dict[str, int]:
    """Return the colours after ``rounds`` in which each object takes in the facts it stands in."""
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
    """Return one number for all colours and facts, equal where a renaming maps one to the other."""
    hashed = sorted(hash((mark, *[colours[name] for name in atom[1:]])) for mark, atom in facts)
    return hash((tuple(sorted(colours.values())), tuple(hashed)))
