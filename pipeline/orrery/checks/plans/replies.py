"""Replies that give what a row stores, and what the grader makes of them."""

from __future__ import annotations

from orrery.checks.execution import is_plan
from orrery.checks.plans.plan_row import PlanRow, Row
from orrery.grading import grade

NONE = "ANSWER: none"


def plan_reply(row: Row) -> str:
    """Return the reply that gives the stored plan."""
    return "\n".join(["[PLAN]", *row["plan"], "[PLAN END]"])


def check(plan_row: PlanRow, reply: str) -> list[str]:
    """Return where the grader does not find ``reply`` right, or a plan without its end not wrong."""
    row = plan_row.row
    score = grade(reply, row)
    faults = [] if score.value == 1 else [f"the gold reply is graded {score.verdict}: {score.detail}"]
    if row.get("plan"):
        shorter = {**row, "plan": row["plan"][:-1]}
        if is_plan(plan_row.domain, plan_row.problem, plan_row.steps("plan")[:-1]):
            faults.append("the plan goes on where the goal holds")
        elif grade(plan_reply(shorter), row).value:
            faults.append("the plan without its last step is graded right")
    return faults
