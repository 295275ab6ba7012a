"""The checks of the tasks about plans: one module each, found by listing this folder."""

from __future__ import annotations

from functools import cache

from orrery.checks.plans.plan_row import PlanRow
from orrery.checks.task_check import TaskChecks, checks_in


@cache
def task_checks() -> TaskChecks[PlanRow]:
    """Return the checks of all tasks."""
    return checks_in(__name__, __path__)
