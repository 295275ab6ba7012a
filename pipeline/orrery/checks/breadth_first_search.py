"""Search breadth-first over states as bit sets, and derive the facts that a whole state space proves.

This search is written for the checks. It shares no code with the compiled search that decided most rows,
except the ground task that both read; ``relaxation`` checks that task against the action schemas.

A second search with larger limits expands many states at a time. States are rows of 64-bit words there, and
each action is tested on many rows at once, which takes a quarter of the time. Its transitions are not stored,
so it proves only that states are reachable.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from operator import and_
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.planning.task import GroundAction, PlanningTask, bits

MOST_STATES = 50_000
MOST_TESTS = 5_000_000  # limit of tests of one action on one state
TOGETHER = 8_192  # maximum number of states that the wide search expands at once
WORD_BYTES = 8
WORD = np.dtype("<u8")

Numbers: TypeAlias = "array[int]"
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
        return zip(self.search.sources, self.search.actions, self.search.targets, strict=True)

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
    """Return the states of a search that ends when it has seen more than ``most`` of them.

    It also ends after as many expansions as ``tests`` allows if every action is tested on each state.
    """
    states, number, depths, watched = [init], {init: 0}, [0], _actions_by_fact(actions)
    sources, applied, targets = array("i"), array("i"), array("i")
    expandable = tests // len(actions) + 1 if actions else most
    for source, state in enumerate(states):  # the list grows during the iteration
        if len(states) > most or source == expandable:
            return SearchedStates(states, depths, sources, applied, targets, source)
        for fact, tested in watched:
            if state & fact == fact:
                for action, needed, looked_at, keep_mask, added in tested:
                    if state & looked_at == needed:
                        after = state & keep_mask | added
                        target = number.setdefault(after, len(states))
                        if target == len(states):
                            states.append(after)
                            depths.append(depths[source] + 1)
                        sources.append(source)
                        applied.append(action)
                        targets.append(target)
    return SearchedStates(states, depths, sources, applied, targets, len(states))


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


def _actions_by_fact(
    actions: Sequence[GroundAction],
) -> list[tuple[int, list[tuple[int, int, int, int, int]]]]:
    """Return the actions by one fact of their preconditions: only states with this fact test them.

    An action is its index, and masks of the facts that must hold, that are tested, kept and added. The fact
    is 0 for actions without preconditions.
    """
    uses = Counter(fact for action in actions for fact in bits(action.positive))
    by_fact: dict[int, list[tuple[int, int, int, int, int]]] = defaultdict(list)
    for index, (_, positive, negative, add, delete) in enumerate(actions):
        if not positive & negative:
            fact = min(bits(positive), key=lambda fact: uses[fact], default=None)
            watched = 0 if fact is None else 1 << fact
            by_fact[watched].append((index, positive, positive | negative, ~delete, add))
    return list(by_fact.items())


class StateGroup(NamedTuple):
    """New states of a search, nearest first, and the indices of the actions that lead to them."""

    states: list[int]
    applied: list[int]


class _Rule(NamedTuple):
    """An action: its index, its tests (a word, the bits looked at, their values), bits to keep and to add."""

    action: int
    tests: list[tuple[int, np.uint64, np.uint64]]
    keep: Words
    add: Words


def search_widely(init: int, actions: Sequence[GroundAction], most: int, tests: int) -> Iterator[StateGroup]:
    """Yield the states of a search, in groups; it ends after the group in which it has seen ``most`` states.

    It also ends after as many expansions as ``tests`` allows if every action is tested on each state.
    """
    masks = [init, *(mask for action in actions for mask in action[1:])]
    words = max(1, -(-max(mask.bit_length() for mask in masks) // (8 * WORD_BYTES)))
    rules = _rules(actions, words)
    states, row_type = [init.to_bytes(WORD_BYTES * words, "little")], f"V{WORD_BYTES * words}"
    seen, expanded, expandable = set(states), 0, tests // max(1, len(actions)) + 1
    yield StateGroup([init], [])
    while expanded < min(len(states), expandable) and len(states) <= most:
        group = states[expanded : min(expanded + TOGETHER, expandable)]
        expanded += len(group)
        after, applied = _successors(rules, np.frombuffer(b"".join(group), WORD).reshape(-1, words))
        rows = after.view(row_type).ravel().tolist()
        new = [row for row in dict.fromkeys(rows) if row not in seen]
        seen.update(new)
        states += new
        yield StateGroup([int.from_bytes(row, "little") for row in new], applied)


def _words(mask: int, words: int) -> Words:
    return np.frombuffer(mask.to_bytes(WORD_BYTES * words, "little"), WORD)


def _rules(actions: Sequence[GroundAction], words: int) -> list[_Rule]:
    """Return the actions in words, without those that contradict themselves."""
    rules, every_bit = [], (1 << 8 * WORD_BYTES * words) - 1
    for index, (_, positive, negative, add, delete) in enumerate(actions):
        if not positive & negative:
            looked_at, needed = _words(positive | negative, words), _words(positive, words)
            tests = [(word, looked_at[word], needed[word]) for word in range(words) if looked_at[word]]
            rules.append(_Rule(index, tests, _words(every_bit & ~delete, words), _words(add, words)))
    return rules


def _successors(rules: Sequence[_Rule], rows: Words) -> tuple[Words, list[int]]:
    """Return the states after each applicable action, in the order of ``rows``, and the actions applied."""
    columns, applied = np.ascontiguousarray(rows.T), list[int]()
    after, sources = [rows[:0]], [np.empty(0, np.intp)]
    for rule in rules:
        applicable = np.ones(len(rows), bool)
        for word, looked_at, needed in rule.tests:
            applicable &= columns[word] & looked_at == needed
        if len(places := np.flatnonzero(applicable)):
            applied.append(rule.action)
            after.append(rows[places] & rule.keep | rule.add)
            sources.append(places)
    order = np.argsort(np.concatenate(sources), kind="stable")
    return np.concatenate(after)[order], applied
