"""A plan unlike the one known: it does without something that the known plan brings about."""

from __future__ import annotations

from random import Random

from orrery.analysis.decided import DecidedState
from orrery.model import Atom, Plan
from orrery.planners.exhaustive import Explorer
from orrery.planners.exhaustive_python import PLANNER
from orrery.planners.fast_downward import solve
from orrery.semantics.progression import run
from orrery.semantics.task import PlanningTask, union

ATTEMPTS = 2


def diverse_plan(
    task: PlanningTask, decided: DecidedState, rng: Random, *, max_states: int, seconds: float
) -> Plan | None:
    """A plan that avoids a fact which the known plan makes true, drawn among those that can be avoided.

    Where none can be, a plan whose steps differ; None where there is no such plan, or none was found. At most
    ``max_states`` states and ``seconds`` a planner call, ``ATTEMPTS`` times, are spent on it.
    """
    if decided.plan is None or not decided.plan.steps:
        return None
    avoidable = _avoidable(task, decided)
    for fact in rng.sample(avoidable, min(ATTEMPTS, len(avoidable))):
        found = _avoiding(task, fact, max_states, seconds)
        if found is not None:
            return found
    other = solve(task, seconds=seconds).plan
    return other if other is not None and other.steps != decided.plan.steps else None


def _avoidable(task: PlanningTask, decided: DecidedState) -> list[Atom]:
    """The facts that the plan makes true and some plan does not, sorted."""
    made = union(run(task, decided.plan.steps) or []) if decided.plan else 0
    return sorted(fact for fact in decided.not_landmarks if task.bit.get(fact, 0) & made)


def _avoiding(task: PlanningTask, fact: Atom, max_states: int, seconds: float) -> Plan | None:
    """A plan that never makes ``fact`` true: the first that an exhaustive search meets, or a planner's."""
    steps = Explorer(task).explore(forbidden=task.bit[fact], limit=max_states).optimal_plan()
    if steps is not None:
        return Plan(tuple(steps), PLANNER)
    return solve(task, forbidden=fact, seconds=seconds).plan
