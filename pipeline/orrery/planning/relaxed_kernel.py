"""The compiled inner loops of ``relaxed``: delete relaxation, relaxed landmarks and h2.

Compiled and cached as in ``exhaustive_kernel``; no function here calls one of another file, which numba would
not notice to have changed. After the F facts comes a pseudo-fact that holds always: the precondition of
actions that have none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from orrery.planning.exhaustive_kernel import Actions, Flags, Indices, Words, _compiled

Pairs = tuple[Indices, Indices]
"""Lists in compressed rows: those of row ``i`` are ``values[starts[i] : starts[i + 1]]``."""

UNREACHED = np.int32(2**30)
_ONE = np.uint64(1)
_NONE = np.uint64(0)


class Relaxed(NamedTuple):
    """A task without deletes, as lists: facts by action, and actions by fact; the goal's positive facts."""

    needs: Pairs
    adds: Pairs
    needed_by: Pairs
    added_by: Pairs
    goal: Indices


@_compiled
def reach(task: Relaxed, init: Flags, without: int) -> Any:
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
def landmarks(task: Relaxed, init: Flags) -> Flags:
    """Return the facts, not true in ``init``, without whose achievers the relaxation misses the goal."""
    flags = np.zeros(init.size, np.bool_)
    reached = reach(task, init, -1)
    hopeless = not _all(reached, task.goal)
    for fact in range(init.size - 1):
        if not init[fact]:
            flags[fact] = hopeless or (reached[fact] and not _all(reach(task, init, fact), task.goal))
    return flags


@_compiled
def _all(holds: Flags, facts: Indices) -> Any:
    return np.all(holds[facts])


@_compiled
def pairs(actions: Actions, task: Relaxed, init: Words, without: int) -> Words:
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
def _banned(task: Relaxed, action: int, without: int) -> Any:
    if without >= 0:
        for starts, values in (task.needs, task.adds):
            for k in range(starts[action], starts[action + 1]):
                if values[k] == without:
                    return True
    return False


@_compiled
def _grew(task: Relaxed, action: int, grown_at: NDArray[np.int64], since: int) -> Any:
    """Return whether a row of the action's preconditions, or any row without any, changed after ``since``."""
    starts, values = task.needs
    grew = False
    for k in range(starts[action], starts[action + 1]):
        grew |= grown_at[values[k]] >= since
    return grew


@_compiled
def _possible_after(actions: Actions, task: Relaxed, action: int, together: Words, possible: Words) -> Any:
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
    task: Relaxed,
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
