"""Proc2PDDL (section 4): the share of gold actions whose definition is equivalent to the gold definition.

Equivalence does not depend on the names of variables, nor on the order in conjunctions.
"""

from __future__ import annotations

from pathlib import Path

from orrery.grading import Score
from orrery.scoring.scorer import Columns, DatasetRow


def value(reply: str, row: DatasetRow, score: Score, figures: Columns, root: Path) -> float | None:
    """Return the share of equivalent actions; None if some comparison is undecided."""
    return None if figures.get("undecided_actions") else score.parts.get("action_accuracy", 0.0)
