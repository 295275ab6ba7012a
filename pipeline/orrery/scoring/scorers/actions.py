"""Actions in PDDL, written for the header of a domain.

They are scored like domains with given declarations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from orrery.grading import Score
from orrery.scoring.scorer import Columns, DatasetRow
from orrery.scoring.scorers.domains import DomainScorer


@dataclass(frozen=True)
class ActionScorer(DomainScorer):
    """Score actions written for the header of a domain (table action_modeling)."""

    headed: ClassVar[bool] = True
    needed: ClassVar[tuple[str, ...]] = (*DomainScorer.needed, "header")

    def published_value(self, reply: str, row: DatasetRow, score: Score, figures: Columns) -> float | None:
        """Return the share of equivalent actions (Proc2PDDL, section 4); None if undecided."""
        return None if figures.get("undecided_actions") else score.parts.get("action_accuracy", 0.0)


SCORER = ActionScorer
