"""Delete relaxation and h2 on large tasks, and random walks: compiled, on arrays made once a task.

``semantics.relaxation`` is the plain twin, for small tasks and as a check.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from orrery.planning import exhaustive_kernel
from orrery.planning import relaxed_kernel as kernel
from orrery.planning.exhaustive import Explorer, mask_of
from orrery.planning.relaxation import PairReachability
from orrery.planning.task import PlanningTask, bits

_NOTHING = -1
_SEED = 0x9E3779B97F4A7C15


class Relaxation:
    """The relaxations of one task, asked again and again."""

    def __init__(self, explorer: Explorer) -> None:
        """Lay out the task that ``explorer`` has laid out already."""
        self.task, self.explorer = explorer.task, explorer
        self.lists = _lists(explorer.task)

    @cached_property
    def pairs(self) -> PairReachability:
        """The pairs that h2 cannot exclude from the task's initial state."""
        together = kernel.pairs(self.explorer.actions, self.lists, self._row(self.task.init), _NOTHING)
        return PairReachability(tuple(mask_of(row) for row in together))

    def landmarks(self, init: int) -> int:
        """Return the result of ``semantics.relaxation.relaxed_landmarks``."""
        flags = kernel.landmarks(self.lists, self._flags(init))
        return sum(1 << int(fact) for fact in np.flatnonzero(flags))

    def needs(self, fact: int) -> bool:
        """Return whether h2 proves that every plan makes the fact of that index true.

        The fact must be initially false.
        """
        together = kernel.pairs(self.explorer.actions, self.lists, self._row(self.task.init), fact)
        goal = self.task.goal_positive
        return any(mask_of(together[goal_fact]) & goal != goal for goal_fact in bits(goal))

    def applied_in(self, masks: list[int]) -> NDArray[np.bool_]:
        """Return which actions are applicable in some of the states."""
        explorer = self.explorer
        laid_out = explorer.actions, explorer.sparse
        applied: NDArray[np.bool_] = exhaustive_kernel.applied_in(*laid_out, explorer.rows(masks))
        return applied

    def _row(self, mask: int) -> NDArray[np.uint64]:
        return self.explorer.row(mask)

    def _flags(self, mask: int) -> NDArray[np.bool_]:
        """Return the facts of a state as flags, the pseudo-fact that holds always among them."""
        flags = np.zeros(len(self.task.facts) + 1, np.bool_)
        flags[[*bits(mask), len(self.task.facts)]] = True
        return flags


class Walker:
    """Walks at random from the initial state, and goes on after its last walk as if it had not stopped."""

    def __init__(self, explorer: Explorer, length: int) -> None:
        """Walk ``length`` steps each time, unless there is no way on."""
        self.explorer, self.length = explorer, length
        self._init = explorer.row(explorer.task.init)
        self._known = exhaustive_kernel.footprints(explorer.actions, self._init)
        self._seed = np.uint64(_SEED)

    def walk(self, number: int) -> tuple[int, NDArray[np.bool_]]:
        """Walk so many times more; return the facts and applicable actions met on all walks until now."""
        laid_out = self.explorer.actions, self.explorer.sparse
        limits = number, self.length, self._seed
        self._seed = np.uint64(exhaustive_kernel.walks(*laid_out, self._init, *limits, self._known))
        return mask_of(self._known.seen), self._known.applied


def _lists(task: PlanningTask) -> kernel.Relaxed:
    """Return the task without deletes, as lists."""
    always, facts = len(task.facts), len(task.facts) + 1
    needs = [bits(action.positive) or [always] for action in task.actions]
    adds = [bits(action.add) for action in task.actions]
    return kernel.Relaxed(
        needs=_rows(needs),
        adds=_rows(adds),
        needed_by=_rows(_turned(needs, facts)),
        added_by=_rows(_turned(adds, facts)),
        goal=np.array(bits(task.goal_positive), np.int32),
    )


def _turned(rows: Iterable[list[int]], values: int) -> list[list[int]]:
    """Return for each value the rows that hold it."""
    transposed: list[list[int]] = [[] for _ in range(values)]
    for number, row in enumerate(rows):
        for value in row:
            transposed[value].append(number)
    return transposed


def _rows(lists: list[list[int]]) -> kernel.Pairs:
    """Return lists in compressed rows."""
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int32)
    return starts, np.array([value for row in lists for value in row], np.int32)
