"""Runs that reach one condition after another, each from where the last was reached.

A planner asked for each of hundreds of facts and actions starts again each time; from where one was reached,
most of the others are a few steps away. Complete it is not: what it does not reach may be reachable.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from orrery.model import Plan, Step
from orrery.planners import climbing_kernel as kernel
from orrery.planners import exhaustive_kernel
from orrery.planners.exhaustive import Explorer, mask_of
from orrery.planners.relaxed import Relaxation
from orrery.semantics.progression import is_plan
from orrery.semantics.task import PlanningTask, bits

PLANNER = "enforced hill-climbing"
STATES = 400  # that are met at most before one is nearer to the condition

_ANY = np.empty(0, np.int32)


class Targets:
    """Sets of facts to reach; ``waiting`` says which are still to be reached, and whoever does so changes it.

    ``facts`` has the indices of all of them, one after another, ``starts`` where each begins.
    """

    def __init__(self, sets: Iterable[int]) -> None:
        """Take the sets as masks; all wait."""
        each = list(map(wanted, sets))
        self.facts = np.concatenate([_ANY, *each])
        self.starts = np.cumsum([0, *map(len, each)])[:-1]
        self.waiting = np.ones(len(each), np.bool_)
        self._each = each

    def __getitem__(self, place: int) -> exhaustive_kernel.Indices:
        """Return one of the sets."""
        return self._each[place]


class Climber:
    """Enforced hill-climbing from a task's initial state, then from wherever it has come.

    ``steps`` lead there. ``spent`` is the work done: facts that were looked at, some 10 to 20 million a
    second. No step begins once it is ``budget``.
    """

    def __init__(self, relaxation: Relaxation, budget: int) -> None:
        """Stand at the initial state."""
        self.budget = budget
        self.explorer, self.lists = relaxation.explorer, relaxation.lists
        self.steps: list[Step] = []
        self.spent = 0
        self._state = self._init
        self._known = exhaustive_kernel.footprints(self.explorer.actions, self._init)
        self._told: tuple[int, NDArray[np.bool_]] = (0, np.zeros(len(self._known.applied), np.bool_))
        self._work = kernel.layers(self.lists)
        words = self.explorer.words
        self._hill = kernel.Hill(
            np.empty((STATES, words), np.uint64), np.empty(STATES, np.int32), np.empty(STATES, np.int32)
        )

    @classmethod
    def of(cls, task: PlanningTask, budget: int) -> Climber:
        """Return one at the initial state of a task that is laid out for it alone."""
        return cls(Relaxation(Explorer(task)), budget)

    def news(self) -> tuple[int, NDArray[np.bool_]]:
        """Return what is new since it was asked for last, or the start.

        That is the facts that held in a state that was met, and which actions were applicable in one.
        """
        facts, applied = mask_of(self._known.seen), self._known.applied.copy()
        before, self._told = self._told, (facts, applied)
        return facts & ~before[0], applied & ~before[1]

    def restart(self) -> None:
        """Go back to the initial state."""
        self._state, self.steps = self._init, []

    def nearest(self, targets: Targets) -> int | None:
        """Return the number of the nearest target that waits; None where none of them can be reached.

        By the layers in which the delete relaxation reaches its facts, added up.
        """
        if not targets.waiting.any():
            return None
        self.spent += int(kernel.reach(self.lists, self._state, _ANY, self._work))
        value = self._work.value.astype(np.int64)
        costs = np.add.reduceat(value[targets.facts], targets.starts)
        costs[~targets.waiting] = kernel.FAR
        place = int(np.argmin(costs))
        return place if costs[place] < kernel.FAR else None

    def climb(self, condition: exhaustive_kernel.Indices) -> bool:
        """Go to a state in which a condition holds, and stay there; where that fails, somewhere nearer.

        Return whether it was reached.
        """
        explorer = self.explorer
        reached, taken, done = kernel.climb(
            explorer.actions, self.lists, self._state, condition, self._hill, self._known, self._work,
            self.budget - self.spent,
        )  # fmt: skip
        self.steps += [explorer.task.actions[action].step for action in taken]
        self.spent += int(done)
        return bool(reached)

    @property
    def _init(self) -> exhaustive_kernel.Words:
        return self.explorer.row(self.explorer.task.init).copy()


def wanted(facts: int) -> exhaustive_kernel.Indices:
    """Return a set of facts as a condition: their indices; an empty set as the fact that holds always."""
    return np.array(bits(facts) or [-1], np.int32)


def climbed(relaxation: Relaxation, budget: int) -> Plan | None:
    """Return the plan that hill-climbing finds within ``budget`` for the task's goal, if it finds one."""
    task, climber = relaxation.task, Climber(relaxation, budget)
    climber.climb(wanted(task.goal_positive))
    return Plan(tuple(climber.steps), PLANNER) if is_plan(task, climber.steps) else None
