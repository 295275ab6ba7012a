"""All states that a task reaches, with distances and plans to any goal, in numbers of actions or in costs.

What is compiled is imported where it is called: it brings numba, and who reads the rows of plan tasks, or
checks them, has no use for that.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.model import Step
from orrery.semantics.task import PlanningTask

if TYPE_CHECKING:
    from orrery.planners.exhaustive import StateSpace

Distances: TypeAlias = NDArray[np.int64]
Chosen: TypeAlias = NDArray[np.bool_]

FAR = 2**40  # more than any plan costs


class Space:
    """The complete state space of a task; states are numbered, the initial one is 0."""

    def __init__(self, space: StateSpace) -> None:
        """Take a space, which must be complete."""
        space.require_complete()
        self.task: PlanningTask = space.task
        self.found = space

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self.found)

    def mask(self, state: int) -> int:
        """Return the facts of a state, as a bit set."""
        return self.found.mask(state)

    def satisfying(self, positive: int, negative: int = 0) -> Chosen:
        """Return which states hold all of ``positive`` and nothing of ``negative``."""
        return self.found.satisfying(positive, negative)

    def distances(self, goal: Chosen) -> Distances:
        """Return for every state the fewest actions to a state of ``goal``; -1: out of reach."""
        from orrery.planners import exhaustive_kernel as kernel

        edges = self.found.edges
        return np.asarray(kernel.distances(edges.offsets, edges.successors, goal), np.int64)

    def costs(self, goal: Chosen, cost_of: Callable[[Step], int]) -> Distances:
        """Return for every state the least cost of a way to ``goal``; ``FAR``: out of reach."""
        from orrery.planners import weighted_kernel as weighted

        edges = self.found.edges
        return np.asarray(
            weighted.least_costs(edges.offsets, edges.successors, self._costs_of(cost_of), goal, FAR)
        )

    def cost_of_shortest(self, distances: Distances, cost_of: Callable[[Step], int]) -> int:
        """Return the least cost among the shortest plans from the first state, which is within reach."""
        from orrery.planners import weighted_kernel as weighted

        edges, near = self.found.edges, np.flatnonzero((distances >= 0) & (distances <= distances[0]))
        order = near[np.argsort(distances[near], kind="stable")]
        steps = edges.offsets, edges.successors, self._costs_of(cost_of)
        return int(weighted.least_costs_of_shortest(*steps, distances, order, FAR)[0])

    def _costs_of(self, cost_of: Callable[[Step], int]) -> Distances:
        """Return what each step costs."""
        costs = np.array([cost_of(action.step) for action in self.task.actions] or [0], np.int64)
        return costs[self.found.edges.actions]

    def walk_chance(self, state: int, goal: Chosen, length: int) -> float:
        """Return how likely a walk meets ``goal`` within so many steps, each drawn among those possible."""
        from orrery.planners import weighted_kernel as weighted

        edges, ends = self.found.edges, np.flatnonzero(goal)
        there, met = np.zeros(len(self)), 0.0
        there[state] = 1.0
        for _ in range(length):
            there = weighted.walked(edges.offsets, edges.successors, goal, there)
            met += float(there[ends].sum())
        return met

    def steps_from(self, state: int) -> list[tuple[int, int]]:
        """Return the steps out of a state, as (number of the action, state that follows)."""
        edges = self.found.edges
        begin, end = int(edges.offsets[state]), int(edges.offsets[state + 1])
        return list(zip(edges.actions[begin:end].tolist(), edges.successors[begin:end].tolist(), strict=True))

    def shortest(self, state: int, distances: Distances, rng: random.Random) -> list[Step]:
        """Return a shortest plan from a state within reach, drawn step by step among those there are."""
        found = []
        while distances[state] > 0:
            nearer = [each for each in self.steps_from(state) if distances[each[1]] == distances[state] - 1]
            action, state = rng.choice(nearer)
            found.append(self.task.actions[action].step)
        return found

    def cheapest(self, state: int, costs: Distances, cost_of: Callable[[Step], int]) -> list[Step]:
        """Return a plan of least cost from a state within reach: the first such step at every state."""
        found = []
        while costs[state] > 0:
            for action, after in self.steps_from(state):
                step = self.task.actions[action].step
                if costs[after] + cost_of(step) == costs[state]:
                    break
            found.append(step)
            state = after
        return found

    def walk(self, state: int, length: int, rng: random.Random) -> list[tuple[Step, int]]:
        """Return steps drawn at random with the states they lead to; it ends where nothing can be done.

        Every step changes the state, and as far as possible to one that the walk has not met.
        """
        met, found = {state}, list[tuple[Step, int]]()
        for _ in range(length):
            onward = [each for each in self.steps_from(state) if each[1] != state]
            fresh = [each for each in onward if each[1] not in met]
            if not onward:
                break
            action, state = rng.choice(fresh or onward)
            met.add(state)
            found.append((self.task.actions[action].step, state))
        return found

    def along(self, state: int, steps: Sequence[Step]) -> list[int] | None:
        """Return the states from ``state`` on; None where a step is not applicable."""
        found = [state]
        for step in steps:
            after = next(
                (s for a, s in self.steps_from(found[-1]) if self.task.actions[a].step == step), None
            )
            if after is None:
                return None
            found.append(after)
        return found


def space_of(task: PlanningTask, most: int) -> Space | None:
    """Return the state space of a task, or None where it has more than ``most`` states."""
    from orrery.planners.exhaustive import Explorer

    found = Explorer(task).explore(limit=most, linked=True)
    return Space(found) if found.complete else None
