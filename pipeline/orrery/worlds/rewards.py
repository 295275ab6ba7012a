"""The rewards of a step in a world.

With the potential of a state, minus its cost to go over that of the initial state, ``shaped`` adds
``discount * potential(after) - potential(before)`` to the sparse reward. Such a reward leaves the optimal
policies unchanged (Ng, Harada and Russell, "Policy invariance under reward transformations", 1999). A dead
end has the potential of a state that is one action farther than the farthest state with a plan.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple


class RewardRule(StrEnum):
    """The rules for rewards.

    ``sparse``: 1 at the goal. ``shaped``: the sparse reward, and the progress towards the goal. ``optimal``:
    1 for an action on a shortest plan, 0 for any other. An action pays only if the cost to go is lower than
    ever before, so that walking in circles pays nothing. ``efficiency``: at the goal, the length of a
    shortest plan over the number of actions taken.
    """

    SPARSE = "sparse"
    SHAPED = "shaped"
    OPTIMAL = "optimal"
    EFFICIENCY = "efficiency"


class Costs(NamedTuple):
    """Costs to go: of the initial state, the largest finite one, and the lowest so far in the episode."""

    initial: float
    farthest: int
    lowest: float

    def progress(self, before: float, after: float, discount: float) -> float:
        """Return the discounted potential of the state after an action, minus that of the state before."""
        costs = (min(cost, self.farthest + 1) for cost in (before, after))
        return (next(costs) - discount * next(costs)) / max(1, self.initial)


def reward_of(
    rule: RewardRule, costs: Costs, before: float, after: float, steps: int, discount: float
) -> float:
    """Return the reward of an action that leads from cost to go ``before`` to ``after``.

    ``steps`` is the number of actions with this one.
    """
    at_goal = 1.0 if after == 0 else 0.0
    if rule is RewardRule.SHAPED:
        return at_goal + costs.progress(before, after, discount)
    if rule is RewardRule.OPTIMAL:
        return 1.0 if after == before - 1 and after < costs.lowest and not math.isinf(before) else 0.0
    if rule is RewardRule.EFFICIENCY:
        return at_goal * costs.initial / steps
    return at_goal
