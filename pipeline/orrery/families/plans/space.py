"""All states that a task reaches, with distances and plans to any goal, in numbers of actions or in costs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.model import Step
from orrery.planners import exhaustive_kernel as kernel
from orrery.planners.exhaustive import Explorer, StateSpace
from orrery.semantics.task import PlanningTask

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

    @cached_property
    def masks(self) -> list[int]:
        """The facts of every state, as a bit set."""
        return [self.found.mask(number) for number in range(len(self.found))]

    @cached_property
    def _leaving(self) -> Distances:
        """How many steps leave each state."""
        return np.asarray(np.diff(self.found.edges.offsets), np.int64)

    @cached_property
    def _origins(self) -> Distances:
        """The state that each step leaves."""
        return np.repeat(np.arange(len(self)), self._leaving)

    def satisfying(self, positive: int, negative: int = 0) -> Chosen:
        """Return which states hold all of ``positive`` and nothing of ``negative``."""
        return self.found.satisfying(positive, negative)

    def distances(self, goal: Chosen) -> Distances:
        """Return for every state the fewest actions to a state of ``goal``; -1: out of reach."""
        edges = self.found.edges
        return np.asarray(kernel.distances(edges.offsets, edges.successors, goal), np.int64)

    def costs(self, goal: Chosen, cost_of: Callable[[Step], int]) -> Distances:
        """Return for every state the least cost of a way to ``goal``; at least ``FAR``: out of reach.

        By value iteration until nothing changes (Bellman, 1957).
        """
        edges, actions = self.found.edges, self.task.actions
        weights = np.array([cost_of(action.step) for action in actions] or [0], np.int64)
        per_edge = weights[edges.actions]
        begins, ends = edges.offsets[:-1], edges.offsets[1:]
        inner = np.flatnonzero(ends > begins)
        found = np.where(goal, 0, FAR).astype(np.int64)
        while len(inner):
            through = per_edge + found[edges.successors]
            better = found.copy()
            better[inner] = np.minimum(found[inner], np.minimum.reduceat(through, begins[inner]))
            if np.array_equal(better, found):
                break
            found = better
        return found

    def cost_of_shortest(self, distances: Distances, cost_of: Callable[[Step], int]) -> int:
        """Return the least cost among the shortest plans from the first state, which is within reach.

        By dynamic programming, from the states nearest to the goal on.
        """
        edges = self.found.edges
        weights = np.array([cost_of(action.step) for action in self.task.actions] or [0], np.int64)
        origins = self._origins
        nearer = np.flatnonzero(distances[edges.successors] == distances[origins] - 1)
        nearer = nearer[distances[edges.successors[nearer]] >= 0]
        layer = distances[origins[nearer]]
        found = np.where(distances == 0, 0, FAR).astype(np.int64)
        for steps in range(1, int(distances[0]) + 1):
            some = nearer[layer == steps]
            np.minimum.at(found, origins[some], weights[edges.actions[some]] + found[edges.successors[some]])
        return int(found[0])

    def walk_chance(self, state: int, goal: Chosen, length: int) -> float:
        """Return how likely a walk meets ``goal`` within so many steps, each drawn among those possible."""
        edges = self.found.edges
        origins = self._origins
        share = np.where(goal[origins], 0.0, 1.0 / self._leaving[origins])
        there, met = np.zeros(len(self)), 0.0
        there[state] = 1.0
        for _ in range(length):
            there = np.asarray(np.bincount(edges.successors, there[origins] * share, len(self)), np.float64)
            met += float(there[goal].sum())
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
    found = Explorer(task).explore(limit=most, linked=True)
    return Space(found) if found.complete else None
