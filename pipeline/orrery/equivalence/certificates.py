"""Certificates of many graphs of a domain: as ``canonical`` gives them, compiled where that pays.

Facts are looked up once and are numbers from then on; refinement, and the certificate where refinement says
everything, are compiled loops over the graphs of a batch (``certificate_kernel``). Graphs that need more are
taken on from their refined partition by the plain route, and so is everything where numba is not installed, a
number would not fit into a word, or the work is less than loading what is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from orrery.equivalence.canonical import canonical, canonical_from
from orrery.equivalence.graph import Layers, colours_of, marks_of, problem_graph
from orrery.equivalence.undecided import Undecided
from orrery.model import Atom, Domain, Predicate, Problem, TypedName

OBJECTS_KEPT = 10_000
ENOUGH = 2_000  # graphs that take the plain route longer than loading the compiled loop takes

Asked: TypeAlias = tuple[Problem, Layers]


class Certificate(NamedTuple):
    """What is equal for isomorphic graphs, and for no others."""

    certificate: str


Found: TypeAlias = Certificate | Undecided


class Certifier:
    """Certificates of graphs of one domain; ``enough`` graphs go by before anything compiled is loaded."""

    def __init__(self, domain: Domain, enough: int = ENOUGH) -> None:
        """Prepare for the graphs of a domain."""
        self._domain, self._left = domain, enough
        self._batches: dict[tuple[str, ...], _Batches | None] = {}

    def found(self, asked: Sequence[Asked]) -> list[Found]:
        """Return the certificate of each graph, unless a budget ends first."""
        self._left -= len(asked)
        if self._left > 0 or find_spec("numba") is None:
            return [plain(self._domain, each) for each in asked]
        answers: dict[int, Found] = {}
        by_layers: dict[tuple[str, ...], list[int]] = {}
        for number, (_, layers) in enumerate(asked):
            by_layers.setdefault(tuple(sorted(layers)), []).append(number)
        for names, numbers in by_layers.items():
            if names not in self._batches:
                self._batches[names] = _batches(self._domain, names)
            batches, some = self._batches[names], [asked[number] for number in numbers]
            found = batches.found(some) if batches else [plain(self._domain, each) for each in some]
            answers.update(zip(numbers, found, strict=True))
        return [answers[number] for number in range(len(asked))]


def plain(domain: Domain, asked: Asked) -> Found:
    """Return the certificate of one graph by the plain route."""
    form = canonical(problem_graph(domain, *asked))
    return form if isinstance(form, Undecided) else Certificate(form.certificate)


def _batches(domain: Domain, names: tuple[str, ...]) -> _Batches | None:
    """Return what makes batches of graphs with these layers; None where a mark does not fit into a word."""
    from orrery.equivalence import certificate_kernel

    marks, width = marks_of(domain, list(names))
    widest = width + len(domain.ancestors) + len(domain.constants).bit_length()
    long = any(predicate.arity > 2 for predicate in domain.predicates)
    return None if long or widest > certificate_kernel.WORD else _Batches(domain, names, marks, width)


class _Batches:
    """Graphs of one domain and one set of layers as arrays."""

    def __init__(
        self, domain: Domain, names: tuple[str, ...], marks: dict[str, dict[str, int]], width: int
    ) -> None:
        self._domain, self._names, self._marks, self._width = domain, names, marks, width
        self._objects: dict[str, int] = {}
        self._codes = {name: _Codes(self._objects) for name in names}
        self._vertices = lru_cache(maxsize=OBJECTS_KEPT)(self._vertices_of)

    def found(self, asked: Sequence[Asked]) -> list[Found]:
        """Return the certificates of graphs."""
        import numpy as np

        from orrery.equivalence import certificate_kernel as kernel

        vertices = [self._vertices(problem.objects) for problem, _ in asked]
        sizes = [len(colours) for colours, _ in vertices]
        first = np.concatenate([[0], np.cumsum(np.array(sizes, np.int64))])
        colours = np.concatenate([colours for colours, _ in vertices])
        graph, facts = self._facts(asked)
        local = np.zeros((len(asked), len(self._objects)), np.int64)
        for number, (_, place) in enumerate(vertices):
            local[number, : len(place)] = place
        bare, single = facts[:, 0] < 0, (facts[:, 0] >= 0) & (facts[:, 0] == facts[:, 1])
        whole = np.zeros(len(asked), np.int64)
        np.bitwise_or.at(whole, graph[bare], facts[bare, 2])
        alone = graph[single]
        np.bitwise_or.at(colours, first[alone] + local[alone, facts[single, 0]], facts[single, 2])
        double = ~(bare | single)
        graph, facts = graph[double], facts[double]
        columns = (local[graph, facts[:, 0]], local[graph, facts[:, 1]], facts[:, 2], facts[:, 2] << 1)
        pairs_from = np.concatenate([[0], np.cumsum(np.bincount(graph, minlength=len(asked)))])
        # A number has 19 digits at most, and what is written of a fact has two, each way.
        out = np.empty(60 * len(colours) + 100 * len(graph) + 40 * len(asked), np.uint8)
        ends, states = np.zeros(len(asked) + 1, np.int64), np.zeros(len(asked), np.int64)
        labels, starts = np.zeros(len(colours), np.int64), np.zeros(len(colours), np.int64)
        kernel.certificates(
            colours, first, np.stack(columns, axis=1), pairs_from, out, ends, states, labels, starts
        )
        text = out[: ends[-1]].tobytes().decode("ascii")
        found: list[Found] = []
        for number, each in enumerate(asked):
            if states[number] == kernel.DONE:
                header = f"{list(self._names)} {self._width} {whole[number]}"
                certificate = f"({header!r}, {text[ends[number] : ends[number + 1]]}, ()))"
                found.append(Certificate(certificate))
            elif states[number] == kernel.TOO_WIDE:
                found.append(plain(self._domain, each))
            else:
                here = slice(first[number], first[number + 1])
                found.append(self._from_partition(each, starts[here].tolist(), labels[here].tolist()))
        return found

    def _facts(self, asked: Sequence[Asked]) -> tuple[Any, Any]:
        """Return the number of its graph for each fact, ascending, and rows of its two objects and mark."""
        import numpy as np

        graphs, rows = [], []
        for name in self._names:
            codes = self._codes[name]
            listed = [list(map(codes.__getitem__, layers[name])) for _, layers in asked]
            sizes = [len(some) for some in listed]
            graphs.append(np.repeat(np.arange(len(asked)), sizes))
            numbers = np.fromiter(chain.from_iterable(listed), np.int64, sum(sizes))
            rows.append(codes.table(self._marks[name])[numbers])
        graph, facts = np.concatenate(graphs), np.concatenate(rows)
        order = np.argsort(graph, kind="stable")
        return graph[order], facts[order]

    def _from_partition(self, asked: Asked, starts: list[int], labels: list[int]) -> Found:
        """Return the certificate of a graph from its cells, given by the place where each begins."""
        cells: dict[int, list[int]] = {}
        for start, vertex in zip(starts, labels, strict=True):
            cells.setdefault(start, []).append(vertex)
        form = canonical_from(problem_graph(self._domain, *asked), list(cells.values()))
        return form if isinstance(form, Undecided) else Certificate(form.certificate)

    def _vertices_of(self, objects: tuple[TypedName, ...]) -> tuple[Any, Any]:
        """Return the colours of the vertices, in the order of ``problem_graph``, and places by object."""
        import numpy as np

        colours = colours_of(self._domain, objects, self._width)
        for name in colours:
            self._objects.setdefault(name, len(self._objects))
        place = np.zeros(len(self._objects), np.int64)
        place[[self._objects[name] for name in colours]] = np.arange(len(colours))
        return np.array(list(colours.values()), np.int64), place


class _Codes(dict[Atom, int]):
    """Numbers of facts: a new one gets the next."""

    def __init__(self, objects: dict[str, int]) -> None:
        super().__init__()
        self._objects = objects
        self._rows: list[tuple[str, int, int]] = []
        self._made: Any = None

    def __missing__(self, fact: Atom) -> int:
        numbers = [self._objects.setdefault(name, len(self._objects)) for name in fact[1:]]
        first, last = (numbers[0], numbers[-1]) if numbers else (-1, -1)
        self._rows.append((fact[0], first, last))
        self._made = None
        self[fact] = len(self._rows) - 1
        return self[fact]

    def table(self, marks: dict[str, int]) -> Any:
        """Return first and last object and mark by number; objects are below 0 where there are none."""
        import numpy as np

        if self._made is None:
            rows = [(first, last, marks[predicate]) for predicate, first, last in self._rows]
            self._made = np.array(rows, np.int64).reshape(len(rows), 3)
        return self._made


def compile_loops() -> None:
    """Call the compiled loops on a graph of one object, so that they are compiled before they are needed."""
    domain = Domain("one", (), (), (), (Predicate("it", (TypedName("?x"),)),), ())
    problem = Problem("one", "one", (TypedName("a"),), frozenset([("it", "a")]), frozenset())
    Certifier(domain, enough=0).found([(problem, {"init": problem.init})])
