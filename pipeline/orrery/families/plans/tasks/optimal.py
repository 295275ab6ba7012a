"""A plan of least cost is wanted; what actions cost is told.

The least cost is proven by value iteration over all states, so that states whose space is too large are not
asked about. Costs are drawn again until the shortest plan is not the cheapest, as far as that can be had.
"""

from __future__ import annotations

import random

from orrery.families.plans.costs import Costs, drawn_costs
from orrery.families.plans.row import plan_row, planned
from orrery.families.plans.source import Source, is_guessed
from orrery.families.plans.space import EVERY_STEP, FAR
from orrery.families.plans.task import Draft, Made, PlanTask, Rejected, plan_reply
from orrery.model import Proof
from orrery.store.kinds import as_json

TRIES = 8


def _make(source: Source, rng: random.Random) -> Made:
    """Ask for a cheapest plan under costs that tell cheap plans from short ones, where there are such."""
    space, h_star = source.space, source.h_star
    if space is None:
        yield Rejected("too_many_states")
        return
    if h_star is None or h_star < 2:
        yield Rejected("no_plan_known" if h_star is None else "one_step")
        return
    goal = source.goal_states
    renamed = _names(source)
    objects = [each.name for each in source.problem.objects]
    for number in range(TRIES):
        costs = drawn_costs(source.entry, renamed, objects, rng) or Costs({}, {})
        if not costs.actions or 0 in costs.actions.values():
            yield Rejected("costless_actions" if costs.actions else "costs_by_object")
            return
        least = space.costs(goal, costs.of)
        short = int(space.costs(goal, costs.of, EVERY_STEP)[0]) % EVERY_STEP
        matter = short > least[0]
        if matter or number == TRIES - 1 or source.entry.description.costs:
            break
    assert least[0] < FAR
    plan = space.cheapest(0, least, costs.of)
    if is_guessed(space, 0, goal, len(plan)):
        yield Rejected("random_walk_solves")
        return
    own = {
        **planned(plan),
        "cost": int(least[0]),
        "action_costs": as_json(costs.actions),
        "object_costs": as_json(costs.objects),
        "costs_matter": bool(matter),
        "proof": str(Proof.EXHAUSTION),
    }
    actions = source.record.domain.actions
    told = [((a.name, *[p.name for p in a.parameters]), costs.actions[a.name]) for a in actions]
    stratum = "matter" if matter else ""
    yield Draft(
        (plan_row(source, "optimal", rng, (told, tuple(costs.objects.items())), own, h_star=h_star),), stratum
    )


def _names(source: Source) -> dict[str, str]:
    """Return the names of actions in the vocabulary of the source, by those of the domain."""
    pairs = zip(source.entry.domain.actions, source.record.domain.actions, strict=True)
    return {plain.name: renamed.name for plain, renamed in pairs}


TASK = PlanTask("optimal", _make, plan_reply, ("plan",))
