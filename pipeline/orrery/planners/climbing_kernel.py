"""The compiled inner loops of ``climbing``: the heuristic of FF, and enforced hill-climbing.

Both are of Hoffmann and Nebel ("The FF planning system: fast plan generation through heuristic search",
2001). Compiled and cached as in ``exhaustive_kernel``; no function here calls one of another file.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from orrery.planners.exhaustive_kernel import Actions, Flags, Footprints, Indices, Words, _compiled
from orrery.planners.relaxed_kernel import Relaxed

FAR = np.int32(2**30)
_ONE = np.uint64(1)
_NONE = np.uint64(0)


class Layers(NamedTuple):
    """Working space of the heuristic.

    By fact the layer in which the relaxation reaches it and the action that does, whether it is needed or
    asked for, and a queue; by action what is left to need, and whether it is in the relaxed plan.
    """

    value: Indices
    supporter: Indices
    marked: Flags
    queue: Indices
    open_needs: Indices
    chosen: Flags


class Hill(NamedTuple):
    """States met since the last step downhill: their words, and of each its parent and the action from it."""

    rows: Words
    parent: Indices
    action: Indices


@_compiled
def layers(task: Relaxed) -> Layers:
    """Return working space for the heuristic."""
    facts, actions = task.needed_by[0].size - 1, task.needs[0].size - 1
    return Layers(
        np.empty(facts, np.int32),
        np.empty(facts, np.int32),
        np.zeros(facts, np.bool_),
        np.empty(facts, np.int32),
        np.empty(actions, np.int32),
        np.zeros(actions, np.bool_),
    )


@_compiled
def reach(task: Relaxed, row: Words, wanted: Indices, work: Layers) -> Any:
    """Write in which layer the relaxation reaches each fact from a state; return how many were looked at.

    Stop once the facts ``wanted`` are reached, unless these are none; other values may be FAR then.
    """
    starts, needed = task.needed_by
    add_starts, adds = task.adds
    value, supporter, queue = work.value, work.supporter, work.queue
    open_needs, marked = work.open_needs, work.marked
    open_needs[:] = task.needs[0][1:] - task.needs[0][:-1]
    last, count, left = value.size - 1, 0, 0
    for fact in wanted:
        left += not marked[fact]
        marked[fact] = True
    for fact in range(last + 1):
        value[fact] = FAR
        if fact == last or row[fact >> 6] >> np.uint64(fact & 63) & _ONE:
            value[fact] = 0
            queue[count] = fact
            count += 1
            left -= marked[fact]
    head = 0
    while head < count and (left > 0 or wanted.size == 0):
        fact = queue[head]
        head += 1
        for k in range(starts[fact], starts[fact + 1]):
            action = needed[k]
            open_needs[action] -= 1
            if open_needs[action]:
                continue
            for j in range(add_starts[action], add_starts[action + 1]):
                added = adds[j]
                if value[added] == FAR:
                    value[added] = value[fact] + 1
                    supporter[added] = action
                    queue[count] = added
                    count += 1
                    left -= marked[added]
    marked[wanted] = False
    return head


@_compiled
def _queued(facts: Indices, work: Layers, count: int) -> Any:
    """Put the facts that do not hold behind ``count`` in the queue, each once; return how many there are."""
    for fact in facts:
        if work.value[fact] and not work.marked[fact]:
            work.marked[fact] = True
            work.queue[count] = fact
            count += 1
    return count


@_compiled
def _planned(task: Relaxed, wanted: Indices, work: Layers) -> Any:
    """Queue the facts that a relaxed plan makes true; return their number, and that of its actions."""
    starts, needs = task.needs
    supporter, queue, chosen = work.supporter, work.queue, work.chosen
    count, head, size = _queued(wanted, work, 0), 0, 0
    while head < count:
        action = supporter[queue[head]]
        head += 1
        if not chosen[action]:
            chosen[action] = True
            size += 1
            count = _queued(needs[starts[action] : starts[action + 1]], work, count)
    return count, size


@_compiled
def relaxed_plan(task: Relaxed, wanted: Indices, work: Layers) -> Any:
    """Return the number of actions of a relaxed plan for ``wanted``, FAR where there is none.

    ``reach`` has written the layers. The facts of the first layer that the plan makes true are left in
    ``queue``; their number is returned, too.
    """
    value, queue = work.value, work.queue
    for fact in wanted:
        if value[fact] == FAR:
            return FAR, 0
    count, size = _planned(task, wanted, work)
    first = 0
    for place in range(count):
        fact = queue[place]
        work.marked[fact] = work.chosen[work.supporter[fact]] = False
        if value[fact] == 1:
            queue[first] = fact
            first += 1
    return size, first


@_compiled
def applicable(actions: Actions, action: int, row: Words) -> Any:
    """Return whether an action is applicable in a state."""
    for w in range(row.size):
        if row[w] & actions.positive[action, w] != actions.positive[action, w]:
            return False
        if row[w] & actions.negative[action, w] != _NONE:
            return False
    return True


@_compiled
def note(actions: Actions, row: Words, known: Footprints) -> None:
    """Add what a state shows: the facts that hold, and the actions that are applicable."""
    for w in range(row.size):
        known.seen[w] |= row[w]
    for action in range(known.applied.size):
        if not known.applied[action] and applicable(actions, action, row):
            known.applied[action] = True


@_compiled
def _met(hill: Hill, count: int) -> Any:
    """Return whether the state behind the last of ``count`` is one of them."""
    for place in range(count):
        same = True
        for w in range(hill.rows.shape[1]):
            if hill.rows[place, w] != hill.rows[count, w]:
                same = False
                break
        if same:
            return True
    return False


@_compiled
def _lower(
    actions: Actions, task: Relaxed, wanted: Indices, height: int, hill: Hill, known: Footprints, work: Layers
) -> Any:
    """Search breadth first for a state lower than the first of ``hill``, by helpful actions alone.

    Return its place and height and the number of facts looked at; -1 where there is none, or no room.
    """
    count, head, done = 1, 0, 0
    helpful = np.empty(work.queue.size, np.int32)
    while head < count:
        done += reach(task, hill.rows[head], wanted, work)
        _, first = relaxed_plan(task, wanted, work)
        helpful[:first] = work.queue[:first]
        for place in range(first):
            fact = helpful[place]
            for k in range(task.added_by[0][fact], task.added_by[0][fact + 1]):
                action = task.added_by[1][k]
                if not applicable(actions, action, hill.rows[head]):
                    continue
                if count == hill.rows.shape[0]:
                    return -1, FAR, done
                for w in range(hill.rows.shape[1]):
                    hill.rows[count, w] = (
                        hill.rows[head, w] & actions.keep[action, w] | actions.add[action, w]
                    )
                if _met(hill, count):
                    continue
                hill.parent[count], hill.action[count] = head, action
                note(actions, hill.rows[count], known)
                done += reach(task, hill.rows[count], wanted, work)
                there, _ = relaxed_plan(task, wanted, work)
                if there < height:
                    return count, there, done
                count += there < FAR
        head += 1
    return -1, FAR, done


@_compiled
def climb(
    actions: Actions,
    task: Relaxed,
    state: Words,
    wanted: Indices,
    hill: Hill,
    known: Footprints,
    work: Layers,
    budget: int,
) -> Any:
    """Go from ``state``, which is changed, downhill to where the facts ``wanted`` hold.

    No step begins once ``budget`` facts were looked at. Return whether they hold, the actions taken, and how
    many facts were looked at. What every state that was met shows is added to what is ``known``.
    """
    steps = [np.int32(0) for _ in range(0)]
    done = reach(task, state, wanted, work)
    height, _ = relaxed_plan(task, wanted, work)
    while 0 < height < FAR and done < budget:
        hill.rows[0] = state
        hill.parent[0] = -1
        place, height, more = _lower(actions, task, wanted, height, hill, known, work)
        done += more
        if place < 0:
            break
        state[:] = hill.rows[place]
        at = len(steps)
        while place > 0:
            steps.insert(at, hill.action[place])
            place = hill.parent[place]
    return height == 0, steps, done
