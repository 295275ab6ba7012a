"""What steps cost: by their action, as the domain says or drawn, and more for some objects that they name."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from orrery.catalog import Entry
from orrery.model import Step

LARGEST = 9
OBJECTS, DEAREST = 3, 20  # that cost more, at most; and how much


class Costs(NamedTuple):
    """What each action costs, and what is added for some objects, once for each that a step names."""

    actions: Mapping[str, int]
    objects: Mapping[str, int]

    def of(self, step: Step) -> int:
        """Return what a step costs."""
        return self.actions[step[0]] + sum(self.objects.get(name, 0) for name in set(step[1:]))


def drawn_costs(
    entry: Entry, renamed: Mapping[str, str], objects: Sequence[str], rng: random.Random
) -> Costs | None:
    """Return what actions cost (see ``action_costs``), and more for some objects where that was drawn."""
    actions = action_costs(entry, renamed, rng)
    if actions is None:
        return None
    own = entry.description.costs or any(action.cost is not None for action in entry.domain.actions)
    chosen = [] if own else rng.sample(sorted(objects), min(len(objects), rng.randint(1, OBJECTS)))
    return Costs(actions, {name: rng.randint(2, DEAREST) for name in sorted(chosen)})


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
