"""Exact costs to go in a world, from the whole state space of its problem."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from orrery.model import Atom
from orrery.planning import exhaustive_kernel as kernel
from orrery.planning.exhaustive import explore, row_of
from orrery.planning.outcome import SpaceTooLarge
from orrery.planning.task import GroundAction, PlanningTask, applicable, bits, progress

LANDMARKS_KEPT = 1_000  # states


@dataclass(frozen=True, eq=False)
class Oracle:
    """The number of actions to the goal from every state that is reachable from the initial one.

    ``distances`` has the number for each row of ``states``, and -1 if no goal state is reachable. It is None
    if there are more than ``max_states`` states. Then nothing is decided.
    """

    task: PlanningTask
    max_states: int
    actions: kernel.Actions
    states: kernel.Words
    slots: kernel.Indices
    distances: kernel.Indices | None

    @classmethod
    def of(cls, task: PlanningTask, max_states: int) -> Oracle:
        """Return the oracle of a task, whose states are searched exhaustively."""
        space = explore(task, limit=max_states)
        distances = space.h_star() if space.complete else None
        return cls(task, max_states, space.actions, space.states.copy(), space.slots, distances)

    @property
    def decided(self) -> bool:
        """Whether all costs to go are known."""
        return self.distances is not None

    def cost_to_go(self, state: int) -> float | None:
        """Return the least number of actions from a reachable state to the goal.

        The result is infinite in a dead end, and None if it is not decided.
        """
        if self.distances is None:
            return None
        distance = int(self.distances[self.index_of(state)])
        return math.inf if distance < 0 else distance

    def index_of(self, state: int) -> int:
        """Return the index of a state among ``states``, or -1."""
        return int(kernel.find(self.slots, self.states, row_of(state, self.states.shape[1])))

    @property
    def num_dead_ends(self) -> int | None:
        """The number of reachable states from which no goal state is reachable; None if not decided."""
        return None if self.distances is None else int((self.distances < 0).sum())

    def all_distances(self) -> kernel.Indices:
        """Return the cost to go of every state, -1 in dead ends.

        Raises:
            SpaceTooLarge: it is not decided.
        """
        if self.distances is None:
            raise SpaceTooLarge(
                self.task.problem.name,
                f"has more than {self.max_states} states, so costs to go are not decided",
                "give a larger max_states",
            )
        return self.distances

    @property
    def farthest(self) -> int:
        """The largest finite cost to go."""
        return max(0, int(self.all_distances().max()))

    def optimal_actions(self, state: int) -> list[GroundAction] | None:
        """Return the actions that begin a shortest plan from a state; None if that is not decided."""
        cost = self.cost_to_go(state)
        if cost is None:
            return None
        if cost in (0, math.inf):
            return []
        successors = ((action, progress(state, action)) for action in applicable(self.task, state))
        return [action for action, after in successors if self.cost_to_go(after) == cost - 1]

    def shortest_plan(self, state: int) -> list[GroundAction] | None:
        """Return a shortest plan: the first optimal action in each state. None if none is known."""
        actions = list[GroundAction]()
        while True:
            best = self.optimal_actions(state)
            if not best:
                return actions if self.task.is_goal(state) else None
            actions.append(best[0])
            state = progress(state, best[0])

    def landmarks_left(self, state: int) -> list[Atom] | None:
        """Return the facts that do not hold in a state and that every plan from it makes true, sorted.

        The result is None if it is not decided. In a dead end, it is empty.
        """
        if self.cost_to_go(state) == math.inf:
            return []
        landmarks = _landmarks(self, state)
        return None if landmarks is None else [self.task.facts[index] for index in bits(landmarks & ~state)]


@lru_cache(maxsize=LANDMARKS_KEPT)
def _landmarks(oracle: Oracle, state: int) -> int | None:
    """Return the mask of the landmarks of a state, which are those of the task from there."""
    space = explore(replace(oracle.task, init=state), limit=oracle.max_states)
    return space.landmarks() if space.complete else None
