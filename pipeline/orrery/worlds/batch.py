"""Many episodes of one problem at once, without texts, in compiled loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orrery.planning import exhaustive_kernel as kernel
from orrery.planning.exhaustive import mask_of
from orrery.worlds.world_problem import WorldProblem


class BatchTurn(NamedTuple):
    """The results of one action in each of N episodes.

    ``applied`` says whether the action was applicable; otherwise, the state stays. ``cost_to_go`` is the
    least number of actions to the goal, and -1 in a dead end. ``at_goal`` says whether the goal holds.
    """

    applied: NDArray[np.bool_]
    cost_to_go: NDArray[np.int32]
    at_goal: NDArray[np.bool_]


class WorldBatch:
    """N episodes of one problem; actions are indices into ``problem.task.actions``."""

    def __init__(self, problem: WorldProblem, number: int) -> None:
        """Start ``number`` episodes.

        Raises:
            SpaceTooLarge: the problem has more states than its limit.
        """
        self.problem, oracle = problem, problem.oracle
        self._known, self._slots, self._distances = oracle.states, oracle.slots, oracle.all_distances()
        self._actions = oracle.actions
        self.states = np.repeat(self._known[:1], number, axis=0)

    def reset(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """Start all episodes again, or only the chosen ones."""
        self.states[slice(None) if chosen is None else chosen] = self._known[0]

    def applicable(self) -> NDArray[np.bool_]:
        """Return which actions are applicable in each episode (N by the number of actions)."""
        mask: NDArray[np.bool_] = kernel.applicable_in_each(self._actions, self.states)
        return mask

    def step(self, actions: NDArray[np.int32]) -> BatchTurn:
        """Do one action in each episode."""
        applied = kernel.apply_to_each(self._actions, self.states, actions.astype(np.int32, copy=False))
        costs = self._distances[kernel.find_each(self._slots, self._known, self.states)]
        return BatchTurn(applied, costs, costs == 0)

    def state(self, number: int) -> int:
        """Return the state of an episode, as a bit set over the facts of the task."""
        return mask_of(self.states[number])
