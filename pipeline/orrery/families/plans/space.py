"""All reachable states of a task, with distances and plans to any goal, in numbers of actions or in costs.

Compiled code is imported inside functions: it loads numba, which is not needed to read or check the rows of
plan tasks.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.model import Literal, Step
from orrery.planning.task import PlanningTask

if TYPE_CHECKING:
    from orrery.planning.exhaustive import StateSpace

Distances: TypeAlias = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.int32]
Chosen: TypeAlias = NDArray[np.bool_]

FAR = 2**40  # exceeds the cost of every plan


class Space:
    """The complete state space of a task; states are numbered, and the initial state is 0."""

    def __init__(self, space: StateSpace) -> None:
        """Store a space, which must be complete."""
        space.require_complete()
        self.task: PlanningTask = space.task
        self.found = space

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self.found)

    def goal_states(self, goal: Iterable[Literal]) -> Chosen:
        """Return a mask of the states that satisfy a goal; facts that no state has are false everywhere."""
        bits, masks = self.task.bit, {True: 0, False: 0}
        for atom, sign in goal:
            is_static = atom in self.task.statics
            if (is_static and not sign) or (sign and not is_static and atom not in bits):
                return np.zeros(len(self), np.bool_)
            masks[sign] |= 0 if is_static else bits.get(atom, 0)
        return self.found.satisfying(masks[True], masks[False])

    def distances(self, goal: Chosen) -> Distances:
        """Return, for every state, the minimum number of actions to ``goal``; -1 if it is unreachable."""
        return np.asarray(self.found.distances_to(goal), np.int64)

    def costs(self, goal: Chosen, cost_of: Callable[[Step], int]) -> Distances:
        """Return, for every state, the minimum cost of a plan to ``goal``; ``FAR`` if unreachable.

        The method is value iteration until nothing changes (Bellman, 1957). A round reads only the edges to
        states whose cost has changed in the round before.
        """
        sources, targets, costs = self._weighted_edges(cost_of)
        least, changed = np.where(goal, 0, FAR), goal
        while changed.any():
            before, edges = least.copy(), np.flatnonzero(changed[targets])
            np.minimum.at(least, sources[edges], costs[edges] + before[targets[edges]])
            changed = least != before
        return least

    def cost_of_shortest(self, distances: Distances, cost_of: Callable[[Step], int]) -> int:
        """Return the minimum cost of a shortest plan from the first state, which must reach the goal."""
        sources, targets, costs = self._weighted_edges(cost_of)
        after, left = distances[targets], distances[sources]
        nearer = np.flatnonzero((after >= 0) & (after == left - 1) & (left <= distances[0]))
        by_distance = nearer[np.argsort(left[nearer], kind="stable")]
        least = np.where(distances == 0, 0, FAR)
        for layer in np.split(by_distance, np.flatnonzero(np.diff(left[by_distance])) + 1):
            np.minimum.at(least, sources[layer], costs[layer] + least[targets[layer]])
        return int(least[0])

    def _weighted_edges(self, cost_of: Callable[[Step], int]) -> tuple[Distances, Indices, Distances]:
        """Return the source, the target and the cost of every edge."""
        edges = self.found.edges
        costs = np.array([cost_of(action.step) for action in self.task.actions] or [0], np.int64)
        return self._sources, edges.successors, costs[edges.actions]

    @cached_property
    def _sources(self) -> Distances:
        """The source state of each edge."""
        return np.repeat(np.arange(len(self)), np.diff(self.found.edges.offsets))

    def walk_chances(self, state: int, goal: Chosen, length: int) -> Iterator[float]:
        """Yield the probabilities that a random walk reaches ``goal`` within 1, 2, ... ``length`` steps.

        Each step is drawn uniformly from the applicable actions; a walk ends when ``goal`` holds.
        """
        edges, sources = self.found.edges, self._sources
        onward = ~goal[sources]
        sources, targets = sources[onward], edges.successors[onward].astype(np.intp)
        share = 1.0 / np.maximum(np.diff(edges.offsets), 1)
        chances: NDArray[np.float64] = np.zeros(len(self))
        reached = 0.0
        chances[state] = 1.0
        for _ in range(length):
            # bincount adds in the order of the edges, so the sums of floats are the same everywhere.
            chances = np.bincount(targets, (chances * share)[sources], len(self)).astype(np.float64)
            reached += float(chances[goal].sum())
            yield reached

    def steps_from(self, state: int) -> list[tuple[int, int]]:
        """Return the steps from a state, as (number of the action, next state)."""
        edges = self.found.edges
        begin, end = int(edges.offsets[state]), int(edges.offsets[state + 1])
        return list(zip(edges.actions[begin:end].tolist(), edges.successors[begin:end].tolist(), strict=True))

    def shortest(self, state: int, distances: Distances, rng: random.Random) -> list[Step]:
        """Return a random shortest plan, drawn step by step, from a state that reaches the goal."""
        plan = []
        while distances[state] > 0:
            nearer = [move for move in self.steps_from(state) if distances[move[1]] == distances[state] - 1]
            action, state = rng.choice(nearer)
            plan.append(self.task.actions[action].step)
        return plan

    def cheapest(self, state: int, costs: Distances, cost_of: Callable[[Step], int]) -> list[Step]:
        """Return a plan of minimum cost from a state that reaches the goal.

        In each state, the first optimal step is taken.
        """
        plan = []
        while costs[state] > 0:
            for action, after in self.steps_from(state):
                step = self.task.actions[action].step
                if costs[after] + cost_of(step) == costs[state]:
                    break
            plan.append(step)
            state = after
        return plan


def space_of(task: PlanningTask, most: int) -> Space | None:
    """Return the state space of a task; None if it has more than ``most`` states."""
    from orrery.planning.exhaustive import explore

    exploration = explore(task, limit=most)
    return Space(exploration) if exploration.complete else None
