"""Is there a plan (``solvability``): a plan, or none; an empty block says none too."""

from __future__ import annotations

from ...grader import Grader
from ...row import Row, value
from ...score import Score, score_of
from ..plan_reply import NEEDS, Plan, problem_of, read_plan
from ..simulation import fault_in


def _check(plan: Plan, row: Row) -> Score:
    """Return the verdict: a plan where there is one, none where there is none."""
    solvable = bool(value(row, "solvable"))
    if not plan:
        return score_of(not solvable, "there is a plan")
    fault = fault_in(problem_of(row), plan)
    return score_of(not fault, fault if solvable else f"there is no plan; {fault}")


GRADERS = {"plan_solvability": Grader(read_plan, _check, needs=NEEDS)}
