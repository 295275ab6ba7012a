"""The stored plan of a row: valid, without steps that change nothing, and as long as it says."""

from __future__ import annotations

from orrery.checks.execution import plan_faults
from orrery.checks.plans.plan_row import PlanRow

FEWEST = 2  # steps of a problem that is worth asking about


def check(plan_row: PlanRow) -> list[str]:
    """Return what is wrong with the plan for the problem of the row, or with that problem."""
    row, steps = plan_row.row, plan_row.steps("plan")
    faults = plan_faults(plan_row.domain, plan_row.problem, steps)
    if row["plan_length"] != len(steps):
        faults.append(f"plan_length is {row['plan_length']}, should be {len(steps)}")
    if plan_row.problem.satisfied(plan_row.problem.init):
        faults.append("the goal holds at the start")
    elif len(steps) < FEWEST:
        faults.append("one step is enough")
    if row["h_star"] is not None and not FEWEST <= row["h_star"] <= len(steps):
        faults.append(f"h_star is {row['h_star']}, the plan has {len(steps)} steps")
    return faults
