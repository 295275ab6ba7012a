"""States that the rows of a problem start from, searched once for all of them.

Rows on one state differ in their goals, so the states within reach are visited once, by the plain search of
the checks; what that does not settle is asked of Fast Downward. ``None`` stands for what stays undecided.
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np

from orrery.checks.compiled_query import Condition
from orrery.checks.plans.costs_by_planner import least_cost
from orrery.checks.plans.prices import Prices
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.space import Spaces, StateGraph
from orrery.model import Domain, Problem, State, Step

UNMET = -(2**31)
UNREACHED = 2**62


class Found(NamedTuple):
    """What a search found out: a number, or that there is none; nothing where it is not ``decided``."""

    decided: bool
    number: int | None = None


UNKNOWN = Found(False)


class SharedState(RecheckedState):
    """A state with a goal, whose visited states it shares with other goals."""

    def __init__(self, domain: Domain, problem: Problem, seconds: float, spaces: Spaces) -> None:
        """Take the searches to share."""
        super().__init__(domain, problem, seconds, seconds, spaces=spaces)

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
            return Found(True, _least_cost(self.visited, prices))
        answer = least_cost(self.task, prices, self._seconds)
        return UNKNOWN if answer is None else Found(True, answer)

    def kept_at_most(self, steps: frozenset[Step]) -> int | None:
        """Return how many of ``steps``, at most, a shortest plan takes; None where states are untried."""
        space, cost = self.visited, self.visited.cost
        if cost is None or not space.settled:
            return None
        wanted = np.array([action.step in steps for action in self.task.actions], np.int64)
        best = np.full(space.size, UNMET)
        best[0] = 0
        for sources, actions, targets in islice(space.layers(), cost):
            np.maximum.at(best, targets, best[sources] + wanted[actions])
        return max((int(best[goal]) for goal in space.goals if space.depths[goal] == cost), default=None)


def _least_cost(space: StateGraph, prices: Prices) -> int | None:
    """Return the least cost of a way to a goal state, by Bellman and Ford's rounds over all edges at once."""
    priced = np.array([prices.of(action.step) for action in space.task.actions], np.int64)
    best = np.full(space.size, UNREACHED)
    best[0], changed = 0, np.zeros(space.size, bool)
    changed[0] = True
    while changed.any():
        some = np.flatnonzero(changed[space.sources])
        before = best.copy()
        np.minimum.at(best, space.targets[some], best[space.sources[some]] + priced[space.actions[some]])
        changed = best < before
    least = min(best[space.goals].tolist(), default=UNREACHED)
    return None if least == UNREACHED else least


class Searched:
    """The states that rows of one problem start from."""

    def __init__(self, domain: Domain, seconds: float, spaces: Spaces | None = None) -> None:
        """Prepare the searches; ``seconds`` limits a planner call, and all calls for one goal."""
        self.domain, self.seconds, self._spaces = domain, seconds, Spaces() if spaces is None else spaces
        self._states: dict[tuple[object, ...], SharedState] = {}
        self._met: set[tuple[object, ...]] = set()

    def state(self, problem: Problem) -> SharedState:
        """Return what is found out of a problem under plain names, whatever it is called."""
        key = _key(problem)
        if key not in self._states:
            self._states[key] = SharedState(self.domain, problem, self.seconds, self._spaces)
        return self._states[key]

    def is_new(self, problem: Problem) -> bool:
        """Return whether it is asked for the first time of this problem, whatever it is called."""
        known = _key(problem) in self._met
        self._met.add(_key(problem))
        return not known


def _key(problem: Problem) -> tuple[object, ...]:
    return frozenset(problem.objects), problem.init, problem.goal
