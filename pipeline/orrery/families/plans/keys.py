"""Keys of the problems that rows are about, so that none stands in two splits under other names."""

from __future__ import annotations

from functools import lru_cache

from orrery.equivalence.canonical import canonical
from orrery.equivalence.closure import Closure
from orrery.equivalence.graph import problem_graph
from orrery.equivalence.keys import strict_key, strict_layers
from orrery.equivalence.undecided import Undecided
from orrery.model import Domain, Problem

KEPT = 20_000


@lru_cache(maxsize=KEPT)
def spelled_key(domain: Domain, problem: Problem) -> str:
    """Return a key of the problem with its goal as it is spelled; empty where a budget ended first.

    Equal keys mean problems that differ in nothing but names.
    """
    fluents = domain.fluents
    asked = {
        sign: frozenset(g.atom for g in problem.goal if g.positive == sign and g.atom[0] in fluents)
        for sign in (True, False)
    }
    closure = Closure(None, "as spelled", asked[True], asked[False])
    form = canonical(problem_graph(domain, problem, strict_layers(problem, closure)))
    return "" if isinstance(form, Undecided) else strict_key(domain, closure, form)
