"""The checks of the question kinds: one module each, found by listing this folder."""

from __future__ import annotations

from functools import cache

from orrery.checks.task_check import QuestionView, TaskChecks, checks_in


@cache
def kind_checks() -> TaskChecks[QuestionView]:
    """Return the checks of all kinds."""
    return checks_in(__name__, __path__)
