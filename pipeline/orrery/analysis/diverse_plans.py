"""Find a second plan that avoids some fact which the known plan makes true."""

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
    """Return a plan that avoids a random avoidable fact which the known plan makes true.

    If no fact is avoidable, return a plan with other steps; None if there is none or none was found. Spend at
    most ``max_states`` states and ``seconds`` a planner call, ``ATTEMPTS`` times.
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
    """Return the facts that the plan makes true and some plan does not, sorted."""
    made = union(run(task, decided.plan.steps) or []) if decided.plan else 0
    return sorted(fact for fact in decided.not_landmarks if task.bit.get(fact, 0) & made)


def _avoiding(task: PlanningTask, fact: Atom, max_states: int, seconds: float) -> Plan | None:
    """Search for a plan that never makes ``fact`` true: exhaustively first, then with a planner."""
    steps = Explorer(task).explore(forbidden=task.bit[fact], limit=max_states).optimal_plan()
    if steps is not None:
        return Plan(tuple(steps), PLANNER)
    return solve(task, forbidden=fact, seconds=seconds).plan
