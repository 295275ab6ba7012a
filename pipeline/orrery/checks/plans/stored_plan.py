"""The stored plan of a row: valid, without steps that change nothing, and as long as it says."""

from __future__ import annotations

from orrery.checks.execution import plan_faults
from orrery.checks.plans.asked import Asked

FEWEST = 2  # steps of a problem that is worth asking about


def check(asked: Asked) -> list[str]:
    """Return what is wrong with the plan for the problem of the row, or with that problem."""
    row, steps = asked.row, asked.steps("plan")
    found = plan_faults(asked.domain, asked.problem, steps)
    if row["plan_length"] != len(steps):
        found.append(f"plan_length is {row['plan_length']}, should be {len(steps)}")
    if asked.problem.satisfied(asked.problem.init):
        found.append("the goal holds at the start")
    elif len(steps) < FEWEST:
        found.append("one step is enough")
    if row["h_star"] is not None and not FEWEST <= row["h_star"] <= len(steps):
        found.append(f"h_star is {row['h_star']}, the plan has {len(steps)} steps")
    return found
