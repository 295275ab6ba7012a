"""Whether a plan exists (``solvability``): the answer is a plan, or none. An empty block means none."""

from __future__ import annotations

from ...grader import Grader
from ...row import Row, value
from ...score import Score, score_of
from ..plan_reply import NEEDS, Plan, problem_of, read_plan
from ..simulation import fault_in


def _check(plan: Plan, row: Row) -> Score:
    """Return the verdict: right iff a valid plan is given for a solvable problem, or none otherwise."""
    solvable = bool(value(row, "solvable"))
    if not plan:
        return score_of(not solvable, "there is a plan")
    fault = fault_in(problem_of(row), plan)
    return score_of(not fault, fault if solvable else f"there is no plan; {fault}")


GRADERS = {"plan_solvability": Grader(read_plan, _check, needs=NEEDS)}
