"""Tasks whose answer is a plan: any plan, a cheapest one (``optimal``), or one if any is (``solvability``).

In ``optimal``, ``cost_ratio`` is the minimum cost divided by the cost of the reply. In ``solvability``, an
empty block means that there is no plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Protocol, TypeAlias

from ...row import Row, costs_of, value
from ...score import Grader, Score, UnreadableAnswer, score_of
from ...symbols import problem_of
from ..markup import marked_text
from ..plan_reply import EMPTY, NEEDS, Plan, Step, read_plan
from ..simulation import fault_in

TASKS = ("generation", "reuse", "replanning", "reformulation", "generalization")

# Returns why the plan of a reply to a row is not one; empty if it is one.
FaultOf: TypeAlias = Callable[[Row, list[Step]], str]


def _fault_of(row: Row, plan: list[Step]) -> str:
    return fault_in(problem_of(row), plan)


class PlanCheck(Protocol):
    """Returns the verdict on the plan of a reply; ``fault_of`` may be a function that executes more PDDL."""

    def __call__(self, plan: Plan, row: Row, fault_of: FaultOf = _fault_of) -> Score:
        """Return the verdict."""


def _check(plan: Plan, row: Row, fault_of: FaultOf = _fault_of) -> Score:
    """Return the verdict on a plan: right iff it is executable and reaches the goal."""
    if plan is None:
        return score_of(False, "there is a plan")
    fault = fault_of(row, plan)
    return score_of(not fault, fault)


def _check_cost(plan: Plan, row: Row, fault_of: FaultOf = _fault_of) -> Score:
    """Return the verdict: right iff the plan is valid and has the minimum cost."""
    least = int(value(row, "cost"))
    score = _check(plan, row, fault_of)
    if plan is None or not score.value:
        return Score(0.0, score.verdict, score.detail, {"cost_ratio": 0.0})
    cost = sum(map(costs_of(row), [step for step, _ in plan]))
    ratio = 1.0 if cost <= least else least / cost
    return score_of(cost <= least, f"it costs {cost}; {least} is enough", {"cost_ratio": ratio})


def _read_solvability(reply: str, row: Row) -> Plan:
    """Return the plan of a reply; None if it says that there is no plan, or has an empty block of steps.

    Raises:
        UnreadableAnswer: see ``read_plan``; or the reply is only an empty list.
    """
    plan = read_plan(reply, row)
    text = marked_text(reply).text.strip(" \n.")
    if plan == [] and text in EMPTY:
        raise UnreadableAnswer("an empty list is neither a plan nor 'none'")
    return plan if plan or text else None


def _check_solvability(plan: Plan, row: Row, fault_of: FaultOf = _fault_of) -> Score:
    """Return the verdict: right iff a valid plan is given for a solvable problem, or none otherwise."""
    solvable = bool(value(row, "solvable"))
    if plan is None:
        return score_of(not solvable, "there is a plan")
    fault = fault_of(row, plan)
    return score_of(not fault, fault if solvable else f"there is no plan; {fault}")


CHECKS: Mapping[str, PlanCheck] = MappingProxyType(
    {
        **{f"plan_{task}": _check for task in TASKS},
        "plan_optimal": _check_cost,
        "plan_solvability": _check_solvability,
    }
)
GRADERS = {
    **{group: Grader(read_plan, check, needs=NEEDS) for group, check in CHECKS.items()},
    "plan_optimal": Grader(read_plan, _check_cost, ("cost_ratio",), (*NEEDS, "cost", "action_costs")),
    "plan_solvability": Grader(_read_solvability, _check_solvability, needs=NEEDS),
}
