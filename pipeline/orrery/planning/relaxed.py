"""Delete relaxation and h2 on large tasks, and random walks: compiled, on arrays made once a task.

``relaxation`` is the plain twin, for small tasks and as a check. Loops are compiled and cached as in
``exhaustive_kernel``; none calls a loop of that file, which numba would not notice to have changed. After the
F facts comes a pseudo-fact that holds always: the precondition of actions that have none.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from orrery.planning import exhaustive_kernel
from orrery.planning.exhaustive import Explorer, mask_of
from orrery.planning.exhaustive_kernel import Actions, Flags, Indices, Words, _compiled
from orrery.planning.relaxation import PairReachability
from orrery.planning.task import PlanningTask, bits

CompressedRows = tuple[Indices, Indices]
"""Lists in compressed rows: those of row ``i`` are ``values[starts[i] : starts[i + 1]]``."""

UNREACHED = np.int32(2**30)
_ONE = np.uint64(1)
_NONE = np.uint64(0)


class RelaxedTask(NamedTuple):
    """A task without deletes, as lists: facts by action, and actions by fact; the goal's positive facts."""

    needs: CompressedRows
    adds: CompressedRows
    needed_by: CompressedRows
    added_by: CompressedRows
    goal: Indices


@_compiled
def _reach(task: RelaxedTask, init: Flags, without: int) -> Any:
    """Return which of the F + 1 facts the relaxation reaches, by no action that adds the fact ``without``."""
    starts, values = task.needed_by
    add_starts, adds = task.adds
    open_needs = task.needs[0][1:] - task.needs[0][:-1]
    if without >= 0:
        for k in range(task.added_by[0][without], task.added_by[0][without + 1]):
            open_needs[task.added_by[1][k]] = UNREACHED
    reached, queue, count = init.copy(), np.empty(init.size, np.int32), 0
    for fact in range(init.size):
        if reached[fact]:
            queue[count] = fact
            count += 1
    head = 0
    while head < count:
        fact = queue[head]
        head += 1
        for k in range(starts[fact], starts[fact + 1]):
            action = values[k]
            open_needs[action] -= 1
            if open_needs[action] == 0:
                for j in range(add_starts[action], add_starts[action + 1]):
                    if not reached[adds[j]]:
                        reached[adds[j]] = True
                        queue[count] = adds[j]
                        count += 1
    return reached


@_compiled
def _relaxed_landmarks(task: RelaxedTask, init: Flags) -> Flags:
    """Return the facts, not true in ``init``, without whose achievers the relaxation misses the goal."""
    flags = np.zeros(init.size, np.bool_)
    reached = _reach(task, init, -1)
    hopeless = not _all(reached, task.goal)
    for fact in range(init.size - 1):
        if not init[fact]:
            flags[fact] = hopeless or (reached[fact] and not _all(_reach(task, init, fact), task.goal))
    return flags


@_compiled
def _all(holds: Flags, facts: Indices) -> Any:
    return np.all(holds[facts])


@_compiled
def _reach_pairs(actions: Actions, task: RelaxedTask, init: Words, without: int) -> Words:
    """Return the fixpoint of h2: row ``p`` holds the facts that it cannot exclude together with fact ``p``.

    Actions that need or add the fact ``without`` are left out. A row of zeros says that ``p`` itself is
    excluded. An action is tried again only when a row of its preconditions has grown since.
    """
    facts, words = task.needed_by[0].size - 2, init.size
    together = np.zeros((facts, words), np.uint64)
    grown_at, tried_at = np.zeros(facts + 1, np.int64), np.full(task.needs[0].size - 1, -1, np.int64)
    for fact in range(facts):
        if init[fact >> 6] >> np.uint64(fact & 63) & _ONE:
            together[fact] = init
    possible, tick, grown = np.empty(words, np.uint64), np.int64(1), True
    while grown:
        grown = False
        for action in range(tried_at.size):
            if _banned(task, action, without) or not _grew(task, action, grown_at, tried_at[action]):
                continue
            tried_at[action] = tick
            if _possible_after(actions, task, action, together, possible):
                tick += 1
                if _enter(task, action, possible, together, grown_at, tick):
                    grown = True
    return together


@_compiled
def _banned(task: RelaxedTask, action: int, without: int) -> Any:
    if without >= 0:
        for starts, values in (task.needs, task.adds):
            for k in range(starts[action], starts[action + 1]):
                if values[k] == without:
                    return True
    return False


@_compiled
def _grew(task: RelaxedTask, action: int, grown_at: NDArray[np.int64], since: int) -> Any:
    """Return whether a row of the action's preconditions, or any row without any, changed after ``since``."""
    starts, values = task.needs
    grew = False
    for k in range(starts[action], starts[action + 1]):
        grew |= grown_at[values[k]] >= since
    return grew


@_compiled
def _possible_after(
    actions: Actions, task: RelaxedTask, action: int, together: Words, possible: Words
) -> Any:
    """Write what may hold with the preconditions and after; whether the action may be applicable."""
    starts, values = task.needs
    possible[:] = ~_NONE
    if values[starts[action]] == together.shape[0]:  # no preconditions
        _write_possible(together, possible)
    else:
        for k in range(starts[action], starts[action + 1]):
            for w in range(possible.size):
                possible[w] &= together[values[k], w]
    allowed = True
    for w in range(possible.size):
        allowed &= possible[w] & actions.positive[action, w] == actions.positive[action, w]
        possible[w] = possible[w] & actions.keep[action, w] | actions.add[action, w]
    return allowed


@_compiled
def _write_possible(together: Words, row: Words) -> None:
    """Write the facts that are not excluded."""
    row[:] = _NONE
    for fact in range(together.shape[0]):
        row[fact >> 6] |= together[fact, fact >> 6] & _ONE << np.uint64(fact & 63)


@_compiled
def _enter(
    task: RelaxedTask,
    action: int,
    after: Words,
    together: Words,
    grown_at: NDArray[np.int64],
    tick: int,
) -> Any:
    """Record that the added facts hold with all of ``after``; return whether that is new."""
    starts, values = task.adds
    grown = False
    for k in range(starts[action], starts[action + 1]):
        fact = values[k]
        for w in range(after.size):
            new = after[w] & ~together[fact, w]
            if new == _NONE:
                continue
            grown = True
            together[fact, w] |= new
            grown_at[fact] = tick
            for b in range(64):
                if new >> np.uint64(b) & _ONE:
                    mate = 64 * w + b
                    together[mate, fact >> 6] |= _ONE << np.uint64(fact & 63)
                    grown_at[mate] = tick
    if grown:
        grown_at[grown_at.size - 1] = tick
    return grown


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
        together = _reach_pairs(self.explorer.actions, self.lists, self._row(self.task.init), _NOTHING)
        return PairReachability(tuple(mask_of(row) for row in together))

    def landmarks(self, init: int) -> int:
        """Return the result of ``relaxation.relaxed_landmarks``."""
        flags = _relaxed_landmarks(self.lists, self._flags(init))
        return sum(1 << int(fact) for fact in np.flatnonzero(flags))

    def needs(self, fact: int) -> bool:
        """Return whether h2 proves that every plan makes the fact of that index true.

        The fact must be initially false.
        """
        together = _reach_pairs(self.explorer.actions, self.lists, self._row(self.task.init), fact)
        goal = self.task.goal_positive
        return any(mask_of(together[goal_fact]) & goal != goal for goal_fact in bits(goal))

    def applied_in(self, masks: list[int]) -> NDArray[np.bool_]:
        """Return which actions are applicable in some of the states."""
        explorer = self.explorer
        applied: NDArray[np.bool_] = exhaustive_kernel.applied_in(explorer.actions, explorer.rows(masks))
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
        limits = number, self.length, self._seed
        self._seed = np.uint64(
            exhaustive_kernel.walks(self.explorer.actions, self._init, *limits, self._known)
        )
        return mask_of(self._known.seen), self._known.applied


def _lists(task: PlanningTask) -> RelaxedTask:
    """Return the task without deletes, as lists."""
    always, facts = len(task.facts), len(task.facts) + 1
    needs = [bits(action.positive) or [always] for action in task.actions]
    adds = [bits(action.add) for action in task.actions]
    return RelaxedTask(
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


def _rows(lists: list[list[int]]) -> CompressedRows:
    """Return lists in compressed rows."""
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int32)
    return starts, np.array([value for row in lists for value in row], np.int32)
