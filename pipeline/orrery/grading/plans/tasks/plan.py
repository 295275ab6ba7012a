"""Tasks whose answer is any plan for the problem of the row."""

from __future__ import annotations

from ...grader import Grader
from ...row import Row
from ...score import Score, score_of
from ..plan_reply import NEEDS, Plan, problem_of, read_plan
from ..simulation import fault_in

TASKS = ("generation", "reuse", "replanning", "reformulation", "generalization")


def check_plan(plan: Plan, row: Row) -> Score:
    """Return the verdict on a plan: right iff it is executable and reaches the goal."""
    if plan is None:
        return score_of(False, "there is a plan")
    fault = fault_in(problem_of(row), plan)
    return score_of(not fault, fault)


GRADERS = {f"plan_{task}": Grader(read_plan, check_plan, needs=NEEDS) for task in TASKS}
