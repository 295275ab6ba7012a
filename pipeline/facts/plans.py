"""A validated plan for a problem: from the domain's own planner, or from Fast Downward."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.model import OrreryError, Plan, Problem, Step
from pipeline.planners.fast_downward import solve
from pipeline.planners.outcome import Answer, Outcome
from pipeline.semantics.progression import is_plan
from pipeline.semantics.task import Task

DOMAIN_PLANNER = "domain"


def find_plan(
    task: Task, planner: Callable[[Problem], list[Step] | None] | None, *, seconds: float = 30.0
) -> Answer:
    """A plan that progression on the ground task accepts, or the reason why there is none.

    ``planner`` is the domain's own planner; what it does not solve goes to Fast Downward.

    Raises:
        OrreryError: the domain's planner returned a plan that is not valid.
    """
    steps = planner(task.problem) if planner else None
    if steps is None:
        return solve(task, seconds=seconds)
    if not is_plan(task, steps):
        name = task.problem.name
        raise OrreryError(
            f"generators/{task.domain.name}.py: plan",
            f"returned an invalid plan for problem '{name}'",
            "every plan must lead from the initial state to the goal",
        )
    return Answer(Outcome.SOLVED, Plan(tuple(steps), DOMAIN_PLANNER), "")
