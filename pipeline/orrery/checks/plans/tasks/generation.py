"""Check a plan from a state to a goal."""

from __future__ import annotations

from orrery.checks.plans import stored_plan
from orrery.checks.plans.plan_row import PlanRow
from orrery.checks.plans.stored_plan import plan_reply
from orrery.checks.task_check import TaskCheck


def _faults(view: PlanRow) -> list[str]:
    row = view.row
    shortest = row["h_star"] is not None and len(row["plan"]) == row["h_star"]
    faults = (
        [] if row["plan_optimal"] == shortest else [f"plan_optimal is {row['plan_optimal']}, is {shortest}"]
    )
    return stored_plan.check(view) + faults


CHECK = TaskCheck(("plan", "plan_length", "plan_optimal"), _faults, plan_reply)
