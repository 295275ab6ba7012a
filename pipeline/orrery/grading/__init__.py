"""Grading of replies to planning questions: ``grade(reply, row)``, with nothing needed but the row.

Standard library only; this folder is shipped beside the dataset and imported from there. Answers stored
in a row are complete, so that grading is a look-up: no planner, no limits of time, no files.

Each kind of question is one file in ``kinds``, with a grader for each ``group`` of rows; kinds are found
by looking in that folder. Where the answer stands within a reply says ``reply``; what counts as an answer
say ``facts_and_actions`` (for open questions), ``boolean``, ``choice`` and the kinds that have more to say.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

from . import kinds
from .grader import Grader
from .reply import find_answer
from .row import Row, value
from .score import RIGHT, UNPARSED, WRONG, Score, UnreadableAnswer

__all__ = ["GRADERS", "RIGHT", "UNPARSED", "WRONG", "Grader", "Score", "grade"]


def _graders() -> dict[str, Grader]:
    """Collect the graders of all kinds, by group."""
    found: dict[str, Grader] = {}
    for name in sorted(module.name for module in pkgutil.iter_modules(kinds.__path__)):
        of_kind = importlib.import_module(f"{kinds.__name__}.{name}").GRADERS
        if twice := sorted(found.keys() & of_kind.keys()):
            raise ValueError(f"kinds/{name}.py: another kind grades group {twice[0]!r} already")
        found.update(of_kind)
    return found


GRADERS: Mapping[str, Grader] = _graders()


def grade(answer: str, row: Row) -> Score:
    """Grade the reply ``answer`` to the question of ``row``.

    Args:
        answer: The whole reply of a model.
        row: A row of a table of questions; values may be Python's own, JSON, or what numpy and Arrow give.
            It needs ``group`` and ``answer``; open questions also ``PDDL_domain`` and ``PDDL_problem``,
            choices ``choices``. Used where they are there: ``answer_all`` (the stored ``answer`` is capped),
            ``typing`` and ``answer_all_is`` (reachable actions), ``sequence`` or ``plan`` with ``positions``
            (read from ``question`` otherwise), ``choices_pddl``.

    Raises:
        ValueError: ``row`` is of a group that is not graded here. No reply raises.
    """
    group = value(row, "group")
    grader = GRADERS.get(str(group))
    if grader is None:
        raise ValueError(f"group {group!r} is not graded here (graded: {', '.join(sorted(GRADERS))})")
    try:
        found = find_answer(answer or "", grader.reader(row))
    except UnreadableAnswer as reason:
        return Score(0, UNPARSED, str(reason), dict.fromkeys(grader.parts, 0.0))
    return grader.check(found, row)
