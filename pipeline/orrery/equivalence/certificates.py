"""Certificates of many graphs of a domain: as ``canonical`` gives them, compiled where that pays.

Facts are looked up once and are numbers from then on; refinement, and the certificate where nothing is left
to be tried, are compiled loops over the graphs of a batch (``certificate_kernel``). Graphs that need more are
taken on from their refined partition by the plain route, and so is everything where numba is not installed, a
number would not fit into a word, or the work is less than loading what is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.equivalence.canonical import canonical, canonical_from
from orrery.equivalence.fact_numbers import FactNumbers, ObjectLists
from orrery.equivalence.graph import Layers, colours_of, marks_of, problem_graph
from orrery.equivalence.undecided import Undecided
from orrery.model import Domain, Predicate, Problem, TypedName
from orrery.planners.without_scipy import keep_scipy_out

LISTS_KEPT = 10_000  # of objects
ENOUGH = 2_000  # graphs that take the plain route longer than loading the compiled loop takes

Asked: TypeAlias = tuple[Problem, Layers]
Numbers: TypeAlias = NDArray[np.int64]


class Certificate(NamedTuple):
    """What is equal for isomorphic graphs, and for no others."""

    certificate: str


Found: TypeAlias = Certificate | Undecided


class GraphArrays(NamedTuple):
    """Graphs of one set of layers: their lists of objects, and by layer the graph of each fact and the fact.

    All are numbers of the certifier's; those of graphs ascend. ``asked`` gives a graph as the plain route
    takes it.
    """

    objects: Numbers
    layers: Mapping[str, tuple[Numbers, Numbers]]
    asked: Callable[[int], Asked]


class Certifier:
    """Certificates of graphs of one domain; ``enough`` graphs go by before anything compiled is loaded."""

    def __init__(self, domain: Domain, enough: int = ENOUGH) -> None:
        """Prepare for the graphs of a domain."""
        self.facts, self.objects = FactNumbers(domain), ObjectLists()
        self._domain, self._left = domain, enough
        self._batches: dict[tuple[str, ...], _Batches | None] = {}

    def hurry(self) -> None:
        """Load what is compiled at once: many graphs are to come."""
        self._left = 0

    def tidy(self) -> None:
        """Forget lists of objects once there are many; numbers given to lists before hold no longer."""
        if len(self.objects) > LISTS_KEPT:
            self.objects = ObjectLists()
            self._batches = {}

    def found(self, asked: Sequence[Asked]) -> list[Found]:
        """Return the certificate of each graph, unless a budget ends first."""
        answers: dict[int, Found] = {}
        by_layers: dict[tuple[str, ...], list[int]] = {}
        for number, (_, layers) in enumerate(asked):
            by_layers.setdefault(tuple(sorted(layers)), []).append(number)
        for names, numbers in by_layers.items():
            some = [asked[number] for number in numbers]
            answers.update(zip(numbers, self.of_arrays(self._arrays(names, some)), strict=True))
        return [answers[number] for number in range(len(asked))]

    def _arrays(self, names: tuple[str, ...], asked: Sequence[Asked]) -> GraphArrays:
        layers = {}
        for name in names:
            listed = [list(map(self.facts.__getitem__, layers[name])) for _, layers in asked]
            graphs = np.repeat(np.arange(len(asked)), [len(some) for some in listed])
            layers[name] = graphs, np.fromiter(chain.from_iterable(listed), np.int64, len(graphs))
        objects = [self.objects[problem.objects] for problem, _ in asked]
        return GraphArrays(np.array(objects, np.int64), layers, asked.__getitem__)

    def of_arrays(self, graphs: GraphArrays) -> list[Found]:
        """Return the certificate of each graph, unless a budget ends first."""
        if not len(graphs.objects):
            return []
        self._left -= len(graphs.objects)
        if self._left > 0 or find_spec("numba") is None:
            return [plain(self._domain, graphs.asked(number)) for number in range(len(graphs.objects))]
        names = tuple(sorted(graphs.layers))
        if names not in self._batches:
            self._batches[names] = _batches(self._domain, names, self.facts, self.objects)
        if batches := self._batches[names]:
            return batches.found(graphs)
        return [plain(self._domain, graphs.asked(number)) for number in range(len(graphs.objects))]


def plain(domain: Domain, asked: Asked) -> Found:
    """Return the certificate of one graph by the plain route."""
    form = canonical(problem_graph(domain, *asked))
    return form if isinstance(form, Undecided) else Certificate(form.certificate)


def _batches(
    domain: Domain, names: tuple[str, ...], facts: FactNumbers, objects: ObjectLists
) -> _Batches | None:
    """Return what makes batches of graphs with these layers; None where a mark does not fit into a word."""
    keep_scipy_out()
    from orrery.equivalence import certificate_kernel

    marks, width = marks_of(domain, list(names))
    widest = width + len(domain.ancestors) + len(domain.constants).bit_length()
    long = any(predicate.arity > 2 for predicate in domain.predicates)
    if long or widest > certificate_kernel.WORD:
        return None
    return _Batches(domain, names, (marks, width), facts, objects)


class _Batches:
    """Graphs of one domain and one set of layers as arrays."""

    def __init__(
        self,
        domain: Domain,
        names: tuple[str, ...],
        marked: tuple[dict[str, dict[str, int]], int],
        facts: FactNumbers,
        objects: ObjectLists,
    ) -> None:
        marks, self._width = marked
        self._domain, self._names, self._facts, self._objects = domain, names, facts, objects
        self._marks = {
            name: np.array([marks[name][each.name] for each in domain.predicates] or [0], np.int64)
            for name in names
        }
        self._colours: list[Numbers] = []
        self._vertex_of: list[dict[int, int]] = []

    def found(self, graphs: GraphArrays) -> list[Found]:
        """Return the certificates of graphs."""
        from orrery.equivalence import certificate_kernel as kernel

        count = len(graphs.objects)
        first, colours, local = self._vertices(graphs.objects)
        graph, one, other, mark = self._listed(graphs)
        bare, single = one < 0, (one >= 0) & (one == other)
        whole = np.zeros(count, np.int64)
        np.bitwise_or.at(whole, graph[bare], mark[bare])
        alone = graph[single]
        np.bitwise_or.at(colours, first[alone] + local[alone, one[single]], mark[single])
        double = ~(bare | single)
        graph, one, other, mark = graph[double], one[double], other[double], mark[double]
        pairs = np.stack((local[graph, one], local[graph, other], mark, mark << 1), axis=1)
        pairs_from = np.concatenate([[0], np.cumsum(np.bincount(graph, minlength=count))])
        # A number has 19 digits at most, and what is written of a fact has two, each way; then components.
        room = [60 + kernel.PER_CODE * kernel.PER_VERTEX, 100 + kernel.PER_CODE * kernel.PER_PAIR, 60]
        out = np.empty(np.dot(room, [len(colours), len(graph), count]), np.uint8)
        ends, states = np.zeros(count + 1, np.int64), np.zeros(count, np.int64)
        labels, starts = np.zeros(len(colours), np.int64), np.zeros(len(colours), np.int64)
        kernel.certificates(colours, first, pairs, pairs_from, out, ends, states, labels, starts)
        text = out[: ends[-1]].tobytes().decode("ascii")
        found: list[Found] = []
        header, at = f"{list(self._names)} {self._width} ", ends.tolist()
        for number, (state, facts) in enumerate(zip(states.tolist(), whole.tolist(), strict=True)):
            if state == kernel.DONE:
                certificate = f"({f'{header}{facts}'!r}, {text[at[number] : at[number + 1]]}))"
                found.append(Certificate(certificate))
            elif state == kernel.TOO_WIDE:
                found.append(plain(self._domain, graphs.asked(number)))
            else:
                here = slice(first[number], first[number + 1])
                cells = starts[here].tolist(), labels[here].tolist()
                found.append(self._from_partition(graphs.asked(number), *cells))
        return found

    def _vertices(self, objects: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return where the vertices of each graph begin, their colours, and the vertex of each object."""
        for listed in self._objects.lists[len(self._colours) :]:
            colours = colours_of(self._domain, listed, self._width)
            self._colours.append(np.array(list(colours.values()), np.int64))
            numbers = [self._facts.objects.setdefault(name, len(self._facts.objects)) for name in colours]
            self._vertex_of.append({number: vertex for vertex, number in enumerate(numbers)})
        lists, of = np.unique(objects, return_inverse=True)
        vertex_of = np.zeros((len(lists), len(self._facts.objects)), np.int64)
        for row, number in zip(vertex_of, lists.tolist(), strict=True):
            row[list(self._vertex_of[number])] = list(self._vertex_of[number].values())
        listed_colours = [self._colours[number] for number in lists.tolist()]
        sizes = np.array([len(each) for each in listed_colours], np.int64)[of]
        first = np.concatenate([[0], np.cumsum(sizes)])
        return first, np.concatenate([listed_colours[number] for number in of.tolist()]), vertex_of[of]

    def _listed(self, graphs: GraphArrays) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Return the graph of each fact, ascending, its first and last object, and its mark."""
        predicates, first, last = self._facts.columns()
        marks = [self._marks[name][predicates[graphs.layers[name][1]]] for name in self._names]
        graph = np.concatenate([graphs.layers[name][0] for name in self._names])
        facts = np.concatenate([graphs.layers[name][1] for name in self._names])
        order = np.argsort(graph, kind="stable")
        facts = facts[order]
        return graph[order], first[facts], last[facts], np.concatenate(marks)[order]

    def _from_partition(self, asked: Asked, starts: list[int], labels: list[int]) -> Found:
        """Return the certificate of a graph from its cells, given by the place where each begins."""
        cells: dict[int, list[int]] = {}
        for start, vertex in zip(starts, labels, strict=True):
            cells.setdefault(start, []).append(vertex)
        form = canonical_from(problem_graph(self._domain, *asked), list(cells.values()))
        return form if isinstance(form, Undecided) else Certificate(form.certificate)


def compile_loops() -> None:
    """Call the compiled loops on a graph of one object, so that they are compiled before they are needed."""
    domain = Domain("one", (), (), (), (Predicate("it", (TypedName("?x"),)),), ())
    problem = Problem("one", "one", (TypedName("a"),), frozenset([("it", "a")]), frozenset())
    Certifier(domain, enough=0).found([(problem, {"init": problem.init})])
