"""The compiled loops over states: rows of 64-bit words, hashed by open addressing.

Exhaustive searches and what follows from them, and random walks.

Everything here is compiled by numba when first called, and kept on disk beside this file
(``__pycache__``; where that cannot be written numba turns to the user's cache folder, and
``NUMBA_CACHE_DIR`` overrides both). Loops that call each other live in one file because numba
invalidates its cache by file. Words are always combined with ``np.uint64`` values: numba turns a mix
of signed and unsigned 64-bit integers into floats.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

Words: TypeAlias = NDArray[np.uint64]
Indices: TypeAlias = NDArray[np.int32]
Flags: TypeAlias = NDArray[np.bool_]


def _compiled(function: Any) -> Any:
    """Compile on first call; without a cache where no folder at all can be written."""
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return njit(nogil=True)(function)


class Actions(NamedTuple):
    """Ground actions as arrays: masks are A by W, and the watches say which actions to try when.

    Each action with a positive precondition is watched under one of them. ``watched`` (W words) marks
    the facts that watch some action; those of fact ``f`` are ``watch[watch_from[f] : watch_from[f + 1]]``,
    and those of the pseudo-fact ``F`` (the last) have no positive precondition.
    """

    positive: Words
    negative: Words
    add: Words
    keep: Words
    watched: Words
    watch_from: Indices
    watch: Indices


class SearchResult(NamedTuple):
    """The result of ``explore``: N states of W words, and for each its depth, parent and parent's action.

    ``applied_at`` holds for every action the first state whose expansion found it applicable, or -1;
    ``slots`` is the hash table: indices of states, or -1. The first ``expanded`` states were expanded.
    """

    states: Words
    trace: Indices
    applied_at: Indices
    slots: Indices
    complete: bool
    expanded: int


class Footprints(NamedTuple):
    """What walks have shown: the facts that held (W words), and of each action whether it was applicable.

    Whether it was taken, and whether it is ``stale``: all that it makes true has held before.
    """

    seen: Words
    applied: Flags
    taken: Flags
    stale: Flags


_ONE = np.uint64(1)
_NONE = np.uint64(0)
_FIRST_STATES = 256

# Position of a single bit: multiplying by a de Bruijn sequence puts a different pattern for each
# position into the top six bits.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_TOP_SIX = np.uint64(58)
_POSITION = np.zeros(64, dtype=np.int64)
for _bit in range(64):
    _POSITION[((int(_DE_BRUIJN) << _bit) & 0xFFFFFFFFFFFFFFFF) >> 58] = _bit

# The finaliser of MurmurHash3, whose output bits each depend on all input bits.
_MIX_FIRST = np.uint64(0xFF51AFD7ED558CCD)
_MIX_SECOND = np.uint64(0xC4CEB9FE1A85EC53)
_HALF = np.uint64(33)
_STRIDE = np.uint64(0x9E3779B97F4A7C15)  # of splitmix64: the same word counts for something else elsewhere

# Marsaglia's xorshift.
_SHIFTS = (np.uint64(13), np.uint64(7), np.uint64(17))


@_compiled
def _lowest(word: Any) -> Any:
    """Return position of the lowest bit set in a word that is not zero."""
    return _POSITION[((word & (_NONE - word)) * _DE_BRUIJN) >> _TOP_SIX]


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
def _mark_watched(actions: Actions, fact: int, states: Words, index: int, marks: Words) -> None:
    """Mark the applicable actions watched by ``fact``."""
    for k in range(actions.watch_from[fact], actions.watch_from[fact + 1]):
        a = actions.watch[k]
        if _holds(actions, a, states, index):
            marks[a >> 6] |= _ONE << np.uint64(a & 63)


@_compiled
def _applicable(actions: Actions, states: Words, index: int, marks: Words, indices: Indices) -> Any:
    """Write the applicable actions to ``indices`` in ascending order and return their number.

    ``marks`` are all zero on entry and on return: a bit set over actions costs less than sorting.
    """
    _mark_watched(actions, actions.watch_from.size - 2, states, index, marks)
    for w in range(states.shape[1]):
        word = states[index, w] & actions.watched[w]
        while word != _NONE:
            _mark_watched(actions, 64 * w + _lowest(word), states, index, marks)
            word &= word - _ONE
    count = 0
    for m in range(marks.size):
        word = marks[m]
        marks[m] = _NONE
        while word != _NONE:
            indices[count] = 64 * m + _lowest(word)
            count += 1
            word &= word - _ONE
    return count


@_compiled
def _succeed(actions: Actions, a: int, states: Words, index: int, row: Words) -> None:
    """Write the successor of a state to ``row``."""
    for w in range(row.size):
        row[w] = states[index, w] & actions.keep[a, w] | actions.add[a, w]


@_compiled
def _rehashed(states: Words, count: int, size: int) -> Indices:
    """Return a hash table of ``size`` slots that holds the first ``count`` states."""
    slots = np.full(size, -1, np.int32)
    for index in range(count):
        slots[_slot(slots, states, states[index])] = index
    return slots


@_compiled
def _wider(old: Indices, least: int) -> Indices:
    """Return an array of twice as many and ``least`` numbers that begins with those of ``old``."""
    new = np.empty(2 * old.size + least, np.int32)
    new[: old.size] = old
    return new


@_compiled
def _taller(old: Any, size: int) -> Any:
    """Return a table of ``size`` rows that begins with the rows of ``old``."""
    new = np.empty((size, old.shape[1]), old.dtype)
    new[: old.shape[0]] = old
    return new


@_compiled
def explore(actions: Actions, init: Words, limit: int) -> Any:
    """Search breadth first from ``init``; return the fields of ``SearchResult``."""
    size = min(limit, _FIRST_STATES)
    states, trace = np.empty((size, init.size), np.uint64), np.full((size, 3), -1, np.int32)
    slots = np.full(4 * _FIRST_STATES, -1, np.int32)
    applied_at = np.full(actions.positive.shape[0], -1, np.int32)
    indices, marks = np.empty_like(applied_at), np.zeros(applied_at.size // 64 + 1, np.uint64)
    row = init.copy()
    states[0], trace[0, 0] = row, 0
    slots[_slot(slots, states, row)] = 0
    count, head = 1, 0
    while head < count:
        for k in range(_applicable(actions, states, head, marks, indices)):
            a = indices[k]
            if applied_at[a] < 0:
                applied_at[a] = head
            _succeed(actions, a, states, head, row)
            place = _slot(slots, states, row)
            if slots[place] >= 0:
                continue
            if count == limit:
                return states[:count], trace[:count], applied_at, slots, False, head
            if count == size:
                size = min(limit, 2 * size)
                states, trace = _taller(states, size), _taller(trace, size)
                slots = _rehashed(states, count, 2 * slots.size)
                place = _slot(slots, states, row)
            states[count] = row
            trace[count, 0], trace[count, 1], trace[count, 2] = trace[head, 0] + 1, head, a
            slots[place] = count
            count += 1
        head += 1
    return states[:count], trace[:count], applied_at, slots, True, head


@_compiled
def link(actions: Actions, states: Words, slots: Indices) -> Any:
    """Return the edges between the states: (offsets int64[N + 1], successors int32, actions int32)."""
    number = states.shape[0]
    offsets = np.zeros(number + 1, np.int64)
    successors, edge_actions = np.empty(4 * number + 1, np.int32), np.empty(4 * number + 1, np.int32)
    indices = np.empty(actions.positive.shape[0], np.int32)
    marks, row = np.zeros(indices.size // 64 + 1, np.uint64), np.empty(states.shape[1], np.uint64)
    edges = 0
    for index in range(number):
        applicable = _applicable(actions, states, index, marks, indices)
        if edges + applicable > successors.size:
            successors, edge_actions = _wider(successors, applicable), _wider(edge_actions, applicable)
        for k in range(applicable):
            _succeed(actions, indices[k], states, index, row)
            successor = slots[_slot(slots, states, row)]
            if successor >= 0:
                successors[edges], edge_actions[edges] = successor, indices[k]
                edges += 1
        offsets[index + 1] = edges
    return offsets, successors[:edges], edge_actions[:edges]


@_compiled
def _reversed(offsets: NDArray[np.int64], successors: Indices) -> Any:
    """Return predecessors of every state as (offsets, predecessors), by counting sort."""
    begin = np.zeros(offsets.size + 1, np.int64)
    for successor in successors:
        begin[successor + 2] += 1
    for index in range(2, begin.size):
        begin[index] += begin[index - 1]
    predecessors = np.empty(successors.size, np.int32)
    for index in range(offsets.size - 1):
        for k in range(offsets[index], offsets[index + 1]):
            place = begin[successors[k] + 1]
            predecessors[place] = index
            begin[successors[k] + 1] = place + 1
    return begin[:-1], predecessors


@_compiled
def distances(offsets: NDArray[np.int64], successors: Indices, goal: NDArray[np.bool_]) -> Indices:
    """Return steps from every state to the nearest goal state, -1 where none is reachable."""
    begin, predecessors = _reversed(offsets, successors)
    distance, queue, count = np.full(goal.size, -1, np.int32), np.empty(goal.size, np.int32), 0
    for index in range(goal.size):
        if goal[index]:
            distance[index] = 0
            queue[count] = index
            count += 1
    head = 0
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
    the least fixpoint of avoid(t) = union of avoid(s) minus the facts of t, for all facts at once.
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
                new = avoid[state, w] & ~states[target, w]
                grown |= new & ~avoid[target, w]
                avoid[target, w] |= new
            if grown != _NONE and not waiting[target]:
                queue[(head + queued) % queue.size] = target
                waiting[target] = True
                queued += 1
    return avoid


@_compiled
def _next_random(seed: Any) -> Any:
    """Return the next number of Marsaglia's xorshift."""
    seed ^= seed << _SHIFTS[0]
    seed ^= seed >> _SHIFTS[1]
    return seed ^ seed << _SHIFTS[2]


@_compiled
def footprints(actions: Actions, init: Words) -> Footprints:
    """Return what is known before the first walk."""
    number = actions.positive.shape[0]
    flags = np.zeros((3, number), np.bool_)
    return Footprints(init.copy(), flags[0], flags[1], flags[2])


@_compiled
def walks(actions: Actions, init: Words, number: int, length: int, seed: Any, footprints: Footprints) -> Any:
    """Walk at random, add to what is known, and return the seed with which to go on.

    Of the applicable actions one is preferred that makes a fact true which was not seen before, then one
    that was not taken before.
    """
    facts, applied, taken_before = footprints.seen, footprints.applied, footprints.taken
    indices, marks = np.empty(applied.size, np.int32), np.zeros(applied.size // 64 + 1, np.uint64)
    state = np.empty((1, init.size), np.uint64)
    for _ in range(number):
        state[0] = init
        for _ in range(length):
            count = _applicable(actions, state, 0, marks, indices)
            if count == 0:
                break
            for k in range(count):
                applied[indices[k]] = True
            seed = _next_random(seed)
            preferred = _preferred(actions, footprints, indices, count)
            chosen = indices[np.int64(seed >> _ONE) % preferred]
            taken_before[chosen] = True
            _go_on(actions, chosen, state, facts)
    return seed


@_compiled
def _go_on(actions: Actions, a: int, state: Words, facts: Words) -> None:
    """Apply an action to the only row of ``state``; what holds then is seen."""
    for w in range(facts.size):
        state[0, w] = state[0, w] & actions.keep[a, w] | actions.add[a, w]
        facts[w] |= state[0, w]


@_compiled
def applied_in(actions: Actions, states: Words) -> Flags:
    """Return which actions are applicable in some of the states."""
    applied = np.zeros(actions.positive.shape[0], np.bool_)
    indices, marks = np.empty(applied.size, np.int32), np.zeros(applied.size // 64 + 1, np.uint64)
    for index in range(states.shape[0]):
        for k in range(_applicable(actions, states, index, marks, indices)):
            applied[indices[k]] = True
    return applied


@_compiled
def _preferred(actions: Actions, footprints: Footprints, indices: Indices, count: int) -> Any:
    """Move to the front of ``indices`` what is preferred; how many these are (all, where none is)."""
    fresh, untried = 0, 0
    for k in range(count):
        if footprints.stale[indices[k]]:
            continue
        if _adds_unseen(actions, indices[k], footprints.seen):
            indices[fresh], indices[k] = indices[k], indices[fresh]
            fresh += 1
        else:
            footprints.stale[indices[k]] = True
    if fresh:
        return fresh
    for k in range(count):
        if not footprints.taken[indices[k]]:
            indices[untried], indices[k] = indices[k], indices[untried]
            untried += 1
    return untried if untried else count


@_compiled
def _adds_unseen(actions: Actions, action: int, facts: Words) -> Any:
    new = _NONE
    for w in range(facts.size):
        new |= actions.add[action, w] & ~facts[w]
    return new != _NONE
