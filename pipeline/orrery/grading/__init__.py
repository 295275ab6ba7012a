"""Grading of replies to planning questions: ``grade(reply, row)`` needs only the row.

Standard library only. This folder ships with the dataset and can be imported from there. Answers stored
in a row are complete, so grading is a look-up: no planner, no time limit, no files.

Each kind of question has one file in ``kinds``, with a grader for each ``group`` of rows. The files are found
by listing that folder. ``reply`` finds the answer within a reply. ``facts_and_actions`` (for open questions),
``boolean``, ``choice`` and some kinds define the valid forms of an answer.

Graders of rows about plans (groups ``plan_<task>``) are found in the same way in ``plans/tasks``. A reply is
simulated with the domain and the problem of its row.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from . import kinds
from .plans import tasks
from .row import Row, needed_value, value
from .score import MAX_REPLY, NO_PLAN, RIGHT, TOO_LONG, UNPARSED, WRONG, Grader, Score, UnreadableAnswer

__all__ = ["GRADERS", "RIGHT", "UNPARSED", "WRONG", "Grader", "Score", "grade"]


def _graders() -> dict[str, Grader]:
    """Return the graders of all files in both folders, by group."""
    graders: dict[str, Grader] = {}
    for folder in (kinds, tasks):
        for name in sorted(module.name for module in pkgutil.iter_modules(folder.__path__)):
            by_group = importlib.import_module(f"{folder.__name__}.{name}").GRADERS
            if twice := sorted(graders.keys() & by_group.keys()):
                file = f"{folder.__name__.rpartition('.')[2]}/{name}.py"
                raise ValueError(f"{file}: another kind grades group {twice[0]!r} already")
            graders.update(by_group)
    return graders


GRADERS: Mapping[str, Grader] = MappingProxyType(_graders())


def grade(answer: str, row: Row) -> Score:
    """Grade the reply ``answer`` to the question of ``row``.

    Args:
        answer: The whole reply of a model.
        row: A row of a table of questions. Values may be Python values, JSON, or values from numpy and Arrow.
            Required columns: ``group`` and ``answer``; for open questions also ``PDDL_domain`` and
            ``PDDL_problem``; for multiple choice also ``choices``. Optional columns: ``answer_all`` (the
            stored ``answer`` is capped), ``typing`` and ``answer_all_is`` (reachable actions), ``sequence``
            or ``plan`` with ``positions`` (otherwise read from ``question``), ``choices_pddl``. Rows about
            plans need ``domain_pddl``, ``problem_pddl``, ``nl_templates``, and the answer columns of their
            task.

    Raises:
        ValueError: The ``group`` of ``row`` has no grader, or a required column is missing. No reply raises.
    """
    group = str(value(row, "group"))
    if group not in GRADERS:
        graded = ", ".join(sorted(GRADERS))
        raise ValueError(f"group {value(row, 'group')!r} is not graded here (graded: {graded})")
    grader = GRADERS[group]
    for column in grader.needs:
        needed_value(row, column)
    try:
        if answer and len(answer) > MAX_REPLY:
            raise UnreadableAnswer(TOO_LONG)
        reply_answer = grader.read(answer or "", row)
    except UnreadableAnswer as reason:
        return Score(0.0, UNPARSED, str(reason), dict.fromkeys(grader.parts, 0.0))
    return replace(grader.check(reply_answer, row), answer=NO_PLAN if reply_answer is None else reply_answer)
