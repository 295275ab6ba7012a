"""Ask for a new plan after an event that interrupts a plan by changing facts.

The event leads to a state that the task can reach, so that all invariants of the domain hold.
"""

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
    written_literals,
)
from orrery.families.plans.source import Source, is_guessed, searched
from orrery.model import Literal, Step
from orrery.pddl.write import write_atom
from orrery.planning.task import PlanningTask, applicable, is_applicable, progress, random_walk, run
from orrery.store.kinds import INT, STRINGS, column

TRIES, ROWS = 10, 2
CHANGES = 6  # maximum number of literals that an event changes
NEAR = 3  # maximum number of actions between the state on the plan and the one after the event
NEAR_LONG = 2  # the same where states are not enumerated
SHOWN = 2  # minimum number of steps
UNDONE = 0.3  # share kept of the events that one action undoes


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield events after which the old plan fails but another plan exists; early ones in a long plan."""
    if source.is_long:
        old_plan, near = list(source.plan or ()), NEAR_LONG
        latest = max(1, len(old_plan) // 4)
    else:
        space, distances = searched(source, SHOWN, "shown_plan_too_short")
        old_plan, near = space.shortest(0, distances, rng), NEAR
        latest = len(old_plan) - 1
    states = run(source.task, old_plan)
    if states is None or len(old_plan) < SHOWN:
        raise Rejected("no_plan_known")
    number, events = 0, set[tuple[int, int]]()
    for _ in range(TRIES):
        step = rng.randint(1, latest)
        before = replace(source.task, init=states[step])
        _, after = random_walk(before, rng.randint(1, near), rng, onward=True)
        rule = _broken_rule(source, old_plan, before.init, after)
        if not rule and (step, after) in events:
            rule = "as_before"
        if not rule and _is_undone(source.task, after, before.init) and rng.random() > UNDONE:
            rule = "one_step_back"
        plan = None if rule else _plan_after(source, after, rng)
        if plan is None or len(plan) < SHOWN:
            yield Rejected(rule or ("no_plan_left" if plan is None else "one_step"))
            continue
        events.add((step, after))
        yield _draft(source, old_plan, step, (before.init, after), plan, number, rng)
        number += 1
        if number == ROWS:
            return


def _broken_rule(source: Source, old_plan: Sequence[Step], before: int, after: int) -> str:
    """Return the rule that an event breaks, given the states before and after it; empty if none."""
    task, space, distances = source.task, source.space, source.distances
    if not 0 < (before ^ after).bit_count() <= CHANGES:
        return "nothing_changes" if before == after else "too_much_changes"
    if task.is_goal(after):
        return "goal_holds"
    if space is not None and distances is not None:
        state = space.found.index_of(after)
        if distances[state] < 2:
            return "no_plan_left" if distances[state] < 0 else "one_step"
        if is_guessed(space, state, distances == 0, int(distances[state])):
            return "random_walk_solves"
    if part_that_solves(task, after, old_plan, task.is_goal):
        return "rest_works"
    return "what_is_possible_works" if _skipping_solves(task, after, old_plan) else ""


def _plan_after(source: Source, after: int, rng: random.Random) -> Sequence[Step] | None:
    """Return a plan from the state after an event, a shortest one if the states are enumerated."""
    space, distances = source.space, source.distances
    if space is None or distances is None:
        return plan_of(source, replace(source.problem, init=source.task.state(after)))
    return space.shortest(space.found.index_of(after), distances, rng)


def _skipping_solves(task: PlanningTask, mask: int, old_plan: Sequence[Step]) -> bool:
    """Return whether a suffix of the old plan, without its inapplicable steps, reaches the goal."""
    for start in range(len(old_plan)):
        state = mask
        for step in old_plan[start:]:
            action = task.action_of[step]
            state = progress(state, action) if is_applicable(state, action) else state
        if task.is_goal(state):
            return True
    return False


def _is_undone(task: PlanningTask, after: int, before: int) -> bool:
    """Return whether one action leads back to the state before the event."""
    return any(progress(after, action) == before for action in applicable(task, after))


def _draft(
    source: Source, old_plan: Sequence[Step], step: int, masks: tuple[int, int], plan: Sequence[Step],
    number: int, rng: random.Random,
) -> Draft:  # fmt: skip
    """Return the row of an event, given the states before and after it, and a plan for the latter."""
    was, now = map(source.task.facts_of, masks)
    event = in_order([*(Literal(fact) for fact in now - was), *(Literal(fact, False) for fact in was - now)])
    columns = {
        "given_actions": [write_atom(old_step) for old_step in old_plan],
        "given_problem_pddl": source.record.problem_pddl,
        "event_step": step,
        "event": written_literals(event),
        **planned(plan),
    }
    judged = replace(source.problem, init=source.task.state(masks[1]))
    row = plan_row(
        source, "replanning", rng, (old_plan, step, event), columns,
        judged=judged, shown=source.problem, h_star=None if source.is_long else len(plan), suffix=str(number),
    )  # fmt: skip
    return Draft((row,))


TASK = plan_task(
    name="replanning",
    subject="A plan is interrupted by an event that changes facts; a plan from there on is wanted",
    draw=_draw,
    columns=(
        SHOWN_STEPS,
        SHOWN_PROBLEM,
        column("event_step", INT, "The step after which the event comes, counted from 1"),
        column("event", STRINGS, "The literals that the event makes true, sorted"),
        PLAN,
        LENGTH,
    ),
)
