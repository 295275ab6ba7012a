"""Ask for a plan from a state to its goal."""

from __future__ import annotations

import random

from orrery.families.drafts import Draft, Drafts, Rejected
from orrery.families.plans.plan_task import LENGTH, PLAN, plan_row, plan_task, planned
from orrery.families.plans.source import Source, is_guessed
from orrery.store.kinds import BOOL, column


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield a question for a plan; the stored plan is a shortest one if all states are known."""
    if source.plan is None:
        raise Rejected("no_plan_known")
    if len(source.plan) < 2 or (source.h_star or 2) < 2:
        raise Rejected("one_step")
    space, distances = source.space, source.distances
    plan = source.plan if space is None or distances is None else space.shortest(0, distances, rng)
    if space is not None and is_guessed(space, 0, source.goal_states, len(plan)):
        raise Rejected("random_walk_solves")
    columns = {**planned(plan), "plan_optimal": len(plan) == source.h_star}
    yield Draft((plan_row(source, "generation", rng, (), columns, h_star=source.h_star),))


TASK = plan_task(
    name="generation",
    subject="A plan is wanted from a state to a goal",
    draw=_draw,
    columns=(PLAN, LENGTH, column("plan_optimal", BOOL, "Whether no plan is shorter")),
)
