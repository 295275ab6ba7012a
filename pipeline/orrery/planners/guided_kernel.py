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
    starts, value, now = task.needs[0], work.value, work.now
    open_needs, supporter = work.open_needs, work.supporter
    for action in range(open_needs.size):
        open_needs[action] = starts[action + 1] - starts[action]
        supporter[action] = -1
    count, last = 0, value.size - 1
    for fact in range(last + 1):
        value[fact] = FAR
        if fact == last or _holds(states, index, fact):
            value[fact] = 0
            now[count] = fact
            count += 1
    return count


@_compiled
def _values(task: Relaxed, states: Words, index: int, work: Layers) -> Any:
    """Return h_max of each fact, the supporter of each action, the goal's value and fact, and work done.

    Each fact is propagated to the actions that need it. The arrays are taken out of their tuples once: where
    that is done in a loop, each access counts a reference up and down.
    """
    needed_from, needed = task.needed_by
    adds_from, adds = task.adds
    value, now, later, cost = work.value, work.now, work.later, work.cost
    open_needs, supporter = work.open_needs, work.supporter
    count, depth, done = _start(task, states, index, work), 0, 0
    while count:
        waiting, head = 0, 0
        while head < count:
            fact = now[head]
            head += 1
            if value[fact] != depth:  # a cheaper path was found after it was queued
                continue
            done += 1
            for k in range(needed_from[fact], needed_from[fact + 1]):
                action = needed[k]
                open_needs[action] -= 1
                if open_needs[action]:
                    continue
                supporter[action] = fact
                reached = depth + cost[action]
                for j in range(adds_from[action], adds_from[action + 1]):
                    added = adds[j]
                    if reached >= value[added]:
                        continue
                    value[added] = reached
                    if reached == depth:
                        now[count] = added
                        count += 1
                    else:
                        later[waiting] = added
                        waiting += 1
        now[:waiting] = later[:waiting]
        count, depth = waiting, depth + 1
    worst = _dearest(task.goal, value)
    return value[worst], worst, done


@_compiled
def _dearest(goal: Indices, value: Indices) -> Any:
    """Return the fact of the goal with the highest value; the pseudo-fact where none has one."""
    worst = value.size - 1
    for k in range(goal.size):
        if value[goal[k]] > value[worst]:
            worst = goal[k]
    return worst


@_compiled
def _mark_goal_zone(task: Relaxed, worst: int, work: Layers) -> None:
    """Mark with 1 the facts from which the goal comes free of cost."""
    added_from, added_by = task.added_by
    zone, queue, supporter, cost = work.zone, work.now, work.supporter, work.cost
    zone[:] = 0
    zone[worst] = 1
    queue[0], head, count = worst, 0, 1
    while head < count:
        fact = queue[head]
        head += 1
        for k in range(added_from[fact], added_from[fact + 1]):
            action = added_by[k]
            before = supporter[action]
            if cost[action] == 0 and before >= 0 and zone[before] == 0:
                zone[before] = 1
                queue[count] = before
                count += 1


@_compiled
def _cut(task: Relaxed, states: Words, index: int, work: Layers) -> None:
    """Take the cost of one off every action that enters the goal zone from what the state supports.

    The facts of no zone that the other actions add are marked with 2, and gone on from.
    """
    needed_from, needed = task.needed_by
    adds_from, adds = task.adds
    zone, queue, supporter, cost = work.zone, work.now, work.supporter, work.cost
    count, head = 0, 0
    for fact in range(zone.size):
        if fact == zone.size - 1 or _holds(states, index, fact):
            zone[fact] = 2
            queue[count] = fact
            count += 1
    while head < count:
        fact = queue[head]
        head += 1
        for k in range(needed_from[fact], needed_from[fact + 1]):
            action = needed[k]
            if supporter[action] != fact:
                continue
            enters = False
            for j in range(adds_from[action], adds_from[action + 1]):
                enters |= zone[adds[j]] == 1
            if enters:
                cost[action] = 0
                continue
            for j in range(adds_from[action], adds_from[action + 1]):
                if zone[adds[j]] == 0:
                    zone[adds[j]] = 2
                    queue[count] = adds[j]
                    count += 1


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
