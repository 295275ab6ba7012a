"""Renamings of objects read off canonical forms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from orrery.equivalence.canonical import BUDGET, Canonical, canonical
from orrery.equivalence.graph import Graph, Layers, problem_graph
from orrery.equivalence.undecided import Undecided
from orrery.model import Atom, Domain, Problem, State

Renaming: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True)
class CanonicalGraph:
    """The graph of a problem's objects with some facts, and its canonical form."""

    graph: Graph
    form: Canonical

    def onto(self, target: CanonicalGraph) -> Renaming:
        """Return an isomorphism to a shape with an equal certificate; constants are mapped too."""
        return self._named(zip(self.form.order, target.form.order, strict=True), target)

    def symmetries(self) -> list[Renaming]:
        """Return generators of all symmetries; each maps the names that it moves."""
        return [self._named(move.items(), self) for move in self.form.symmetries]

    def _named(self, pairs: Iterable[tuple[int, int]], target: CanonicalGraph) -> Renaming:
        ours, theirs = self.graph.vertices, target.graph.vertices
        renaming: Renaming = {}
        for u, v in pairs:
            name, image = ours[u], theirs[v]
            if isinstance(name, str) and isinstance(image, str):  # others are facts, which follow
                renaming[name] = image
        return renaming


def shape(
    domain: Domain, problem: Problem, layers: Layers, budget: int = BUDGET, apart: Sequence[str] = ()
) -> CanonicalGraph | Undecided:
    """Return the shape of ``problem_graph``, unless the budget ends first."""
    graph = problem_graph(domain, problem, layers, apart)
    form = canonical(graph, budget)
    return form if isinstance(form, Undecided) else CanonicalGraph(graph, form)


def renamed(facts: Iterable[Atom], renaming: Renaming) -> State:
    """Return the facts with objects renamed; names that ``renaming`` does not hold stay."""
    get = renaming.get
    return frozenset([(fact[0], *[get(name, name) for name in fact[1:]]) for fact in facts])
