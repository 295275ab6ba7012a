"""An optimal plan (``optimal``); ``cost_ratio`` is the minimum cost divided by the cost of the reply."""

from __future__ import annotations

from collections.abc import Mapping

from ...grader import Grader
from ...row import Row, structured_value, value
from ...score import Score, score_of
from ..plan_reply import NEEDS, Plan, read_plan
from .plan import check_plan


def _check(plan: Plan, row: Row) -> Score:
    """Return the verdict: right iff the plan is valid and has the minimum cost."""
    least = int(value(row, "cost"))
    costs: Mapping[str, int] = structured_value(row, "action_costs")
    score = check_plan(plan, row)
    if plan is None or not score.value:
        return Score(0.0, score.verdict, score.detail, {"cost_ratio": 0.0})
    object_costs: Mapping[str, int] = structured_value(row, "object_costs") or {}
    if lacking := sorted({step[0] for step, _ in plan} - costs.keys()):
        raise ValueError(f"action_costs lacks the action {lacking[0]!r}")
    cost = sum(costs[step[0]] + sum(object_costs.get(name, 0) for name in set(step[1:])) for step, _ in plan)
    ratio = 1.0 if cost <= least else least / cost
    return score_of(cost <= least, f"it costs {cost}; {least} is enough", {"cost_ratio": ratio})


GRADERS = {"plan_optimal": Grader(read_plan, _check, ("cost_ratio",), NEEDS)}
