"""Check a plan from a state to a goal."""

from __future__ import annotations

from orrery.checks.plans.plan_row import PlanRow, plan_reply, stored_plan_faults
from orrery.checks.task_check import TaskCheck
from orrery.checks.verdicts import differing


def _faults(view: PlanRow) -> list[str]:
    row = view.row
    return stored_plan_faults(view) + differing({"plan_optimal": len(row["plan"]) == row["h_star"]}, row)


CHECK = TaskCheck(("plan", "plan_length", "plan_optimal"), _faults, plan_reply)
