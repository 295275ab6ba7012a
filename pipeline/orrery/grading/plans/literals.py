"""Facts in a reply, affirmed or denied, in PDDL or in words."""

from __future__ import annotations

from ..row import Row
from .lines import Symbols
from .plan_reply import problem_of
from .wordings import wordings_of


def fact_symbols(row: Row) -> Symbols:
    """Return what the facts of a row begin with."""
    problem = problem_of(row)
    domain = problem.domain
    strangers = frozenset(domain.actions) - frozenset(domain.predicates)
    return Symbols(domain.predicates, strangers, wordings_of(row, "facts"), problem, True)
