"""Canonical forms of many graphs of a domain, whose facts and lists of objects have numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.equivalence.canonical import Canonical
from orrery.equivalence.fact_numbers import FactNumbers, ObjectLists
from orrery.equivalence.graph import Layers
from orrery.equivalence.keys import form_of
from orrery.equivalence.undecided import Undecided
from orrery.model import Domain, Problem

LISTS_KEPT = 10_000  # of objects

Numbers: TypeAlias = NDArray[np.int64]


class GraphArrays(NamedTuple):
    """Graphs of one set of layers: their lists of objects, and by layer the graph of each fact and the fact.

    All are numbers of the certifier's; those of graphs ascend. ``graph`` returns the problem and the layers
    of a graph.
    """

    objects: Numbers
    layers: Mapping[str, tuple[Numbers, Numbers]]
    graph: Callable[[int], tuple[Problem, Layers]]


class Certifier:
    """Numbers of facts and lists of objects of one domain, and canonical forms of graphs of these numbers."""

    def __init__(self, domain: Domain) -> None:
        """Prepare for the graphs of a domain."""
        self.facts, self.objects = FactNumbers(domain), ObjectLists()
        self._domain = domain

    def tidy(self) -> None:
        """Forget lists of objects once there are many; their numbers are no longer valid then."""
        if len(self.objects) > LISTS_KEPT:
            self.objects = ObjectLists()

    def of_arrays(self, graphs: GraphArrays) -> list[Canonical | Undecided]:
        """Return the canonical form of each graph, unless a budget ends first."""
        return [form_of(self._domain, *graphs.graph(number)) for number in range(len(graphs.objects))]
