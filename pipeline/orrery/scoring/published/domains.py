"""Text2World (sections 2.3 and 4.1): executability, which is acceptance of the domain by tarski.

The paper does not define how components are matched for its F1 scores, so there is no rule for them.
"""

from __future__ import annotations

from pathlib import Path

from orrery.grading import Score
from orrery.planning.external_parsers import TARSKI
from orrery.scoring.domains.columns import accepted_name
from orrery.scoring.scorer import Columns, DatasetRow


def value(reply: str, row: DatasetRow, score: Score, figures: Columns, root: Path) -> float | None:
    """Return whether tarski accepts the domain; None without its verdict."""
    accepted = figures.get(accepted_name(TARSKI))
    return None if accepted is None else float(accepted)
