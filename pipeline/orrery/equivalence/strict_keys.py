"""Strict keys of many problems of a domain at once."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.equivalence.canonical import canonical
from orrery.equivalence.closure import Closure
from orrery.equivalence.graph import problem_graph
from orrery.equivalence.keys import strict_key, strict_layers
from orrery.equivalence.undecided import Undecided
from orrery.model import Domain, Problem


def strict_keys(domain: Domain, problems: Sequence[tuple[Problem, Closure]]) -> list[str | Undecided]:
    """Return the strict keys of problems with these goal closures, unless a budget ends first."""
    return [_strict_key(domain, *each) for each in problems]


def _strict_key(domain: Domain, problem: Problem, closure: Closure) -> str | Undecided:
    if not closure.decided:
        return Undecided(f"goal closure {closure.proof}")
    form = canonical(problem_graph(domain, problem, strict_layers(problem, closure)))
    return form if isinstance(form, Undecided) else strict_key(domain, closure, form)
