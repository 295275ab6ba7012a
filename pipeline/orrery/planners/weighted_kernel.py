"""The compiled loops over a state space whose steps weigh something: least costs, and where walks lead.

Compiled and cached as in ``exhaustive_kernel``; no function here calls one of another file. Steps are given
in compressed rows, those out of state ``i`` from ``offsets[i]`` to ``offsets[i + 1]``.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.planners.exhaustive_kernel import Flags, Indices, _compiled

Numbers: TypeAlias = NDArray[np.int64]
Chances: TypeAlias = NDArray[np.float64]


@_compiled
def least_costs(offsets: Numbers, successors: Indices, costs: Numbers, goal: Flags, far: int) -> Any:
    """Return the least cost of a way from every state to ``goal``; ``far`` where there is none.

    ``costs`` are those of the steps. By value iteration until nothing changes (Bellman, 1957), the states
    farthest from the first one before the others, for of these the ways lead on.
    """
    found = np.where(goal, 0, far)
    changed = True
    while changed:
        changed = False
        for state in range(goal.size - 1, -1, -1):
            best = found[state]
            for k in range(offsets[state], offsets[state + 1]):
                best = min(best, costs[k] + found[successors[k]])
            if best < found[state]:
                found[state], changed = best, True
    return found


@_compiled
def least_costs_of_shortest(
    offsets: Numbers, successors: Indices, costs: Numbers, distances: Numbers, order: Numbers, far: int
) -> Any:
    """Return the least cost of a shortest way from every state; ``far`` where there is none.

    ``order`` has the states that are to be looked at, those nearer to the goal before the others.
    """
    found = np.full(distances.size, far, np.int64)
    for state in order:
        if distances[state] == 0:
            found[state] = 0
        for k in range(offsets[state], offsets[state + 1]):
            if distances[successors[k]] == distances[state] - 1 >= 0:
                found[state] = min(found[state], costs[k] + found[successors[k]])
    return found


@_compiled
def walked(offsets: Numbers, successors: Indices, goal: Flags, there: Chances) -> Any:
    """Return how likely a walk that is at a state with the chance ``there`` is at each after one more step.

    Each step is drawn among those possible; where the goal holds the walk has ended.
    """
    found = np.zeros(there.size)
    for state in range(there.size):
        if there[state] > 0.0 and not goal[state] and offsets[state + 1] > offsets[state]:
            share = there[state] * (1.0 / (offsets[state + 1] - offsets[state]))
            for k in range(offsets[state], offsets[state + 1]):
                found[successors[k]] += share
    return found
