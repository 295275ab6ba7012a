"""Grading of replies to planning questions: ``grade(reply, row)``, with nothing needed but the row.

Standard library only; this folder is shipped beside the dataset and imported from there. Answers stored
in a row are complete, so that grading is a look-up: no planner, no limits of time, no files.

Each kind of question is one file in ``kinds``, with a grader for each ``group`` of rows; kinds are found
by looking in that folder. Where the answer stands within a reply says ``reply``; what counts as an answer
say ``facts_and_actions`` (for open questions), ``boolean``, ``choice`` and the kinds that have more to say.

Rows about plans (groups ``plan_<task>``) have graders of their own, found in the same way in ``plans/tasks``:
a reply is simulated with the domain and the problem of its row.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from . import kinds
from .grader import Grader
from .plans import tasks
from .plans.grader import PlanGrader
from .reply import find_answer
from .row import Row, needed_value, value
from .score import MAX_REPLY, RIGHT, TOO_LONG, UNPARSED, WRONG, Score, UnreadableAnswer

__all__ = ["GRADERS", "PLAN_GRADERS", "RIGHT", "UNPARSED", "WRONG", "Grader", "Score", "grade"]


def _graders(folder: ModuleType) -> dict[str, Any]:
    """Collect the graders of all files in a folder, by group."""
    found: dict[str, Any] = {}
    for name in sorted(module.name for module in pkgutil.iter_modules(folder.__path__)):
        of_kind = importlib.import_module(f"{folder.__name__}.{name}").GRADERS
        if twice := sorted(found.keys() & of_kind.keys()):
            where = f"{folder.__name__.rpartition('.')[2]}/{name}.py"
            raise ValueError(f"{where}: another kind grades group {twice[0]!r} already")
        found.update(of_kind)
    return found


GRADERS: Mapping[str, Grader] = _graders(kinds)
PLAN_GRADERS: Mapping[str, PlanGrader] = _graders(tasks)


def grade(answer: str, row: Row) -> Score:
    """Grade the reply ``answer`` to the question of ``row``.

    Args:
        answer: The whole reply of a model.
        row: A row of a table of questions; values may be Python's own, JSON, or what numpy and Arrow give.
            It needs ``group`` and ``answer``; open questions also ``PDDL_domain`` and ``PDDL_problem``,
            choices ``choices``. Used where they are there: ``answer_all`` (the stored ``answer`` is capped),
            ``typing`` and ``answer_all_is`` (reachable actions), ``sequence`` or ``plan`` with ``positions``
            (read from ``question`` otherwise), ``choices_pddl``. Rows about plans need ``domain_pddl``,
            ``problem_pddl``, ``phrases``, and what their task stores of the answer.

    Raises:
        ValueError: ``row`` is of a group that is not graded here, or lacks what it needs. No reply raises.
    """
    group = str(value(row, "group"))
    if group not in GRADERS and group not in PLAN_GRADERS:
        graded = ", ".join(sorted([*GRADERS, *PLAN_GRADERS]))
        raise ValueError(f"group {value(row, 'group')!r} is not graded here (graded: {graded})")
    for column in ("domain_pddl", "problem_pddl") if group in PLAN_GRADERS else ("answer",):
        needed_value(row, column)
    if answer and len(answer) > MAX_REPLY:
        parts = (PLAN_GRADERS.get(group) or GRADERS[group]).parts
        return Score(0.0, UNPARSED, TOO_LONG, dict.fromkeys(parts, 0.0))
    if group in PLAN_GRADERS:
        return PLAN_GRADERS[group].grade(answer or "", row)
    grader = GRADERS[group]
    try:
        found = find_answer(answer or "", grader.reader(row))
    except UnreadableAnswer as reason:
        return Score(0.0, UNPARSED, str(reason), dict.fromkeys(grader.parts, 0.0))
    return grader.check(found, row)
