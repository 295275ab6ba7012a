"""Planner and closure rule of our folders for a domain, looked up by its name and text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from orrery.catalog import Catalog, entry_of
from orrery.equivalence.closure import Rule
from orrery.equivalence.domain_isomorphism import translation
from orrery.model import Domain
from orrery.pddl.read import read_domain
from orrery.scoring.problems.solvability import Planner, Prover


@dataclass(frozen=True, eq=False)
class DomainKnowledge:
    """A folder's knowledge of a domain: its own planner, and its rule for goal closures."""

    domain: Domain
    planner: Planner | None = None
    rule: Rule | None = None

    @cached_property
    def prover(self) -> Prover:
        """Decides whether problems of the domain have plans."""
        return Prover(self.domain, self.planner, self.rule)


@lru_cache(maxsize=256)
def known_of(root: Path, name: str, domain_pddl: str | None) -> DomainKnowledge | None:
    """Return the knowledge of the folders of ``root`` about a domain; None for other domains.

    The domain of that ``name`` is looked at first, then all others: a domain is one of them if it is that
    one renamed, or with its declarations in another order, whatever it calls itself.

    Raises:
        PddlError: the text is no domain.
    """
    names = Catalog(root).names
    if domain_pddl is None:
        return _known(root, name) if name in names else None
    domain = read_domain(domain_pddl, "row: domain_pddl")
    for candidate in sorted(names, key=lambda domain_name: domain_name != name):
        if translation(domain, entry_of(root, candidate).domain) is not None:
            return _known(root, candidate)
    return None


@lru_cache(maxsize=256)
def _known(root: Path, name: str) -> DomainKnowledge:
    entry = entry_of(root, name)
    return DomainKnowledge(entry.domain, entry.planner, entry.closure_rule)
