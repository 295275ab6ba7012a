"""Scores by the rules of the papers, one file per scorer, next to the scores by our rules.

A file defines ``value``: the score of a reply by the rule that the paper states, from 0 to 1, or None if it
is undecided. What a paper leaves open, such as the reading of a reply in prose, is done as in our scores.
Scorers without a file have no rule that a paper of these tables states.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from orrery.grading import Score
from orrery.scoring.scorer import Columns, DatasetRow


def has_rule(scorer: str) -> bool:
    """Return whether replies to tables with this scorer have a published rule."""
    return scorer in {module.name for module in iter_modules(__path__)}


def published_value(
    scorer: str, reply: str, row: DatasetRow, score: Score, figures: Columns, root: Path
) -> float | None:
    """Return the score of a reply by the published rule; None if it is undecided or there is no rule.

    Args:
        scorer: the name of the table's scorer.
        reply: the whole reply.
        row: the row.
        score: the score by our rule.
        figures: the columns that the scorer measured.
        root: the folder with domains and generators.
    """
    if not has_rule(scorer):
        return None
    value: float | None = import_module(f"{__name__}.{scorer}").value(reply, row, score, figures, root)
    return value
