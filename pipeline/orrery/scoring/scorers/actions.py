"""Actions in PDDL, written for the header of a domain.

They are scored like domains with given declarations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from orrery.scoring.scorers.domains import DomainScorer


@dataclass(frozen=True)
class ActionScorer(DomainScorer):
    """Score actions written for the header of a domain (table action_modeling)."""

    headed: ClassVar[bool] = True
    needed: ClassVar[tuple[str, ...]] = (*DomainScorer.needed, "header")


SCORER = ActionScorer
