"""Ask for a plan for another goal from the same state, which can reuse some steps of a shown plan."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from orrery.families.drafts import Draft, Drafts, Rejected
from orrery.families.plans.long_plans import part_that_solves, plan_of
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
from orrery.families.plans.source import Source, drawn_goal, is_guessed, searched
from orrery.families.plans.space import Distances, Space
from orrery.model import Literal, Step
from orrery.pddl.renaming import object_names
from orrery.pddl.write import write_atom
from orrery.store.kinds import REAL, column

TRIES, ROWS = 8, 2
MOST_EXCHANGES = 3
SHOWN = 3  # minimum number of steps


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield goals for which steps of the plan can be reused, but no part of it is a plan."""
    space, old_plan = source.space, source.plan or ()
    if not source.is_long:
        space, distances = searched(source, SHOWN, "shown_plan_too_short")
        old_plan = tuple(space.shortest(0, distances, rng))
    count, goals = 0, set[frozenset[Literal]]()
    for _ in range(TRIES if len(old_plan) >= SHOWN else 0):
        goal = _exchanged(source, rng) if space is None else drawn_goal(source, space, rng)
        if goal is None or goal == source.problem.goal:
            yield Rejected("goal_holds")
        elif goal not in goals:
            goals.add(goal)
            try:
                plan, share = _plan(source, old_plan, goal)
            except Rejected as rejected:
                yield Rejected(rejected.reason)  # a caught one keeps its frames
                continue
            yield _draft(source, old_plan, goal, plan, share, count, rng)
            count += 1
            if count == ROWS:
                return


def _draft(
    source: Source, old_plan: Sequence[Step], goal: frozenset[Literal], plan: Sequence[Step],
    share: float | None, number: int, rng: random.Random,
) -> Draft:  # fmt: skip
    """Return the row of a goal; a plan without the share of reusable steps may not be a shortest one."""
    columns = {
        "given_actions": [write_atom(step) for step in old_plan],
        "given_problem_pddl": source.record.problem_pddl,
        **planned(plan),
        "reusable": share,
    }
    row = plan_row(
        source, "reuse", rng, (old_plan, in_order(goal)), columns,
        judged=replace(source.problem, goal=goal), shown=source.problem,
        h_star=None if share is None else len(plan), suffix=str(number),
    )  # fmt: skip
    return Draft((row,))


def _exchanged(source: Source, rng: random.Random) -> frozenset[Literal]:
    """Return the goal after one to three exchanges of two objects of equal types and unary static facts."""
    goal, fluents = source.problem.goal, source.record.domain.fluents
    statics = (fact for fact in sorted(source.problem.init) if fact[0] not in fluents)
    marks = {fact[1:]: fact[0] for fact in statics if len(fact) == 2}
    kinds: dict[object, list[str]] = {}
    for typed in source.problem.objects:
        kinds.setdefault((typed.types, marks.get((typed.name,))), []).append(typed.name)
    named = {name for literal in goal for name in literal.atom[1:]}
    choices = [names for _, names in sorted(kinds.items(), key=str) if len(names) > 1 and named & {*names}]
    for _ in range(rng.randint(1, MOST_EXCHANGES) if choices else 0):
        first, second = rng.sample(rng.choice(choices), 2)
        goal = object_names({first: second, second: first}).literals(goal)
    return goal


def _plan(
    source: Source, old_plan: Sequence[Step], goal: frozenset[Literal]
) -> tuple[Sequence[Step], float | None]:
    """Return a plan for a goal, and its share of steps of the shown one.

    It is a shortest plan with the highest share; if the states are not enumerated, any plan without a share.

    Raises:
        Rejected: the plan is too easy to find.
    """
    space, task = source.space, source.task
    if space is None:
        judged = replace(source.problem, goal=goal)
        found = plan_of(source, judged)
        if found is None or len(found) < SHOWN:
            raise Rejected("no_plan_known" if found is None else "one_step")
        if part_that_solves(task, task.init, old_plan, source.with_problem(judged).task.is_goal):
            raise Rejected("shown_plan_solves")
        if not {*found} & {*old_plan}:
            raise Rejected("nothing_shared")
        return found, None
    goal_states = space.goal_states(goal)
    distances = space.distances(goal_states)
    if distances[0] < 2:
        raise Rejected("goal_holds" if distances[0] == 0 else "one_step")
    if part := part_that_solves(
        task, task.init, old_plan, lambda mask: bool(goal_states[space.found.index_of(mask)])
    ):
        start, end = part
        whole = "prefix_solves" if end < len(old_plan) else "shown_plan_solves"
        raise Rejected("suffix_solves" if start else whole)
    if is_guessed(space, 0, goal_states, int(distances[0])):
        raise Rejected("random_walk_solves")
    plan, shared = most_shared(space, distances, set(old_plan))
    if not shared:
        raise Rejected("nothing_shared")
    return plan, round(shared / len(plan), 4)


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
        column(
            "reusable",
            REAL,
            "Share of the steps of a shortest plan that the shown one has, at best; null where the shortest "
            "plans are not all known",
            nullable=True,
        ),
    ),
)
