"""Check a plan from a state to a goal."""

from __future__ import annotations

from orrery.checks.plans import stored_plan
from orrery.checks.plans.plan_row import PlanRow
from orrery.checks.plans.stored_plan import plan_reply
from orrery.checks.task_check import TaskCheck
from orrery.checks.verdicts import differing


def _faults(view: PlanRow) -> list[str]:
    row = view.row
    return stored_plan.check(view) + differing({"plan_optimal": len(row["plan"]) == row["h_star"]}, row)


CHECK = TaskCheck(("plan", "plan_length", "plan_optimal"), _faults, plan_reply)
