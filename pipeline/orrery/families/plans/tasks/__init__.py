"""The tasks about plans, a module each, found by looking in this folder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from orrery.families.task import Task, tasks_in


@cache
def plan_tasks() -> Mapping[str, Task]:
    """Return the tasks by name, sorted."""
    return tasks_in(__name__, __path__)
