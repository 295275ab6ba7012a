"""The tasks about plans: one module each, found by listing this folder; and the columns of their tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from orrery.families.plans.plan_task import COMMON
from orrery.families.task import Task, tasks_in
from orrery.store.kinds import table


@cache
def plan_tasks() -> Mapping[str, Task]:
    """Return the tasks by name, sorted."""
    return tasks_in(__name__, __path__)


PLANS = {
    name: table(task.table_of(), task.subject, *COMMON, *task.columns) for name, task in plan_tasks().items()
}
