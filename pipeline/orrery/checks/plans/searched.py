"""States that the rows of a problem start from, searched once for all of them.

Rows on one state differ in their goals, so the states within reach are visited once, by the plain search of
the checks; what that does not settle is asked of Fast Downward. ``None`` stands for what stays undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

from orrery.checks.compiled_query import Condition
from orrery.checks.plans.costs_by_planner import least_cost
from orrery.checks.plans.prices import Prices
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.space import StateGraph, explore
from orrery.model import Domain, Problem, State, Step
from orrery.semantics.task import PlanningTask

KEPT = 4  # searched spaces: those of large problems take tens of megabytes each


class Found(NamedTuple):
    """What a search found out: a number, or that there is none; nothing where it is not ``decided``."""

    decided: bool
    number: int | None = None


UNKNOWN = Found(False)


class SharedState(RecheckedState):
    """A state with a goal, whose visited states it shares with other goals."""

    def __init__(
        self,
        domain: Domain,
        problem: Problem,
        seconds: float,
        visit: Callable[[PlanningTask, int], StateGraph],
    ) -> None:
        """Take the search to share."""
        super().__init__(domain, problem, seconds, seconds)
        self._visit = visit

    @cached_property
    def visited(self) -> StateGraph:
        """The states that a plain search visits, also for other goals."""
        return self._visit(self.task, self.most)

    def fewest(self) -> Found:
        """Return the fewest actions to the goal."""
        number = self.h_star
        if number is None and self.solvable is not False:
            return UNKNOWN
        return Found(True, number)

    def reaches(self, state: State) -> bool | None:
        """Return whether exactly this state is reached."""
        task = self.task
        if any(fact not in task.bit and fact not in task.statics for fact in state):
            return False
        if not task.statics <= state:
            return False
        mask = task.mask(state)
        if mask in self.visited.number:
            return True
        if self.visited.complete:
            return False
        return self.can_hold(Condition(mask, ~mask & ((1 << len(task.facts)) - 1)))

    def cheapest(self, prices: Prices) -> Found:
        """Return the least cost of a plan."""
        if self.visited.complete:
            return Found(True, _dijkstra(self.visited, prices))
        answer = least_cost(self.task, prices, self._seconds)
        return UNKNOWN if answer is None else Found(True, answer)

    def kept_at_most(self, steps: frozenset[Step]) -> int | None:
        """Return how many of ``steps``, at most, a shortest plan takes; None where states are untried."""
        space, cost = self.visited, self.visited.cost
        if cost is None or any(depth < cost for depth in space.depths[len(space.edges) :]):
            return None
        wanted = [action.step in steps for action in self.task.actions]
        best: dict[int, int] = {0: 0}
        for number, edges in enumerate(space.edges):
            if number not in best or space.depths[number] >= cost:
                continue
            for action, after in edges:
                if space.depths[after] == space.depths[number] + 1:
                    best[after] = max(best.get(after, -1), best[number] + wanted[action])
        return max((best[goal] for goal in space.goals if space.depths[goal] == cost), default=None)


def _dijkstra(space: StateGraph, prices: Prices) -> int | None:
    """Return the least cost of a way to a goal state, by uniform-cost search along the edges."""
    priced = [prices.of(action.step) for action in space.task.actions]
    goals, best, queue = set(space.goals), {0: 0}, [(0, 0)]
    while queue:
        so_far, number = heappop(queue)
        if so_far > best[number]:
            continue
        if number in goals:
            return so_far
        for action, after in space.edges[number]:
            total = so_far + priced[action]
            if total < best.get(after, total + 1):
                best[after] = total
                heappush(queue, (total, after))
    return None


class Searched:
    """The states that rows of one problem start from."""

    def __init__(self, domain: Domain, seconds: float) -> None:
        """Prepare the searches; ``seconds`` limits a planner call, and all calls for one goal."""
        self.domain, self.seconds = domain, seconds
        self._states: dict[tuple[object, ...], SharedState] = {}
        self._spaces: dict[tuple[object, ...], StateGraph] = {}
        self._met: set[tuple[object, ...]] = set()

    def state(self, problem: Problem) -> SharedState:
        """Return what is found out of a problem under plain names, whatever it is called."""
        key = _key(problem)
        if key not in self._states:
            self._states[key] = SharedState(self.domain, problem, self.seconds, self._visit)
        return self._states[key]

    def is_new(self, problem: Problem) -> bool:
        """Return whether it is asked for the first time of this problem, whatever it is called."""
        known = _key(problem) in self._met
        self._met.add(_key(problem))
        return not known

    def _visit(self, task: PlanningTask, most: int) -> StateGraph:
        key = (task.init, task.facts, frozenset(task.statics), len(task.actions), most)
        if key not in self._spaces:
            while len(self._spaces) >= KEPT:
                self._spaces.pop(next(iter(self._spaces)))
            self._spaces[key] = explore(task, most)
        return replace(self._spaces[key], task=task)


def _key(problem: Problem) -> tuple[object, ...]:
    return frozenset(problem.objects), problem.init, problem.goal
