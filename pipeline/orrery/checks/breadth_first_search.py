"""Search breadth-first over states as bit sets, and derive the facts that a whole state space proves.

This search is written for the checks. It shares no code with the compiled search that decided most rows,
except the ground task that both read; ``relaxation`` checks that task against the action schemas.

States of the same depth are expanded many at a time: they are rows of 64-bit words, and each action is tested
on all of these rows at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import count, islice
from operator import and_
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.planning.task import GroundAction, PlanningTask

MOST_STATES = 50_000
MOST_TESTS = 5_000_000  # limit of tests of one action on one state
TOGETHER = 1 << 18  # tests of one action on one state that are made at once
WORD_BITS = 64
WORD = np.dtype("<u8")

Numbers: TypeAlias = NDArray[np.integer[Any]]
Words: TypeAlias = NDArray[np.uint64]


class SearchedStates(NamedTuple):
    """The states of a search in breadth-first order, and the transitions from the first ``expanded`` of them.

    Transition ``i`` leads from state ``sources[i]`` by action ``actions[i]`` to state ``targets[i]``; all
    three are indices, and ``sources`` is sorted. A limit, of states or of tests, may have ended the search
    before all states were expanded; the depths and transitions found until then are correct.
    """

    states: list[int]
    depths: list[int]
    sources: Numbers
    actions: Numbers
    targets: Numbers
    expanded: int

    @property
    def complete(self) -> bool:
        """Whether these are all reachable states."""
        return self.expanded == len(self.states)


@dataclass(frozen=True, eq=False)
class StateGraph:
    """The states of a search, and the goal of a task among them."""

    task: PlanningTask
    search: SearchedStates

    @property
    def states(self) -> list[int]:
        """The states in breadth-first order."""
        return self.search.states

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.search.states)

    @property
    def complete(self) -> bool:
        """Whether these are all reachable states."""
        return self.search.complete

    @cached_property
    def goals(self) -> list[int]:
        """Indices of the goal states, nearest first."""
        return [number for number, state in enumerate(self.states) if self.task.is_goal(state)]

    @property
    def nearest_goals(self) -> list[int]:
        """Indices of the goal states that a shortest plan reaches."""
        return [goal for goal in self.goals if self.search.depths[goal] == self.cost]

    @property
    def cost(self) -> int | None:
        """The minimum number of actions to a goal state; None if no goal state was seen."""
        return self.search.depths[self.goals[0]] if self.goals else None

    def transitions(self) -> Iterator[tuple[int, int, int]]:
        """Yield (source, action, target), by ascending source."""
        columns = self.search.sources, self.search.actions, self.search.targets
        return zip(*(column.tolist() for column in columns), strict=True)

    def layered(self) -> list[tuple[int, int, int]] | None:
        """Return the transitions that shortest plans may use: from layer to layer, up to the nearest goal.

        Return None if no goal state was seen, or if a state nearer than the goal was not expanded.
        """
        cost, depths = self.cost, self.search.depths
        if cost is None or not (self.complete or depths[self.search.expanded] >= cost):
            return None
        return [
            (source, action, target)
            for source, action, target in self.transitions()
            if depths[source] < cost and depths[target] == depths[source] + 1
        ]

    @cached_property
    def first_actions(self) -> frozenset[int] | None:
        """Indices of the actions that begin a shortest plan, or None where ``layered`` is None."""
        layered = self.layered()
        if layered is None:
            return None
        on_plan = set(self.nearest_goals)
        for source, _, target in reversed(layered):
            if target in on_plan:
                on_plan.add(source)
        return frozenset(action for source, action, target in layered if source == 0 and target in on_plan)

    @cached_property
    def costs_to_go(self) -> list[int | None]:
        """The minimum number of actions to a goal state from each state; None if no goal state is reachable.

        The space must be complete.
        """
        assert self.complete, "a part of the space proves no distance"
        sources_of: dict[int, list[int]] = defaultdict(list)
        for source, _, target in self.transitions():
            sources_of[target].append(source)
        costs: list[int | None] = [None] * self.size
        layer, cost = self.goals, 0
        while layer:
            for state in layer:
                costs[state] = cost
            before = (source for state in layer for source in sources_of[state])
            layer, cost = [source for source in dict.fromkeys(before) if costs[source] is None], cost + 1
        return costs

    @cached_property
    def landmarks(self) -> int:
        """The facts that every plan makes true at some time; all facts if no plan exists.

        The space must be complete.

        The facts on every path into a state are its own facts and those on every path into all its
        predecessors: the greatest solution of these equations.
        """
        assert self.complete, "the paths of a part of the space prove nothing"
        every_fact = (1 << len(self.task.facts)) - 1
        states = self.states
        on_all_paths = [states[0]] + [every_fact] * (self.size - 1)
        changed = True
        while changed:
            changed = False
            for source, _, target in self.transitions():
                facts = on_all_paths[target] & (on_all_paths[source] | states[target])
                if facts != on_all_paths[target]:
                    on_all_paths[target], changed = facts, True
        return reduce(and_, (on_all_paths[goal] for goal in self.goals), every_fact)


def search_states(init: int, actions: Sequence[GroundAction], most: int, tests: int) -> SearchedStates:
    """Return the states of a search within the limits of ``expansions``."""
    states, depths, expanded = [init], [0], 0
    transitions: list[Numbers] = [np.empty((3, 0), np.intc)]
    for group in expansions(init, actions, most, tests):
        states += group.new
        depths += [group.depth + 1] * len(group.new)
        transitions.append(group.transitions)
        expanded += group.expanded
    sources, applied, targets = np.concatenate(transitions, axis=1)
    return SearchedStates(states, depths, sources, applied, targets, expanded)


@lru_cache(maxsize=8)
def _searches_of(init: int, actions: Sequence[GroundAction]) -> dict[tuple[int, int], SearchedStates]:
    """Return the searches made from a state, by their limits; the rows of a problem differ in their goals."""
    return {}


def explore(task: PlanningTask, most: int = MOST_STATES, tests: int = MOST_TESTS) -> StateGraph:
    """Return the reachable states of a task, as far as a search within these limits finds them.

    A complete search is reused for all limits that contain it.
    """
    searches = _searches_of(task.init, task.actions)
    for (_, tests_before), search in searches.items():
        if search.complete and len(search.states) <= most and tests_before <= tests:
            return StateGraph(task, search)
    if (most, tests) not in searches:
        searches[most, tests] = search_states(task.init, task.actions, most, tests)
    return StateGraph(task, searches[most, tests])


class Expansion(NamedTuple):
    """States of one depth that are expanded together, and what they lead to.

    ``expanded`` is their number, and ``new`` are the states first seen here. ``transitions`` has three rows:
    the numbers of the sources, actions and targets.
    """

    depth: int
    expanded: int
    new: list[int]
    transitions: Numbers


def expansions(init: int, actions: Sequence[GroundAction], most: int, tests: int) -> Iterator[Expansion]:
    """Yield the groups of states that a search expands, nearest first.

    It ends after the group in which it has seen more than ``most`` states, and after as many expansions as
    ``tests`` allows if every action is tested on each state.
    """
    rules = _Rules(init, actions)
    together, expandable = (limit // max(1, len(actions)) + 1 for limit in (TOGETHER, tests))
    # New states are numbered in the order in which they are looked up.
    number = defaultdict(count(1).__next__, {rules.words([init]).tobytes(): 0})
    states, depth, begin, layer = list(number), 0, 0, 1
    while begin < min(len(states), expandable) and len(states) <= most:
        end = min(begin + together, layer, expandable)
        group = np.frombuffer(b"".join(states[begin:end]), WORD).reshape(end - begin, -1)
        sources, applied, after = rules.successors(group)
        reached = after.view(f"V{after.itemsize * after.shape[1]}").ravel().tolist()
        targets = np.fromiter(map(number.__getitem__, reached), np.intc, len(reached))
        new = list(islice(reversed(number), len(number) - len(states)))[::-1]
        states += new
        masks = [int.from_bytes(state, "little") for state in new]
        transitions = np.array([sources + begin, applied, targets], np.intc)
        yield Expansion(depth, end - begin, masks, transitions)
        begin = end
        if begin == layer:
            depth, layer = depth + 1, len(states)


class _Rules:
    """Actions as rows of words: the facts that are tested, that must hold, that are kept and added."""

    def __init__(self, init: int, actions: Sequence[GroundAction]) -> None:
        """Leave out the actions that contradict themselves."""
        masks = [init, *(mask for action in actions for mask in action[1:])]
        self._width = max(1, -(-max(mask.bit_length() for mask in masks) // WORD_BITS))
        possible = [number for number, action in enumerate(actions) if not action.positive & action.negative]
        self._numbers = np.array(possible, np.intc)
        rules, every_bit = [actions[number] for number in possible], (1 << WORD_BITS * self._width) - 1
        self._tested = self.words([rule.positive | rule.negative for rule in rules])
        self._needed = self.words([rule.positive for rule in rules])
        self._keep = self.words([every_bit & ~rule.delete for rule in rules])
        self._add = self.words([rule.add for rule in rules])

    def words(self, masks: Sequence[int]) -> Words:
        """Return masks as rows of words."""
        size = self._width * WORD.itemsize
        row_bytes = b"".join(mask.to_bytes(size, "little") for mask in masks)
        return np.frombuffer(row_bytes, WORD).reshape(-1, self._width)

    def successors(self, group: Words) -> tuple[Numbers, Numbers, Words]:
        """Return the sources, the actions and the states after each applicable action, by source."""
        applicable = np.ones((len(group), len(self._numbers)), bool)
        for word in range(self._width):
            applicable &= group[:, word, None] & self._tested[:, word] == self._needed[:, word]
        sources, rules = np.nonzero(applicable)
        return sources, self._numbers[rules], group[sources] & self._keep[rules] | self._add[rules]
