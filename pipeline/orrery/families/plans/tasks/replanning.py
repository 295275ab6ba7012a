"""Ask for a new plan after an event that interrupts a plan by changing facts.

The event leads to a state that the task can reach, so that all invariants of the domain hold.
"""

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
    written_literals,
)
from orrery.families.plans.source import Source, is_guessed
from orrery.families.plans.space import Distances, Space
from orrery.model import Literal, Step
from orrery.pddl.write import write_atom
from orrery.planning.task import is_applicable, is_plan, progress
from orrery.store.kinds import INT, STRINGS, column

TRIES, ROWS = 10, 2
CHANGES = 6  # maximum number of literals that an event changes
NEAR = 3  # maximum number of actions between the state on the plan and the one after the event
SHOWN = 2  # minimum number of steps
UNDONE = 0.3  # share kept of the events that one action undoes


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield events after which the old plan fails but another plan exists."""
    space, distances = source.space, source.distances
    if space is None or distances is None:
        yield Rejected("too_many_states")
        return
    if distances[0] < SHOWN:
        yield Rejected("shown_plan_too_short" if distances[0] >= 0 else "no_plan_known")
        return
    old_plan = space.shortest(0, distances, rng)
    states = space.along(0, old_plan) or [0]
    count, drawn = 0, set[tuple[int, int]]()
    for _ in range(TRIES):
        step = rng.randint(1, len(old_plan) - 1)
        after = _drawn_state(space, states[step], rng)
        rule = _broken_rule(space, distances, old_plan, states[step], after)
        if not rule and (step, after) in drawn:
            rule = "as_before"
        if not rule and _is_undone(space, after, states[step]) and rng.random() > UNDONE:
            rule = "one_step_back"
        if rule:
            yield Rejected(rule)
            continue
        drawn.add((step, after))
        yield _draft(source, space, distances, old_plan, step, states[step], after, count, rng)
        count += 1
        if count == ROWS:
            return


def _drawn_state(space: Space, state: int, rng: random.Random) -> int:
    """Return a state some random steps away; the steps need not be those of the plan."""
    walked = space.walk(state, rng.randint(1, NEAR), rng)
    return walked[-1][1] if walked else state


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
    if any(_some_part_solves(space, mask, old_plan[start:]) for start in range(len(old_plan))):
        return "rest_works"
    return "what_is_possible_works" if _skipping_solves(space, mask, old_plan) else ""


def _skipping_solves(space: Space, mask: int, old_plan: Sequence[Step]) -> bool:
    """Return whether a suffix of the old plan, without its inapplicable steps, reaches the goal."""
    for start in range(len(old_plan)):
        state = mask
        for step in old_plan[start:]:
            action = space.task.action_of[step]
            state = progress(state, action) if is_applicable(state, action) else state
        if space.task.is_goal(state):
            return True
    return False


def _is_undone(space: Space, after: int, before: int) -> bool:
    """Return whether one action leads back to the state before the event."""
    return any(state == before for _, state in space.steps_from(after))


def _some_part_solves(space: Space, mask: int, steps: Sequence[Step]) -> bool:
    return any(is_plan(space.task, steps[:end], mask) for end in range(1, len(steps) + 1))


def _draft(
    source: Source, space: Space, distances: Distances, old_plan: Sequence[Step], step: int, before: int,
    after: int, number: int, rng: random.Random,
) -> Draft:  # fmt: skip
    was, now = space.task.facts_of(space.mask(before)), space.task.facts_of(space.mask(after))
    event = in_order([*(Literal(fact) for fact in now - was), *(Literal(fact, False) for fact in was - now)])
    plan = space.shortest(after, distances, rng)
    columns = {
        "given_actions": [write_atom(old_step) for old_step in old_plan],
        "given_problem_pddl": source.record.problem_pddl,
        "event_step": step,
        "event": written_literals(event),
        **planned(plan),
    }
    judged = replace(source.problem, init=space.task.state(space.mask(after)))
    row = plan_row(
        source, "replanning", rng, (old_plan, step, event), columns,
        judged=judged, shown=source.problem, h_star=len(plan), suffix=str(number),
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
