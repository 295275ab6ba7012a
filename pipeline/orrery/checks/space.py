"""A plain breadth-first search that keeps its edges, and what follows from a whole state space.

Written for the checks and sharing no code with the compiled search that made most answers: all actions are
tried on all states of a layer at once, as rows of 64-bit words; distances are found backwards along the
edges, landmarks by what all paths into a state have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from orrery.semantics.task import PlanningTask

MOST_STATES = 50_000
MOST_TESTS = 5_000_000  # of preconditions: a tenth of a second
AT_ONCE = 2**18  # of these tests
BLOCK = 2**11  # states tried at once
UNSEEN = -1
KEPT = 8  # searches: those of large problems take some ten megabytes each
WORD = 8  # bytes
EMPTY = -1
LEAST_ROOM = 1024  # of the table of states
MIX = np.uint64(0x9E3779B97F4A7C15)  # of Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4)

Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]
_NONE: Numbers = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Visited:
    """States in breadth-first order, a row of ``words`` each, and the numbers of the actions ``applied``.

    Applied are those that some state tried allows, also those that change nothing.
    """

    words: Words
    applied: frozenset[int]

    @cached_property
    def reached(self) -> int:
        """The facts that hold in some state."""
        return _mask(np.bitwise_or.reduce(self.words, axis=0))

    def meeting(self, positive: int, negative: int) -> Numbers:
        """Return the numbers of the states in which all of some facts hold and none of others, ascending."""
        width = self.words.shape[1]
        known = (1 << WORD * 8 * width) - 1
        if positive & (negative | ~known):
            return _NONE
        wanted, both = rows_of([positive, (positive | negative) & known], width)
        good = np.ones(len(self.words), bool)
        for word in np.flatnonzero(both):  # one after the other, which takes less memory
            good &= (self.words[:, word] & both[word]) == wanted[word]
        return np.flatnonzero(good)


@dataclass(frozen=True, eq=False)
class StateGraph(Visited):
    """States visited, and of each state expanded its edges, by action.

    ``depths`` and the edges' ``sources``, ``actions`` and ``targets`` are numbers. The first ``expanded``
    states have edges. ``complete`` is False where a limit kept states out: then depths and edges are right as
    far as they go.
    """

    task: PlanningTask
    depths: Numbers
    sources: Numbers
    actions: Numbers
    targets: Numbers
    expanded: int
    complete: bool

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.words)

    @cached_property
    def states(self) -> list[int]:
        """The states as bit sets."""
        row = self.words.shape[1] * WORD
        content = self.words.tobytes()
        return [int.from_bytes(content[at : at + row], "little") for at in range(0, len(content), row)]

    @cached_property
    def number(self) -> dict[int, int]:
        """The number of each state."""
        return {state: number for number, state in enumerate(self.states)}

    @cached_property
    def goals(self) -> list[int]:
        """Numbers of the states in which the goal holds, nearest first."""
        found: list[int] = self.meeting(self.task.goal_positive, self.task.goal_negative).tolist()
        return found

    @property
    def cost(self) -> int | None:
        """The least number of actions to a goal state seen: the fewest there is, as layers come in order."""
        return int(self.depths[self.goals[0]]) if self.goals else None

    @cached_property
    def settled(self) -> bool:
        """Whether all states nearer than the nearest goal state seen were expanded."""
        cost = self.cost
        return cost is not None and not (self.depths[self.expanded :] < cost).any()

    def layers(self) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
        """Yield sources, actions and targets of the edges from each layer to the next, from depth 0 on."""
        down = np.flatnonzero(self.depths[self.targets] == self.depths[self.sources] + 1)
        depths = self.depths[self.sources[down]]
        for depth in range(int(depths[-1]) + 1 if len(depths) else 0):
            some = down[slice(*np.searchsorted(depths, [depth, depth + 1]))]
            yield self.sources[some], self.actions[some], self.targets[some]

    @cached_property
    def openers(self) -> frozenset[int] | None:
        """Numbers of the actions that begin a shortest plan; None where nearer states are untried."""
        cost = self.cost
        if cost is None or not self.settled:
            return None
        good = np.zeros(self.size, bool)
        good[[goal for goal in self.goals if self.depths[goal] == cost]] = True
        layers = list(self.layers())[:cost]
        for sources, _, targets in reversed(layers[1:]):
            good[sources[good[targets]]] = True
        if not layers:
            return frozenset()
        _, actions, targets = layers[0]
        return frozenset(actions[good[targets]].tolist())

    @cached_property
    def distances(self) -> list[int]:
        """The fewest actions from each state to the goal, -1 where there is no path; of a complete space."""
        found = np.full(self.size, UNSEEN)
        found[self.goals] = 0
        waiting = np.arange(len(self.sources))
        for distance in range(self.size):
            waiting = waiting[found[self.sources[waiting]] == UNSEEN]
            near = self.sources[waiting[found[self.targets[waiting]] == distance]]
            if not len(near):
                break
            found[near] = distance + 1
        listed: list[int] = found.tolist()
        return listed

    @cached_property
    def landmarks(self) -> int:
        """The facts that every plan makes true at some time; all facts where there is none.

        Of a complete space: what holds on every path into a state is what all its predecessors have in
        common, and what holds in itself; the largest solution of that, over all goal states.
        """
        (everything,) = rows_of([(1 << len(self.task.facts)) - 1], self.words.shape[1])
        always = np.broadcast_to(everything, self.words.shape).copy()
        always[0] = self.words[0]
        for sources, _, targets in self.layers():
            self._keep_common(always, sources, targets)
        order = np.argsort(self.targets, kind="stable")
        sources, targets = self.sources[order], self.targets[order]
        while self._keep_common(always, sources, targets):
            pass
        return _mask(np.bitwise_and.reduce(always[self.goals], axis=0)) if self.goals else _mask(everything)

    def _keep_common(self, always: Words, sources: Numbers, targets: Numbers) -> bool:
        """Keep of each target what its predecessors allow; return whether anything went."""
        if not len(targets):
            return False
        order = np.argsort(targets, kind="stable")
        sources, targets = sources[order], targets[order]
        first = np.flatnonzero(np.diff(targets, prepend=-1))
        common = np.bitwise_and.reduceat(always[sources], first, axis=0)
        news = always[targets[first]] & (common | self.words[targets[first]])
        changed = bool((news != always[targets[first]]).any())
        always[targets[first]] = news
        return changed


class Spaces:
    """Searches that were made, so that whoever asks of the same states, for whatever goal, shares them."""

    def __init__(self) -> None:
        """Begin without any."""
        self._made: dict[tuple[object, ...], StateGraph] = {}

    def explore(self, task: PlanningTask, most: int = MOST_STATES) -> StateGraph:
        """Return what ``explore`` returns for the task."""
        whole = (task.init, len(task.facts), task.actions)
        made = self._made.get(whole)
        if made is None or made.size > most:
            made = self._made.get((*whole, most))
        if made is None:
            made = explore(task, most)
            while len(self._made) >= KEPT:
                self._made.pop(next(iter(self._made)))
            self._made[whole if made.complete else (*whole, most)] = made
        return replace(made, task=task)


class ActionMasks(NamedTuple):
    """Rows of words, by action: the facts it looks at, those of them that must hold, those kept and added.

    ``possible`` says of which actions no precondition denies another.
    """

    possible: NDArray[np.bool_]
    looked_at: Words
    needed: Words
    kept: Words
    added: Words

    @classmethod
    def of(cls, task: PlanningTask) -> ActionMasks:
        """Return those of a task."""
        width = width_of(task)

        def rows(mask: Callable[[Any], int]) -> Words:
            return rows_of(map(mask, task.actions), width)

        return cls(
            np.array([not action.positive & action.negative for action in task.actions], bool),
            rows(lambda action: action.positive | action.negative),
            rows(lambda action: action.positive),
            ~rows(lambda action: action.delete),
            rows(lambda action: action.add),
        )

    def tried_on(self, states: Words) -> tuple[Numbers, Numbers, Words]:
        """Return the edges of some states, in order: the place of the state, the action, what follows."""
        step = max(1, AT_ONCE // max(1, len(self.needed)))
        places, actions = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for start in range(0, len(states), step):
            some = states[start : start + step]
            allowed = np.broadcast_to(self.possible, (len(some), len(self.possible))).copy()
            for word in range(states.shape[1]):
                allowed &= (some[:, word, None] & self.looked_at[:, word]) == self.needed[:, word]
            at, action = np.nonzero(allowed)
            places.append(at + start)
            actions.append(action)
        place, action = np.concatenate(places), np.concatenate(actions)
        return place, action, states[place] & self.kept[action] | self.added[action]

    def applicable_in(self, states: Iterable[int]) -> frozenset[int]:
        """Return the numbers of the actions that some of the states, given as bit sets, allow."""
        _, actions, _ = self.tried_on(rows_of(states, self.needed.shape[1]))
        return frozenset(np.unique(actions).tolist())


class _Known:
    """States by number, found through a table of hashes with open addressing; many are entered at once."""

    def __init__(self, width: int) -> None:
        self._rows: Words = np.empty((LEAST_ROOM, width), np.uint64)
        self._count = 0
        self._table = np.full(LEAST_ROOM, EMPTY, np.int32)

    @property
    def words(self) -> Words:
        """The states, by number."""
        return self._rows[: self._count]

    def enter(self, rows: Words) -> Numbers:
        """Return the numbers of states; one not known yet gets the next."""
        parts = [self._entered(rows[start : start + AT_ONCE]) for start in range(0, len(rows), AT_ONCE)]
        return np.concatenate([_NONE, *parts])

    def _entered(self, rows: Words) -> Numbers:
        count, total = self._count, self._count + len(rows)
        self._make_room(total)
        self._rows[count:total] = rows
        every = self._rows[:total]
        found, claimed = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
        slots, waiting = self._slots(rows), np.arange(len(rows))
        while len(waiting):
            at = slots[waiting]
            free = self._table[at] == EMPTY
            # Of several that want a place the last one written gets it: the first of them.
            self._table[at[free][::-1]] = count + waiting[free][::-1]
            claimed[waiting[free]] = at[free]
            there = self._table[at]
            same = (every[there] == rows[waiting]).all(axis=1)
            found[waiting[same]] = there[same]
            waiting = waiting[~same]
            slots[waiting] = (slots[waiting] + 1) % len(self._table)
        new = np.flatnonzero(found == count + np.arange(len(rows)))
        numbers = np.arange(len(new), dtype=np.int64) + count
        self._table[claimed[new]] = numbers
        fresh = np.flatnonzero(found >= count)
        found[fresh] = numbers[np.searchsorted(new, found[fresh] - count)]
        self._rows[count : count + len(new)] = rows[new]
        self._count += len(new)
        return found

    def _make_room(self, total: int) -> None:
        """Have room for so many states, and keep the table at least half empty."""
        if total > len(self._rows):
            # What is not written to yet takes no memory, unless it is copied.
            rows: Words = np.empty((max(total, 2 * len(self._rows)), self._rows.shape[1]), np.uint64)
            rows[: self._count] = self.words
            self._rows = rows
        slots = len(self._table)
        while slots < 2 * total:
            slots *= 4
        if slots > len(self._table):
            self._table = np.full(slots, EMPTY, np.int32)
            words, self._count = self.words, 0
            self.enter(words)  # all new again, so that each is written where it is read

    def _slots(self, rows: Words) -> Numbers:
        found = np.zeros(len(rows), np.uint64)
        for word in range(rows.shape[1]):
            found = (found ^ rows[:, word]) * MIX
            found ^= found >> np.uint64(29)
        return (found % np.uint64(len(self._table))).astype(np.int64)


class _Search:
    """A breadth-first search for at most ``most`` states, by at most ``tests`` applicability tests."""

    def __init__(self, task: PlanningTask, most: int, tests: int) -> None:
        self.task, self.most = task, most
        self.expandable = tests // len(task.actions) + 1 if task.actions else most
        self.known, self.expanded = _Known(width_of(task)), 0
        self.known.enter(rows_of([task.init], width_of(task)))
        self.bounds = [0, 1]  # of the layers
        self._applied = np.zeros(len(task.actions), bool)

    def blocks(self) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
        """Search, and yield sources, actions and targets of the edges of some states at a time."""
        masks, bounds, known = ActionMasks.of(self.task), self.bounds, self.known
        while self.expanded < min(bounds[-1], self.expandable):
            first, last = self.expanded, min(bounds[-1], self.expandable, self.expanded + BLOCK)
            places, actions, after = masks.tried_on(known.words[first:last])
            targets = known.enter(after)
            # Of what is beyond the limit the first state, and all that comes after it, is as if not there.
            beyond = np.flatnonzero(targets >= self.most)
            self.expanded = first + int(places[beyond[0]]) if len(beyond) else last
            inside = np.searchsorted(places, self.expanded - first)
            self._applied[actions[:inside]] = True
            yield places[:inside] + first, actions[:inside], targets[:inside]
            if len(beyond) or (self.expanded == bounds[-1] < len(known.words)):
                bounds.append(min(len(known.words), self.most))
            if len(beyond):
                return
        bounds.append(len(known.words))

    @property
    def visited(self) -> Visited:
        """The states found so far, and the actions tried."""
        return Visited(self.known.words[: self.most], frozenset(np.flatnonzero(self._applied).tolist()))


def explore(task: PlanningTask, most: int = MOST_STATES, tests: int = MOST_TESTS) -> StateGraph:
    """Return the reachable states of ``task``, at most ``most``, by at most ``tests`` applicability tests."""
    search = _Search(task, most, tests)
    edges = [(_NONE, _NONE, _NONE), *search.blocks()]
    depths = np.repeat(np.arange(len(search.bounds) - 1), np.diff(search.bounds))
    sources, actions, targets = (np.concatenate(each) for each in zip(*edges, strict=True))
    complete, found = search.expanded == len(search.known.words), search.visited
    return StateGraph(
        found.words, found.applied, task, depths, sources, actions, targets, search.expanded, complete
    )


def visited(task: PlanningTask, most: int, tests: int) -> Visited:
    """Return the states that ``explore`` finds, and nothing of their edges, which take more memory."""
    search = _Search(task, most, tests)
    for _ in search.blocks():
        pass
    return search.visited


def width_of(task: PlanningTask) -> int:
    """Return how many words a state takes."""
    return -(-len(task.facts) // (WORD * 8)) or 1


def rows_of(masks: Iterable[int], width: int) -> Words:
    """Return bit sets as rows of words."""
    content = b"".join(mask.to_bytes(width * WORD, "little") for mask in masks)
    return np.frombuffer(content, "<u8").reshape(-1, width)


def _mask(row: Words) -> int:
    return int.from_bytes(row.astype("<u8").tobytes(), "little")
