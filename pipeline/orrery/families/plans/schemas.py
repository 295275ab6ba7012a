"""The plan tables, ``plan_<task>``: the columns that all share, and those of each task."""

from __future__ import annotations

from collections.abc import Mapping

from orrery.families.plans.columns import COMMON
from orrery.families.plans.tasks import plan_tasks
from orrery.store.kinds import Schema, table

PLANS: Mapping[str, Schema] = {
    name: table(task.table_of(), task.subject, *COMMON, *task.columns) for name, task in plan_tasks().items()
}
