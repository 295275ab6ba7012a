"""Ask for a new plan after an event that interrupts a plan by changing facts.

The event leads to a state that the task can reach, so that all invariants of the domain hold.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from orrery.families.drafts import Draft, Drafts, Rejected
from orrery.families.plans.long_plans import plan_of, some_part_solves, walk_after
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
from orrery.families.plans.space import Distances, Space
from orrery.model import Literal, Step
from orrery.pddl.write import write_atom
from orrery.planning.task import PlanningTask, applicable, is_applicable, progress, run
from orrery.store.kinds import INT, STRINGS, column

TRIES, ROWS = 10, 2
CHANGES = 6  # maximum number of literals that an event changes
NEAR = 3  # maximum number of actions between the state on the plan and the one after the event
NEAR_LONG = 2  # the same where states are not enumerated
SHOWN = 2  # minimum number of steps
UNDONE = 0.3  # share kept of the events that one action undoes


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield events after which the old plan fails but another plan exists."""
    if source.is_long:
        yield from _draw_long(source, rng)
        return
    space, distances = searched(source, SHOWN, "shown_plan_too_short")
    old_plan = space.shortest(0, distances, rng)
    states = space.along(0, old_plan) or [0]
    count, drawn = 0, set[tuple[int, int]]()
    for _ in range(TRIES):
        step = rng.randint(1, len(old_plan) - 1)
        state = states[step]
        walked = space.walk(state, rng.randint(1, NEAR), rng)
        after = walked[-1][1] if walked else state
        rule = _broken_rule(space, distances, old_plan, states[step], after)
        if not rule and (step, after) in drawn:
            rule = "as_before"
        if not rule and _is_undone(space, after, states[step]) and rng.random() > UNDONE:
            rule = "one_step_back"
        if rule:
            yield Rejected(rule)
            continue
        drawn.add((step, after))
        plan, masks = space.shortest(after, distances, rng), (space.mask(states[step]), space.mask(after))
        yield _draft(source, old_plan, step, masks, plan, len(plan), count, rng)
        count += 1
        if count == ROWS:
            return


def _draw_long(source: Source, rng: random.Random) -> Drafts:
    """Yield events of one or two steps in the first quarter of a long plan."""
    task, old_plan = source.task, list(source.plan or ())
    states = run(task, old_plan)
    if states is None or len(old_plan) < SHOWN:
        raise Rejected("no_plan_known")
    number = 0
    for _ in range(TRIES):
        step = rng.randint(1, max(1, len(old_plan) // 4))
        before = states[step]
        walked = walk_after(task, old_plan[:step], rng.randint(1, NEAR_LONG), rng)
        after = (run(task, walked, before) or [before])[-1]
        if rule := _broken_rule_of_long(task, old_plan, before, after):
            yield Rejected(rule)
            continue
        undone = any(progress(after, action) == before for action in applicable(task, after))
        if undone and rng.random() > UNDONE:
            yield Rejected("one_step_back")
            continue
        plan = plan_of(source, replace(source.problem, init=task.state(after)))
        if plan is None or len(plan) < SHOWN:
            yield Rejected("no_plan_left" if plan is None else "one_step")
            continue
        yield _draft(source, old_plan, step, (before, after), plan, None, number, rng)
        number += 1
        if number == ROWS:
            return


def _broken_rule_of_long(task: PlanningTask, old_plan: Sequence[Step], before: int, after: int) -> str:
    if not 0 < (before ^ after).bit_count() <= CHANGES:
        return "nothing_changes" if before == after else "too_much_changes"
    if task.is_goal(after):
        return "goal_holds"
    return _still_works(task, after, old_plan)


def _broken_rule(
    space: Space, distances: Distances, old_plan: Sequence[Step], before: int, after: int
) -> str:
    changed = (space.mask(before) ^ space.mask(after)).bit_count()
    if not changed or changed > CHANGES:
        return "nothing_changes" if not changed else "too_much_changes"
    if distances[after] < 0:
        return "no_plan_left"
    if distances[after] < 2:
        return "goal_holds" if distances[after] == 0 else "one_step"
    if is_guessed(space, after, distances == 0, int(distances[after])):
        return "random_walk_solves"
    mask = space.mask(after)
    return _still_works(space.task, mask, old_plan)


def _still_works(task: PlanningTask, mask: int, old_plan: Sequence[Step]) -> str:
    if some_part_solves(task, mask, old_plan):
        return "rest_works"
    return "what_is_possible_works" if _skipping_solves(task, mask, old_plan) else ""


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


def _is_undone(space: Space, after: int, before: int) -> bool:
    """Return whether one action leads back to the state before the event."""
    return any(state == before for _, state in space.steps_from(after))


def _draft(
    source: Source, old_plan: Sequence[Step], step: int, masks: tuple[int, int], plan: Sequence[Step],
    h_star: int | None, number: int, rng: random.Random,
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
        judged=judged, shown=source.problem, h_star=h_star, suffix=str(number),
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
