"""The compiled loops of exhaustive search over states: rows of 64-bit words, hashed by open addressing.

Everything here is compiled by numba when first called, and kept on disk: beside this file in a checkout,
otherwise in the user's cache folder of this package, because an uninstaller removes only files that it
knows. If that folder is not writable, numba selects another one. ``NUMBA_CACHE_DIR`` overrides all. Loops
that call each other live in one file because numba invalidates its cache by file. Words are always combined
with ``np.uint64`` values: numba turns a mix of signed and unsigned 64-bit integers into floats.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import config, njit
from numpy.typing import NDArray

from orrery.installation import DISTRIBUTION, is_checkout

Words: TypeAlias = NDArray[np.uint64]
Indices: TypeAlias = NDArray[np.int32]
Flags: TypeAlias = NDArray[np.bool_]


def _cache_folder() -> str:
    """Return the user's cache folder of an installed package; empty for the choice of numba."""
    if is_checkout():
        return ""
    from platformdirs import user_cache_dir  # a twentieth of a second

    return user_cache_dir(DISTRIBUTION)


_CACHE = _cache_folder()


def _compiled(function: Any) -> Any:
    """Compile on first call; without a cache where no folder at all can be written."""
    chosen_by_user = config.CACHE_DIR
    config.CACHE_DIR = chosen_by_user or _CACHE
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return njit(nogil=True)(function)
    finally:
        config.CACHE_DIR = chosen_by_user  # other packages keep their own folders


class Actions(NamedTuple):
    """Ground actions as arrays: masks are A by W."""

    positive: Words
    negative: Words
    add: Words
    keep: Words


_NONE = np.uint64(0)

# The finaliser of MurmurHash3, whose output bits each depend on all input bits.
_MIX_FIRST = np.uint64(0xFF51AFD7ED558CCD)
_MIX_SECOND = np.uint64(0xC4CEB9FE1A85EC53)
_HALF = np.uint64(33)
_STRIDE = np.uint64(0x9E3779B97F4A7C15)  # of splitmix64: the same word counts for something else elsewhere


@_compiled
def _hashed(row: Words) -> Any:
    """Return the hash of a state."""
    total = _NONE
    for w in range(row.size):
        mixed = (row[w] + np.uint64(w) * _STRIDE) * _MIX_FIRST
        mixed ^= mixed >> _HALF
        mixed *= _MIX_SECOND
        total += mixed ^ mixed >> _HALF
    return total


@_compiled
def _slot(slots: Indices, states: Words, row: Words) -> Any:
    """Return the slot that holds the index of ``row``, or the empty one for it."""
    last = slots.size - 1
    place = np.int64(_hashed(row)) & last
    while slots[place] >= 0:
        index = slots[place]
        same = True
        for w in range(row.size):
            if states[index, w] != row[w]:
                same = False
                break
        if same:
            break
        place = (place + 1) & last
    return place


@_compiled
def find(slots: Indices, states: Words, row: Words) -> Any:
    """Return the index of a state, or -1."""
    return slots[_slot(slots, states, row)]


@_compiled
def _holds(actions: Actions, a: int, states: Words, index: int) -> Any:
    """Return whether action ``a`` is applicable."""
    for w in range(states.shape[1]):
        word, positive = states[index, w], actions.positive[a, w]
        if word & positive != positive or word & actions.negative[a, w] != _NONE:
            return False
    return True


@_compiled
def _succeed(actions: Actions, a: int, states: Words, index: int, row: Words) -> None:
    """Write the successor of a state to ``row``."""
    for w in range(row.size):
        row[w] = states[index, w] & actions.keep[a, w] | actions.add[a, w]


@_compiled
def explore(actions: Actions, init: Words, limit: int, slots: Indices) -> Any:
    """Search breadth first from ``init``; return the last fields of ``StateSpace``.

    ``slots`` are -1, at least twice ``limit``, and a power of two.
    """
    # Pages of memory that no state needs are never touched.
    states, trace = np.empty((limit, init.size), np.uint64), np.empty((3, limit), np.int32)
    applied_at, row = np.full(actions.positive.shape[0], -1, np.int32), init.copy()
    states[0], trace[:, 0] = row, np.array([0, -1, -1], np.int32)
    slots[_slot(slots, states, row)] = 0
    count, head = 1, 0
    while head < count:
        for a in range(applied_at.size):
            if not _holds(actions, a, states, head):
                continue
            if applied_at[a] < 0:
                applied_at[a] = head
            _succeed(actions, a, states, head, row)
            place = _slot(slots, states, row)
            if slots[place] >= 0:
                continue
            if count == limit:
                return states, trace, applied_at, slots, head
            states[count] = row
            trace[0, count], trace[1, count], trace[2, count] = trace[0, head] + 1, head, a
            slots[place] = count
            count += 1
        head += 1
    return states[:count], trace[:, :count], applied_at, slots, head


@_compiled
def link(actions: Actions, states: Words, slots: Indices) -> Any:
    """Return the edges between the states: (offsets int64[N + 1], successors int32, actions int32)."""
    number = states.shape[0]
    offsets, edges = np.zeros(number + 1, np.int64), np.empty((4 * number + 1, 2), np.int32)
    row, count = np.empty(states.shape[1], np.uint64), 0
    for index in range(number):
        for a in range(actions.positive.shape[0]):
            if not _holds(actions, a, states, index):
                continue
            _succeed(actions, a, states, index, row)
            successor = slots[_slot(slots, states, row)]
            if successor < 0:
                continue
            if count == edges.shape[0]:
                edges = np.concatenate((edges, np.empty_like(edges)))
            edges[count, 0], edges[count, 1] = successor, a
            count += 1
        offsets[index + 1] = count
    return offsets, edges[:count, 0].copy(), edges[:count, 1].copy()


@_compiled
def _reversed(offsets: NDArray[np.int64], successors: Indices) -> Any:
    """Return the predecessors of every state as (offsets, predecessors), by counting sort."""
    begin = np.zeros(offsets.size + 1, np.int64)
    for successor in successors:
        begin[successor + 2] += 1
    begin = np.cumsum(begin)
    predecessors = np.empty(successors.size, np.int32)
    for state in range(offsets.size - 1):
        for k in range(offsets[state], offsets[state + 1]):
            predecessors[begin[successors[k] + 1]] = state
            begin[successors[k] + 1] += 1
    return begin[:-1], predecessors


@_compiled
def distances(offsets: NDArray[np.int64], successors: Indices, goal: Flags) -> Indices:
    """Return steps from every state to the nearest goal state, -1 where none is reachable.

    The search is breadth first, backwards from the goal states.
    """
    begin, predecessors = _reversed(offsets, successors)
    distance, queue = np.where(goal, np.int32(0), np.int32(-1)), np.empty(goal.size, np.int32)
    count, head = 0, 0
    for state in np.flatnonzero(goal):
        queue[count] = state
        count += 1
    while head < count:
        state = queue[head]
        for k in range(begin[state], begin[state + 1]):
            before = predecessors[k]
            if distance[before] < 0:
                distance[before] = distance[state] + 1
                queue[count] = before
                count += 1
        head += 1
    return distance


@_compiled
def avoidable(states: Words, offsets: NDArray[np.int64], successors: Indices) -> Words:
    """Return for every state the facts without which it can be reached from the first state (N by W words).

    A path to t avoids p iff it ends in a step from an s that is reached avoiding p, and p is not in t:
    the least fixpoint of avoid(t) = union of avoid(s) minus the facts of t, for all facts at once. A state
    waits in a circular queue while its successors lack what it has gained.
    """
    avoid = np.zeros_like(states)
    waiting, queue = np.zeros(states.shape[0], np.bool_), np.empty(states.shape[0], np.int32)
    for w in range(states.shape[1]):
        avoid[0, w] = ~states[0, w]
    queue[0], head, queued = 0, 0, 1
    while queued:
        state = queue[head]
        head, queued, waiting[state] = (head + 1) % queue.size, queued - 1, False
        for k in range(offsets[state], offsets[state + 1]):
            target, grown = successors[k], _NONE
            for w in range(states.shape[1]):
                new = avoid[state, w] & ~states[target, w] & ~avoid[target, w]
                avoid[target, w] |= new
                grown |= new
            if grown != _NONE and not waiting[target]:
                queue[(head + queued) % queue.size] = target
                waiting[target] = True
                queued += 1
    return avoid


@_compiled
def preferred(actions: Actions, states: Words, seen: Words, taken: Flags, applied: Flags) -> Any:
    """Return the applicable actions in the first of ``states`` that a walk prefers, ascending.

    These are the ones that make a fact true outside ``seen``; if there is none, those not ``taken``; if there
    is none either, all. All applicable actions are marked in ``applied``.
    """
    preference, most = np.zeros(taken.size, np.int8), 0
    for a in range(taken.size):
        if not _holds(actions, a, states, 0):
            continue
        applied[a] = True
        preference[a] = 1 if taken[a] else 2
        for w in range(seen.size):
            if actions.add[a, w] & ~seen[w] != _NONE:
                preference[a] = 3
        most = max(most, preference[a])
    return np.flatnonzero(preference == most) if most else np.flatnonzero(preference)


@_compiled
def apply_to_each(actions: Actions, states: Words, chosen: Indices) -> Flags:
    """Replace every state by its successor after its chosen action, if that is applicable; return which were.

    ``chosen`` has an index of an action for each state; any other number applies nothing.
    """
    applied, row = np.zeros(states.shape[0], np.bool_), np.empty(states.shape[1], np.uint64)
    for index in range(states.shape[0]):
        a = chosen[index]
        if 0 <= a < actions.positive.shape[0] and _holds(actions, a, states, index):
            _succeed(actions, a, states, index, row)
            states[index] = row
            applied[index] = True
    return applied


@_compiled
def applicable_in_each(actions: Actions, states: Words) -> Flags:
    """Return for every state which actions are applicable (N by A)."""
    mask = np.empty((states.shape[0], actions.positive.shape[0]), np.bool_)
    for index in range(states.shape[0]):
        for a in range(mask.shape[1]):
            mask[index, a] = _holds(actions, a, states, index)
    return mask


@_compiled
def find_each(slots: Indices, states: Words, rows: Words) -> Indices:
    """Return the index of every row among the states, or -1."""
    indices = np.empty(rows.shape[0], np.int32)
    for place in range(rows.shape[0]):
        indices[place] = slots[_slot(slots, states, rows[place])]
    return indices
