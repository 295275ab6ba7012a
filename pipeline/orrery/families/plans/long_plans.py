"""Plans and sequences on problems whose states are not enumerated."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from orrery.families.plans.source import Source
from orrery.model import Problem, Step
from orrery.planning.grounding import Grounder
from orrery.planning.plans import Solver
from orrery.planning.task import PlanningTask, applicable, is_applicable, progress, random_walk, run

SECONDS = 5.0  # limit of a planner call


def plan_of(source: Source, problem: Problem) -> tuple[Step, ...] | None:
    """Return a plan of another problem on the objects of the source; None if none was found in time.

    It is from the domain's planner, or from Fast Downward, without steps that change nothing.
    """
    solver = Solver(Grounder(source.record.domain), source.entry.planner, seconds=SECONDS)
    found = solver.find(problem).answer.plan
    if found is None:
        return None
    return tuple(action.step for action in source.with_problem(problem).without_idle_steps(found.steps))


def part_that_solves(
    task: PlanningTask, mask: int, steps: Sequence[Step], is_goal: Callable[[int], bool]
) -> tuple[int, int] | None:
    """Return start and end of the first part of steps that leads from the state ``mask`` to a goal state."""
    for start in range(len(steps)):
        state = mask
        for end, step in enumerate(steps[start:], start + 1):
            action = task.action_of.get(step)
            if action is None or not is_applicable(state, action):
                break
            state = progress(state, action)
            if is_goal(state):
                return start, end
    return None


def walk_after(task: PlanningTask, steps: Sequence[Step], length: int, rng: random.Random) -> list[Step]:
    """Return random steps from the state after ``steps``, which are applicable."""
    states = run(task, steps)
    assert states is not None
    return random_walk(replace(task, init=states[-1]), length, rng, onward=True)[0]


def reordered_plan(task: PlanningTask, plan: Sequence[Step], rng: random.Random) -> list[Step]:
    """Return the plan after random exchanges of adjacent steps that are applicable in both orders."""
    steps = list(plan)
    states = run(task, steps)
    assert states is not None
    for _ in steps[1:]:
        place = rng.randrange(len(steps) - 1)
        swapped = [steps[place + 1], steps[place]]
        other = run(task, swapped, states[place])
        if other is not None and other[-1] == states[place + 2] and len({*other}) == len(other):
            steps[place : place + 2], states[place + 1] = swapped, other[1]
    return steps


def with_detour(task: PlanningTask, plan: Sequence[Step], rng: random.Random) -> list[Step] | None:
    """Return the plan with two further steps, or two in place of one; None if none was found.

    Both steps change the state.
    """
    states = run(task, plan)
    assert states is not None
    place = rng.randrange(len(plan))
    before = states[place]
    away = [action for action in applicable(task, before) if progress(before, action) != before]
    rng.shuffle(away)
    for first in away[:4]:
        there = progress(before, first)
        ends = {before: place, states[place + 1]: place + 1}
        for second in applicable(task, there) if there not in ends else ():
            end = ends.get(progress(there, second))
            if end is not None:
                return [*plan[:place], first.step, second.step, *plan[end:]]
    return None
