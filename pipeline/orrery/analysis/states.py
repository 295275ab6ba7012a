"""The states of a problem that questions are asked about: along two plans of it and on random walks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from orrery.model import Plan, State, Step
from orrery.semantics.progression import applicable, progress, run
from orrery.semantics.task import PlanningTask

LONGEST_WALK = 12


@dataclass(frozen=True)
class AskedState:
    """A state, its source (initial, plan, diverse or walk) and the number of steps before it.

    ``rest`` is what is left of the plan on which it lies.
    """

    source: str
    step: int
    state: State
    rest: tuple[Step, ...] | None = None


def asked_states(
    task: PlanningTask, plan: Plan | None, diverse: Plan | None, count: int, rng: Random
) -> Iterator[AskedState]:
    """Yield up to ``count`` different states besides the initial one, in turn along the plans and on walks.

    ``diverse`` is a plan that differs from ``plan`` (see ``diverse_plans``); a random walk replaces a
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
