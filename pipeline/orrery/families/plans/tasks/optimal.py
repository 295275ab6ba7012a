"""Ask for a plan of minimum cost, given the costs of actions.

Value iteration over all states proves the minimum cost; states with too large a state space are not asked
about. Costs are redrawn until no shortest plan is a cheapest one, or, if this fails, until at least the known
plan is not.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from orrery.catalog import Entry
from orrery.families.drafts import Draft, Drafts, Rejected
from orrery.families.plans.plan_task import LENGTH, PLAN, plan_row, plan_task, planned
from orrery.families.plans.source import Source, is_guessed
from orrery.families.plans.space import Distances
from orrery.model import Proof, Step
from orrery.store.kinds import BOOL, INT, STRING, as_json, column

TRIES = 12
MOST_TELLING = (
    2  # no shortest plan is cheapest; 1: the known plan is not; 0: costs make no visible difference
)
DEAREST_ACTION = 9
OBJECTS, DEAREST = 3, 20  # maximum number of objects with additional cost; maximum of this cost


class ActionCosts(NamedTuple):
    """The cost of each action, and the additional cost of some objects, once for each that a step names."""

    actions: Mapping[str, int]
    objects: Mapping[str, int]

    def of(self, step: Step) -> int:
        """Return the cost of a step."""
        return self.actions[step[0]] + sum(self.objects.get(name, 0) for name in set(step[1:]))


def drawn_costs(
    entry: Entry, renamed: Mapping[str, str], objects: Sequence[str], rng: random.Random
) -> ActionCosts | None:
    """Return the costs of actions (see ``action_costs``), with additional costs of some objects if drawn."""
    actions = action_costs(entry, renamed, rng)
    if actions is None:
        return None
    has_costs = entry.description.costs or any(action.cost is not None for action in entry.domain.actions)
    chosen = [] if has_costs else rng.sample(sorted(objects), min(len(objects), rng.randint(1, OBJECTS)))
    return ActionCosts(actions, {name: rng.randint(2, DEAREST) for name in sorted(chosen)})


def action_costs(entry: Entry, renamed: Mapping[str, str], rng: random.Random) -> dict[str, int] | None:
    """Return the cost of each action, by the name that ``renamed`` gives it.

    Costs in ``domain.yaml`` come first, then increases of ``total-cost`` in the domain. Without either, costs
    are drawn; several actions do not all get the same cost. Return None if costs depend on objects.
    """
    actions = entry.domain.actions
    if stated := entry.description.costs:
        costs = {action.name: stated.get(action.name, 1) for action in actions}
    elif any(action.cost is not None for action in actions):
        if any(isinstance(action.cost, tuple) for action in actions):
            return None
        costs = {action.name: int(str(action.cost or 0)) for action in actions}
    else:
        drawn = rng.sample(range(1, DEAREST_ACTION + 1), min(len(actions), DEAREST_ACTION))
        costs = {action.name: drawn[place % len(drawn)] for place, action in enumerate(actions)}
    return {renamed[name]: cost for name, cost in costs.items()}


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield a question for a cheapest plan; if possible, its costs make it differ from shortest plans."""
    space, h_star = source.space, source.h_star
    if space is None:
        raise Rejected("too_many_states")
    if h_star is None or h_star < 2:
        raise Rejected("no_plan_known" if h_star is None else "one_step")
    goal = source.goal_states
    distances = space.distances(goal)
    renamed = _names(source)
    best: tuple[int, ActionCosts, Distances] | None = None
    for _ in range(TRIES):
        usual = space.shortest(0, distances, rng)
        objects = sorted(
            {name for step in usual for name in step[1:]} & {typed.name for typed in source.problem.objects}
        )
        costs = drawn_costs(source.entry, renamed, objects, rng) or ActionCosts({}, {})
        if not costs.actions or 0 in costs.actions.values():
            raise Rejected("costless_actions" if costs.actions else "costs_by_object")
        least = space.costs(goal, costs.of)
        is_dearer = space.cost_of_shortest(distances, costs.of) > least[0]
        tells = MOST_TELLING if is_dearer else int(sum(map(costs.of, usual)) > least[0])
        if best is None or tells > best[0]:
            best = tells, costs, least
        if best[0] == MOST_TELLING or source.entry.description.costs:
            break
    assert best is not None
    tells, costs, least = best
    plan = space.cheapest(0, least, costs.of)
    if is_guessed(space, 0, goal, len(plan)):
        raise Rejected("random_walk_solves")
    columns = {
        **planned(plan),
        "cost": int(least[0]),
        "action_costs": as_json(costs.actions),
        "object_costs": as_json(costs.objects),
        "costs_matter": tells == MOST_TELLING,
        "proof": str(Proof.EXHAUSTION),
    }
    actions = source.record.domain.actions
    priced_actions = [((a.name, *[p.name for p in a.parameters]), costs.actions[a.name]) for a in actions]
    arguments = (priced_actions, tuple(costs.objects.items()))
    yield Draft((plan_row(source, "optimal", rng, arguments, columns, h_star=h_star),), str(tells))


def _names(source: Source) -> dict[str, str]:
    """Return the names of actions in the vocabulary of the source, by those of the domain."""
    pairs = zip(source.entry.domain.actions, source.record.domain.actions, strict=True)
    return {plain.name: renamed.name for plain, renamed in pairs}


TASK = plan_task(
    name="optimal",
    subject="A plan of least cost is wanted; what actions cost is stated",
    draw=_draw,
    columns=(
        PLAN,
        LENGTH,
        column("cost", INT, "The least cost of a plan, proven by search through all states"),
        column("action_costs", STRING, "JSON: what each action costs, by name"),
        column("object_costs", STRING, "JSON: what a step costs more for an object that it names"),
        column("costs_matter", BOOL, "Whether every plan with the fewest actions costs more than that"),
        column("proof", STRING, "How the least cost is known"),
    ),
)
