"""A* with the heuristic LM-cut, on states kept up to symmetry: shortest plans and all their first steps.

For tasks too large to enumerate. The budget counts work, not time, so that all machines agree; a search
that has spent one goes on where it stopped when it gets more. Bounds and successors are compiled
(``guided_kernel``); the order of the search is kept here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np

from orrery.model import Plan, Proof, Step
from orrery.planners import guided_kernel as kernel
from orrery.planners.exhaustive import Explorer
from orrery.planners.exhaustive_kernel import Words, expand
from orrery.planners.orbits import Form
from orrery.planners.relaxed import Relaxation
from orrery.semantics.progression import applicable
from orrery.semantics.task import GroundAction

PLANNER = "A* LM-cut"
FAR = int(kernel.FAR)

Key: TypeAlias = bytes


@dataclass(frozen=True, slots=True)
class Guided:
    """The result of a search from a state.

    ``decided``: whether it ended within its budget; then ``plan`` is a shortest one, or None where there is
    none. ``first`` are the actions with which a shortest plan can begin, where ``whole``: every other
    applicable action is proven not to be one.
    """

    decided: bool
    plan: Plan | None = None
    first: frozenset[Step] = frozenset()
    whole: bool = False


@dataclass
class GuidedSearch:
    """A search from the initial state of the task that ``explorer`` lays out, with the symmetries to use.

    These must fix the task's goal. The states seen are kept under their bytes: distance from the first,
    bound, successors of those expanded, and the goal states. ``spent`` is the work done: facts that were
    evaluated, some 10 to 20 million a second.
    """

    explorer: Explorer
    relaxation: Relaxation
    depth: dict[Key, int] = field(default_factory=dict)
    bound: dict[Key, int] = field(default_factory=dict)
    after: dict[Key, list[Key]] = field(default_factory=dict)
    queue: list[tuple[int, int, int, Key]] = field(default_factory=list)
    goals: set[Key] = field(default_factory=set)
    cost: int | None = None
    spent: int = 0
    pushed: int = 0

    def nearest(self, work: int) -> Guided:
        """Return a shortest plan, and with which actions such plans begin; search until ``work`` is spent.

        What was spent before counts.
        """
        explorer, task = self.explorer, self.explorer.task
        if task.goal_positive & task.goal_negative:
            return Guided(decided=True)
        start = explorer.classes.form(task.init)
        if not self.bound:
            self._enter([explorer.row(start.mask)], 0)
        whole = self._run(work)
        if self.cost is None:
            return Guided(decided=whole)
        follow = _Follow(explorer, self, self.on_shortest())
        first = frozenset(start.real(action.step) for action, _ in follow.steps(start, 0))
        return Guided(True, Plan(tuple(follow.plan(start)), PLANNER, Proof.ASTAR), first, whole)

    def _run(self, budget: int) -> bool:
        """Expand all states whose distance and bound are within the goal's cost; False: out of budget."""
        while self.queue and (self.cost is None or self.queue[0][0] <= self.cost):
            total, _, _, key = self.queue[0]
            if key in self.after or self.depth[key] + self.bound[key] != total:
                heappop(self.queue)  # expanded already, or a shorter path was found since
            elif self._is_goal(key):
                heappop(self.queue)
                self.cost = total
                self.goals.add(key)
                self.after[key] = []
            elif self.spent > budget:
                return False
            else:
                heappop(self.queue)
                self._expand(key)
        return True

    def _expand(self, key: Key) -> None:
        row = np.frombuffer(key, np.uint64).reshape(1, -1)
        explorer = self.explorer
        successors, _ = expand(explorer.actions, explorer.sparse, explorer.orbits, row)
        self.spent += len(successors)
        self.after[key] = self._enter(successors, self.depth[key] + 1)

    def _enter(self, rows: Words | list[Words], depth: int) -> list[Key]:
        """Queue the states that are new or nearer than known; return the keys of all."""
        keys = [row.tobytes() for row in rows]
        new = list(dict.fromkeys(key for key in keys if key not in self.bound))
        if new:
            table = np.frombuffer(b"".join(new), np.uint64).reshape(len(new), -1)
            bounds, done = kernel.bounds(self.relaxation.lists, table)
            self.spent += int(done)
            self.bound.update(zip(new, map(int, bounds), strict=True))
        for key in dict.fromkeys(keys):
            if self.bound[key] < FAR and depth < self.depth.get(key, FAR):
                self.depth[key] = depth
                self.after.pop(key, None)
                self.pushed += 1  # of equals the latest goes first
                heappush(self.queue, (depth + self.bound[key], self.bound[key], -self.pushed, key))
        return keys

    def _is_goal(self, key: Key) -> bool:
        return self.explorer.task.is_goal(int.from_bytes(key, "little"))

    def on_shortest(self) -> set[Key]:
        """Return the states on shortest paths from the first state to a goal state."""
        found = set(self.goals)
        for key in sorted(self.after, key=lambda key: -self.depth[key]):
            further = self.depth[key] + 1
            if any(after in found and self.depth[after] == further for after in self.after[key]):
                found.add(key)
        return found


def nearest(explorer: Explorer, relaxation: Relaxation, *, work: int) -> Guided:
    """Return a shortest plan, and with which actions such plans begin, by a new search of that much work."""
    return GuidedSearch(explorer, relaxation).nearest(work)


@dataclass(frozen=True, slots=True)
class _Follow:
    """Follow shortest paths from normal form to normal form."""

    explorer: Explorer
    search: GuidedSearch
    shortest: set[Key]

    def plan(self, form: Form) -> Iterator[Step]:
        """Yield the steps of a shortest plan: always the first action that stays on a shortest path."""
        for depth in range(self.search.cost or 0):
            action, after = next(self.steps(form, depth))
            yield form.real(action.step)
            form = after

    def steps(self, form: Form, depth: int) -> Iterator[tuple[GroundAction, Form]]:
        """Yield the actions from a state at ``depth`` along shortest paths, with their successors."""
        for action in applicable(self.explorer.task, form.mask):
            after = self.explorer.classes.after(form, action)
            key = self.explorer.row(after.mask).tobytes()
            if key in self.shortest and self.search.depth[key] == depth + 1:
                yield action, after
