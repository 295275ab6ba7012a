"""Plan, optimal cost, landmarks and unreachable facts and actions of one problem, by what suffices."""

from __future__ import annotations

from orrery.analysis.by_exhaustion import decide_by_sweep
from orrery.analysis.by_planner import decide_by_planner
from orrery.analysis.decided import DecidedState
from orrery.model import OrreryError, Plan
from orrery.planners.exhaustive import sweep
from orrery.semantics.task import PlanningTask

WORK = 10_000_000  # some two seconds


def decide(
    task: PlanningTask,
    *,
    plan: Plan | None = None,
    max_states: int = 200_000,
    calls: int = 200,
    seconds: float = 30.0,
    work: int = WORK,
) -> DecidedState:
    """Everything that is proven about the initial state of ``task``.

    A sweep of at most ``max_states`` states decides all where it completes; otherwise sweeps up to
    symmetry, guided searches of ``work`` (see ``planners.guided``) and at most ``calls`` planner calls of
    ``seconds`` each decide what they can. ``plan`` may hand in a valid plan that is known already.

    Raises:
        OrreryError: ``plan`` is one for a task proven unsolvable, or shorter than the shortest.
    """
    space = sweep(task, limit=max_states)
    if space.complete:
        found = decide_by_sweep(task, space)
    else:
        found = decide_by_planner(space, plan, calls=calls, seconds=seconds, work=work)
    if plan is not None:
        _refuse_contradiction(task, plan, found)
    return found


def _refuse_contradiction(task: PlanningTask, plan: Plan, found: DecidedState) -> None:
    """Raise where ``plan``, which is valid, cannot be if what was found is true."""
    if found.solvable is False or len(plan.steps) < (found.optimal_cost or 0):
        best = found.plan
        said = f"{len(best.steps)} steps long by {best.planner}" if best else "unsolvable"
        raise OrreryError(
            f"problem '{task.problem.name}' of {task.domain.name}",
            f"called {said}, though {plan.planner} found a plan of {len(plan.steps)} steps",
            "a bug in one of them: please report the problem",
        )
