"""Check the stored plan of a row (validity, length), and the grades of replies built from the row."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.checks.execution import execute, is_plan, plan_faults
from orrery.checks.plans.plan_row import PlanRow
from orrery.checks.verdicts import differing
from orrery.grading import grade
from orrery.model import Domain, Problem, Row, Step

NONE = "ANSWER: none"
FEWEST = 2  # minimum number of steps for a problem worth a question


def check(plan_row: PlanRow) -> list[str]:
    """Return the faults of the plan for the problem of the row, or of that problem."""
    row, steps = plan_row.row, plan_row.steps("plan")
    faults = plan_faults(plan_row.domain, plan_row.problem, steps)
    faults += differing({"plan_length": len(steps)}, row)
    if plan_row.problem.satisfied(plan_row.problem.init):
        faults.append("the goal holds at the start")
    elif len(steps) < FEWEST:
        faults.append("one step is enough")
    if row["h_star"] is not None and not FEWEST <= row["h_star"] <= len(steps):
        faults.append(f"h_star is {row['h_star']}, the plan has {len(steps)} steps")
    return faults


def plan_reply(row: Row) -> str:
    """Return the reply that gives the stored plan."""
    return "\n".join(["[PLAN]", *row["plan"], "[PLAN END]"])


def check_reply(plan_row: PlanRow, reply: str) -> list[str]:
    """Return a fault if the grader rejects ``reply``, or accepts a plan without its last step."""
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


def solving_part(domain: Domain, problem: Problem, steps: Sequence[Step]) -> Sequence[Step]:
    """Return the first consecutive steps that solve the problem; empty if there are none."""
    for start in range(len(steps)):
        for end, state in enumerate(execute(domain, problem, steps[start:]).states[1:], start + 1):
            if problem.satisfied(state):
                return steps[start:end]
    return ()
