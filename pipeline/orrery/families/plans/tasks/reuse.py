"""Ask for a plan for another goal from the same state, which can reuse some steps of a shown plan."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from orrery.families.drafts import Draft, Drafts, Rejected
from orrery.families.plans.plan_task import (
    LENGTH,
    PLAN,
    SHOWN_PROBLEM,
    SHOWN_STEPS,
    in_order,
    plan_row,
    plan_task,
    planned,
)
from orrery.families.plans.source import Source, drawn_goal, is_guessed
from orrery.families.plans.space import Chosen, Distances, Space
from orrery.model import Literal, Step
from orrery.pddl.write import write_atom
from orrery.store.kinds import REAL, column

TRIES, ROWS = 8, 2
SHOWN = 3  # minimum number of steps


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield goals for which steps of the plan can be reused, but no part of it is a plan."""
    space, distances = source.space, source.distances
    if space is None or distances is None:
        yield Rejected("too_many_states")
        return
    if distances[0] < SHOWN:
        yield Rejected("shown_plan_too_short" if distances[0] >= 0 else "no_plan_known")
        return
    old_plan = space.shortest(0, distances, rng)
    count, goals = 0, set[frozenset[Literal]]()
    for _ in range(TRIES):
        goal = drawn_goal(source, space, rng)
        if goal is None or goal == source.problem.goal:
            yield Rejected("goal_holds")
            continue
        if goal in goals:
            continue
        goals.add(goal)
        reuse = _plan(space, old_plan, goal)
        if isinstance(reuse, Rejected):
            yield reuse
            continue
        plan, share = reuse
        columns = {
            "given_actions": [write_atom(step) for step in old_plan],
            "given_problem_pddl": source.record.problem_pddl,
            **planned(plan),
            "reusable": share,
        }
        judged = replace(source.problem, goal=goal)
        row = plan_row(
            source, "reuse", rng, (old_plan, in_order(goal)), columns,
            judged=judged, shown=source.problem, h_star=len(plan), suffix=str(count),
        )  # fmt: skip
        count += 1
        yield Draft((row,))
        if count == ROWS:
            return


def _plan(
    space: Space, old_plan: Sequence[Step], goal: frozenset[Literal]
) -> tuple[list[Step], float] | Rejected:
    """Return a shortest plan for a goal that shares most steps with the shown one, and the share."""
    goal_states = space.goal_states(goal)
    distances = space.distances(goal_states)
    if distances[0] < 2:
        return Rejected("goal_holds" if distances[0] == 0 else "one_step")
    if rule := _solved_by_part(space, old_plan, goal_states):
        return Rejected(rule)
    if is_guessed(space, 0, goal_states, int(distances[0])):
        return Rejected("random_walk_solves")
    plan, shared = most_shared(space, distances, set(old_plan))
    if not shared:
        return Rejected("nothing_shared")
    return plan, round(shared / len(plan), 4)


def _solved_by_part(space: Space, old_plan: Sequence[Step], goal_states: Chosen) -> str:
    """Return the rule that is violated because a part of the shown plan reaches the goal, or ""."""
    for start in range(len(old_plan)):
        state, parts = 0, old_plan[start:]
        for place, step in enumerate(parts, 1):
            after = space.along(state, [step])
            if after is None:
                break
            state = after[-1]
            if goal_states[state]:
                if start:
                    return "suffix_solves"
                return "prefix_solves" if place < len(parts) else "shown_plan_solves"
    return ""


def most_shared(space: Space, distances: Distances, steps: set[Step]) -> tuple[list[Step], int]:
    """Return a shortest plan from the first state with the most steps in ``steps``, and their number."""
    best: dict[int, tuple[int, int, int]] = {}
    order, visited = [0], {0}
    for state in order:  # breadth first along shortest plans: later states are nearer to the goal
        for _, after in space.steps_from(state) if distances[state] > 0 else ():
            if distances[after] == distances[state] - 1 and after not in visited:
                visited.add(after)
                order.append(after)
    for state in reversed(order):
        best[state] = (0, -1, -1)
        if distances[state] == 0:
            continue
        best[state] = max(
            (best[after][0] + (space.task.actions[action].step in steps), -action, after)
            for action, after in space.steps_from(state)
            if distances[after] == distances[state] - 1
        )
    plan, state = list[Step](), 0
    while distances[state] > 0:
        _, action, after = best[state]
        plan.append(space.task.actions[-action].step)
        state = after
    return plan, best[0][0]


TASK = plan_task(
    name="reuse",
    subject="A plan is shown; one for another goal from the same state is wanted",
    draw=_draw,
    columns=(
        SHOWN_STEPS,
        SHOWN_PROBLEM,
        PLAN,
        LENGTH,
        column("reusable", REAL, "Share of the steps of a shortest plan that the shown one has, at best"),
    ),
)
