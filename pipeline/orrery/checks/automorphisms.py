"""Find automorphisms of structures, and isomorphisms between two of them, within a limit of work.

Vertices are coloured until the colours are stable; then one vertex gets a colour of its own, and so on until
all colours differ. If another vertex of the same colour is chosen instead, and the final colours are the
same, the two colourings define an automorphism. One such automorphism for each chosen vertex and each other
vertex of its colour, where one exists, generates the whole group (Schreier and Sims; for the colours: McKay
and Piperno, "Practical graph isomorphism, II", 2014). The size of the group does not affect the work. The
same search on two graphs decides whether they are isomorphic.

Colours are hashes that do not depend on the names of objects. Python hashes tuples of integers alike in every
process, so colours can be compared between processes.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from orrery.model import Atom, Domain, Problem

Colours: TypeAlias = list[int]

WORK = 1_000_000  # limit of colourings of vertices, in each graph


class OutOfWork(Exception):
    """The search reached its limit of work."""


class ObjectGraph(NamedTuple):
    """Objects with their labels, and facts about them: a label, then objects and other names."""

    objects: Mapping[str, str]
    facts: Iterable[tuple[str, tuple[str, ...]]]


class ColouredGraph(NamedTuple):
    """Objects, then facts, as vertices with a colour each; ``objects`` is the number of objects.

    ``edges`` has the neighbours of each vertex: of a fact its arguments, each after its position.
    """

    objects: int
    colours: Colours
    edges: Sequence[Sequence[tuple[int, int]]]


def graph_of(structure: ObjectGraph) -> ColouredGraph:
    """Return objects and facts as vertices."""
    vertex = {name: number for number, name in enumerate(structure.objects)}
    labels = list(structure.objects.values())
    edges: list[list[tuple[int, int]]] = [[] for _ in vertex]
    for label, arguments in structure.facts:
        edges.append([(place, vertex[name]) for place, name in enumerate(arguments) if name in vertex])
        for place, object_number in edges[-1]:
            edges[object_number].append((place, len(labels)))
        labels.append(f"{label} " + " ".join(name for name in arguments if name not in vertex))
    colour = {label: _digest(label) for label in set(labels)}
    return ColouredGraph(len(vertex), [colour[label] for label in labels], edges)


def _digest(label: str) -> int:
    return int.from_bytes(hashlib.blake2b(label.encode(), digest_size=7).digest())


def stable(graph: ColouredGraph, colours: Colours) -> Colours:
    """Return colours that also depend on the colours around each vertex, until no more are separated."""
    number_of_colours = 0
    while number_of_colours < (now := len(set(colours))):
        number_of_colours = now
        colours = _refined(graph, colours)
    return colours


def profile(graph: ColouredGraph) -> int:
    """Return a number that is equal for isomorphic graphs, and seldom for others."""
    return hash(tuple(sorted(stable(graph, graph.colours))))


def _refined(graph: ColouredGraph, colours: Colours) -> Colours:
    """Return colours that also depend on the colours of the neighbours."""
    return [
        hash((colour, *sorted((place, colours[neighbour]) for place, neighbour in neighbours)))
        for colour, neighbours in zip(colours, graph.edges, strict=True)
    ]


def generators(graph: ColouredGraph, work: int = WORK) -> Iterator[dict[int, int]]:
    """Yield generators of the automorphisms, as permutations of the objects, without the identity.

    Raises:
        OutOfWork: more than ``work`` vertices were coloured.
    """
    search, colours = _Search(graph, graph, work), graph.colours
    while stable_twice := search.stable_together(colours, colours):
        colours, _ = stable_twice
        if (vertex := search.open_vertex(colours)) is None:
            return
        one_more = _singled(colours, vertex)
        for image in range(vertex + 1, graph.objects):
            if colours[image] == colours[vertex] and (move := search.map(one_more, _singled(colours, image))):
                yield move
        colours = one_more


def isomorphism(first: ColouredGraph, second: ColouredGraph) -> dict[int, int] | None:
    """Return a bijection of the objects that keeps labels and facts; None if there is none.

    Raises:
        OutOfWork: it is not decided within ``WORK``.
    """
    return _Search(first, second, WORK).map(first.colours, second.colours)


def same(first: ColouredGraph, second: ColouredGraph) -> bool | None:
    """Return whether ``isomorphism`` finds a bijection; None if it does not decide this."""
    try:
        return isomorphism(first, second) is not None
    except OutOfWork:
        return None


def moved(atom: Atom, names: Mapping[str, str]) -> Atom:
    """Return a fact with other names for some of its objects."""
    return (atom[0], *(names.get(name, name) for name in atom[1:]))


def kinds(domain: Domain, problem: Problem) -> dict[object, list[str]]:
    """Return the objects, sorted, grouped by types and unary static facts."""
    unary_facts = defaultdict(list)
    for fact in sorted(problem.init):
        if fact[0] not in domain.fluents and len(fact) == 2:
            unary_facts[fact[1]].append(fact[0])
    names_by_kind: dict[object, list[str]] = defaultdict(list)
    for typed in sorted(problem.objects):
        names_by_kind[typed.types, tuple(unary_facts[typed.name])].append(typed.name)
    return names_by_kind


def _singled(colours: Colours, vertex: int) -> Colours:
    """Return the colours with a separate colour for a vertex."""
    return [*colours[:vertex], hash((colours[vertex], -1)), *colours[vertex + 1 :]]


@dataclass
class _Search:
    """A search for maps of the objects of one graph to those of another; ``work`` is the remaining limit."""

    first: ColouredGraph
    second: ColouredGraph
    work: int

    def open_vertex(self, colours: Colours) -> int | None:
        """Return the first object of the smallest colour class with several objects, or None."""
        sizes = Counter(colours[: self.first.objects])
        shared = [(sizes[colour], vertex) for vertex, colour in enumerate(colours[: self.first.objects])]
        return min((place for place in shared if place[0] > 1), default=(0, None))[1]

    def stable_together(self, first: Colours, second: Colours) -> tuple[Colours, Colours] | None:
        """Return stable colours of both graphs, refined round by round; None once their counts differ."""
        number_of_colours = 0
        while (counts := Counter(first)) == Counter(second):
            if len(counts) <= number_of_colours:
                return first, second
            number_of_colours = len(counts)
            self.work -= len(first)
            if self.work < 0:
                raise OutOfWork
            first, second = _refined(self.first, first), _refined(self.second, second)
        return None

    def map(self, first: Colours, second: Colours) -> dict[int, int] | None:
        """Return a map that takes the first colouring to the second; None if there is none.

        The branches of the search wait in a list, so that its depth is not limited.
        """
        objects = range(self.first.objects)
        waiting = [iter([(first, second)])]
        while waiting:
            if (colourings := next(waiting[-1], None)) is None:
                waiting.pop()
            elif (colours := self.stable_together(*colourings)) is not None:
                first, second = colours
                if (vertex := self.open_vertex(first)) is None:
                    image_of = {second[image]: image for image in objects}
                    return {vertex: image_of[first[vertex]] for vertex in objects}
                waiting.append(self._branches(first, second, vertex))
        return None

    def _branches(self, first: Colours, second: Colours, vertex: int) -> Iterator[tuple[Colours, Colours]]:
        """Yield the colourings with a separate colour for ``vertex`` and each possible image."""
        for image in range(self.first.objects):
            if second[image] == first[vertex]:
                yield _singled(first, vertex), _singled(second, image)
