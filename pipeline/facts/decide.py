"""Plan, optimal cost, landmarks and unreachable facts and actions of one problem, by what suffices."""

from __future__ import annotations

from pipeline.facts.by_planner import decide_by_planner
from pipeline.facts.by_sweep import decide_by_sweep
from pipeline.facts.decided import Decided
from pipeline.model import Plan
from pipeline.planners.exhaustive import sweep
from pipeline.semantics.task import Task


def decide(
    task: Task,
    *,
    plan: Plan | None = None,
    max_states: int = 200_000,
    calls: int = 200,
    seconds: float = 30.0,
) -> Decided:
    """Everything that is proven about the initial state of ``task``.

    A sweep of at most ``max_states`` states decides all where it completes; otherwise at most
    ``calls`` planner calls of ``seconds`` each decide what they can. ``plan`` may hand in a valid
    plan that is known already.
    """
    space = sweep(task, limit=max_states)
    if space.complete:
        return decide_by_sweep(task, space)
    return decide_by_planner(task, space, plan, calls=calls, seconds=seconds)
