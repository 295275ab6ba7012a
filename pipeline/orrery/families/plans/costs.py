"""What actions cost: as the domain says, or drawn."""

from __future__ import annotations

import random
from collections.abc import Mapping

from orrery.catalog import Entry

LARGEST = 9


def action_costs(entry: Entry, renamed: Mapping[str, str], rng: random.Random) -> dict[str, int] | None:
    """Return what each action costs, by the name that ``renamed`` gives it.

    Costs of ``domain.yaml`` go first, then increases of ``total-cost`` in the domain; where neither says any
    they are drawn, not all alike where there are several actions. None where costs depend on objects.
    """
    actions = entry.domain.actions
    if given := entry.description.costs:
        found = {action.name: given.get(action.name, 1) for action in actions}
    elif any(action.cost is not None for action in actions):
        if any(isinstance(action.cost, tuple) for action in actions):
            return None
        found = {action.name: int(str(action.cost or 0)) for action in actions}
    else:
        drawn = rng.sample(range(1, LARGEST + 1), min(len(actions), LARGEST))
        found = {action.name: drawn[place % len(drawn)] for place, action in enumerate(actions)}
    return {renamed[name]: cost for name, cost in found.items()}
