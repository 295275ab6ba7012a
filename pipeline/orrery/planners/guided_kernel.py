"""The compiled inner loops of ``guided``: the heuristic LM-cut.

LM-cut is that of Helmert and Domshlak ("Landmarks, critical paths and abstractions: what's the difference
anyway?", 2009), with unit costs, so that what remains of a cost is 0 or 1 and values come in layers.
Compiled and cached as in ``exhaustive_kernel``; no function here calls one of another file.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from orrery.planners.exhaustive_kernel import Indices, Words, _compiled
from orrery.planners.relaxed_kernel import Relaxed

FAR = np.int32(2**30)
_ONE = np.uint64(1)
_NONE = np.uint64(0)


class Layers(NamedTuple):
    """Working space of LM-cut: by fact value, zone and queues; by action what is left to need and to pay."""

    value: Indices
    zone: Indices
    now: Indices
    later: Indices
    open_needs: Indices
    supporter: Indices
    cost: Indices


@_compiled
def layers(task: Relaxed) -> Layers:
    """Return working space for ``lm_cut``."""
    facts, actions, most = task.needed_by[0].size - 1, task.needs[0].size - 1, task.adds[1].size
    size = facts + most + 1
    return Layers(
        np.empty(facts, np.int32),
        np.empty(facts, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(actions, np.int32),
        np.empty(actions, np.int32),
        np.empty(actions, np.int32),
    )


@_compiled
def _holds(states: Words, index: int, fact: int) -> Any:
    """Return whether a fact, or the pseudo-fact that follows the last one, holds in a state."""
    return fact >> 6 < states.shape[1] and states[index, fact >> 6] >> np.uint64(fact & 63) & _ONE != _NONE


@_compiled
def _start(task: Relaxed, states: Words, index: int, work: Layers) -> Any:
    """Reset to the facts of the state, which are queued; return their number."""
    for action in range(work.cost.size):
        work.open_needs[action] = task.needs[0][action + 1] - task.needs[0][action]
        work.supporter[action] = -1
    count, last = 0, work.value.size - 1
    for fact in range(last + 1):
        work.value[fact] = FAR
        if fact == last or _holds(states, index, fact):
            work.value[fact] = 0
            work.now[count] = fact
            count += 1
    return count


@_compiled
def _support(task: Relaxed, fact: int, depth: int, work: Layers, count: int, waiting: int) -> Any:
    """Propagate ``fact`` to the actions that need it; return the lengths of the two queues."""
    for k in range(task.needed_by[0][fact], task.needed_by[0][fact + 1]):
        action = task.needed_by[1][k]
        work.open_needs[action] -= 1
        if work.open_needs[action]:
            continue
        work.supporter[action] = fact
        reached = depth + work.cost[action]
        for j in range(task.adds[0][action], task.adds[0][action + 1]):
            added = task.adds[1][j]
            if reached >= work.value[added]:
                continue
            work.value[added] = reached
            if reached == depth:
                work.now[count] = added
                count += 1
            else:
                work.later[waiting] = added
                waiting += 1
    return count, waiting


@_compiled
def _values(task: Relaxed, states: Words, index: int, work: Layers) -> Any:
    """Return h_max of each fact, the supporter of each action, the goal's value and fact, and work done."""
    count, depth, done = _start(task, states, index, work), 0, 0
    while count:
        waiting, head = 0, 0
        while head < count:
            fact = work.now[head]
            head += 1
            if work.value[fact] == depth:  # otherwise a cheaper path was found after it was queued
                done += 1
                count, waiting = _support(task, fact, depth, work, count, waiting)
        work.now[:waiting] = work.later[:waiting]
        count, depth = waiting, depth + 1
    worst = work.value.size - 1
    for k in range(task.goal.size):
        if work.value[task.goal[k]] > work.value[worst]:
            worst = task.goal[k]
    return work.value[worst], worst, done


@_compiled
def _mark_goal_zone(task: Relaxed, worst: int, work: Layers) -> None:
    """Mark with 1 the facts from which the goal comes free of cost."""
    zone, queue = work.zone, work.now
    zone[:] = 0
    zone[worst] = 1
    queue[0], head, count = worst, 0, 1
    while head < count:
        fact = queue[head]
        head += 1
        for k in range(task.added_by[0][fact], task.added_by[0][fact + 1]):
            action = task.added_by[1][k]
            before = work.supporter[action]
            if work.cost[action] == 0 and before >= 0 and zone[before] == 0:
                zone[before] = 1
                queue[count] = before
                count += 1


@_compiled
def _enters(task: Relaxed, action: int, zone: Indices) -> Any:
    """Return whether the action adds a fact of the goal zone."""
    found = False
    for j in range(task.adds[0][action], task.adds[0][action + 1]):
        found |= zone[task.adds[1][j]] == 1
    return found


@_compiled
def _cut(task: Relaxed, states: Words, index: int, work: Layers) -> None:
    """Take the cost of one off every action that enters the goal zone from what the state supports."""
    zone, queue = work.zone, work.now
    count, head = 0, 0
    for fact in range(zone.size):
        if fact == zone.size - 1 or _holds(states, index, fact):
            zone[fact] = 2
            queue[count] = fact
            count += 1
    while head < count:
        fact = queue[head]
        head += 1
        for k in range(task.needed_by[0][fact], task.needed_by[0][fact + 1]):
            action = task.needed_by[1][k]
            if work.supporter[action] == fact:
                if _enters(task, action, zone):
                    work.cost[action] = 0
                else:
                    count = _reach_on(task, action, zone, queue, count)


@_compiled
def _reach_on(task: Relaxed, action: int, zone: Indices, queue: Indices, count: int) -> Any:
    """Queue the facts of no zone that the action adds; return the length of the queue."""
    for j in range(task.adds[0][action], task.adds[0][action + 1]):
        added = task.adds[1][j]
        if zone[added] == 0:
            zone[added] = 2
            queue[count] = added
            count += 1
    return count


@_compiled
def lm_cut(task: Relaxed, states: Words, index: int, work: Layers) -> Any:
    """Return a lower bound on the distance of a state to the goal (FAR: out of reach), and the work done."""
    work.cost[:] = 1
    bound, spent = 0, 0
    while True:
        value, worst, done = _values(task, states, index, work)
        spent += done
        if value >= FAR:
            return FAR, spent
        if value == 0:
            return bound, spent
        bound += 1
        _mark_goal_zone(task, worst, work)
        _cut(task, states, index, work)


@_compiled
def bounds(task: Relaxed, states: Words) -> Any:
    """Return LM-cut of every state, and the work done as the number of facts that were given values."""
    found, work, spent = np.empty(states.shape[0], np.int32), layers(task), 0
    for index in range(states.shape[0]):
        found[index], done = lm_cut(task, states, index, work)
        spent += done
    return found, spent
