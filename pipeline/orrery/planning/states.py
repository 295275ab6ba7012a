"""The states of a problem for questions: along two plans and on random walks.

The second plan avoids some fact that the first makes true.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from orrery.model import Atom, Plan, State, Step
from orrery.planning.decided import DecidedState
from orrery.planning.exhaustive import explore
from orrery.planning.fast_downward import SOONEST, solve
from orrery.planning.outcome import EXHAUSTIVE
from orrery.planning.task import PlanningTask, applicable, progress, run, union

LONGEST_WALK = 12
DIVERSE_ATTEMPTS = 2


@dataclass(frozen=True)
class AskedState:
    """A state, its source (initial, plan, diverse or walk) and the number of steps before it.

    ``rest`` is the remaining part of its plan.
    """

    source: str
    step: int
    state: State
    rest: tuple[Step, ...] | None = None


def asked_states(
    task: PlanningTask, plan: Plan | None, diverse: Plan | None, count: int, rng: Random
) -> Iterator[AskedState]:
    """Yield up to ``count`` different states except the initial one, in turn along the plans and on walks.

    ``diverse`` is a plan that differs from ``plan`` (see ``diverse_plan``); a random walk replaces a
    missing plan. None of the states is a goal state, and no two have the same source and step.
    """
    used: set[int | tuple[str, int]] = {task.init}
    for number in range(count):
        source, trajectory = (("plan", plan), ("diverse", diverse), ("walk", None))[number % 3]
        steps = trajectory.steps if trajectory else _walk(task, rng)
        masks = run(task, steps) or [task.init]
        source = source if trajectory else "walk"
        fresh = [
            step
            for step, mask in enumerate(masks)
            if not {mask, (source, step)} & used and not task.is_goal(mask)
        ]
        if fresh:
            step = rng.choice(fresh)
            used |= {masks[step], (source, step)}
            remaining_steps = steps[step:] if trajectory else None
            yield AskedState(source, step, task.state(masks[step]), remaining_steps)


def _walk(task: PlanningTask, rng: Random) -> tuple[Step, ...]:
    """Return a random walk of at most ``LONGEST_WALK`` steps."""
    mask, steps = task.init, list[Step]()
    for _ in range(rng.randint(1, LONGEST_WALK)):
        if choices := applicable(task, mask):
            action = rng.choice(choices)
            mask = progress(mask, action)
            steps.append(action.step)
    return tuple(steps)


def diverse_plan(
    task: PlanningTask, decided: DecidedState, rng: Random, *, max_states: int, seconds: float
) -> Plan | None:
    """Return a plan that avoids a random avoidable fact which the plan of ``decided`` makes true.

    If no fact is avoidable, return a plan with other steps; None if no such plan was found. At most
    ``max_states`` states and ``seconds`` per planner call are used, ``DIVERSE_ATTEMPTS`` times.
    """
    if decided.plan is None or not decided.plan.steps:
        return None
    avoidable = _avoidable(task, decided)
    for fact in rng.sample(avoidable, min(DIVERSE_ATTEMPTS, len(avoidable))):
        plan = _plan_avoiding(task, fact, max_states, seconds)
        if plan is not None:
            return plan
    plan = solve(task, seconds=seconds).plan
    return plan if plan is not None and plan.steps != decided.plan.steps else None


def _avoidable(task: PlanningTask, decided: DecidedState) -> list[Atom]:
    """Return the facts that the plan makes true but some other plan does not, sorted."""
    facts = union(run(task, decided.plan.steps) or []) if decided.plan else 0
    return sorted(fact for fact in decided.not_landmarks if task.bit.get(fact, 0) & facts)


def _plan_avoiding(task: PlanningTask, fact: Atom, max_states: int, seconds: float) -> Plan | None:
    """Search for a plan that never makes ``fact`` true: exhaustively first, then with a planner."""
    actions = tuple(action for action in task.actions if not action.add & task.bit[fact])
    steps = explore(replace(task, actions=actions), limit=max_states).optimal_plan()
    if steps is not None:
        return Plan(tuple(steps), EXHAUSTIVE)
    return solve(task, planner=SOONEST, forbidden=fact, seconds=seconds).plan
