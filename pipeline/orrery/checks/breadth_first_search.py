"""Search breadth-first over states as bit sets, and derive the facts that a whole state space proves.

This search is written for the checks. It shares no code with the compiled search that decided most rows,
except the ground task that both read; ``relaxation`` checks that task against the action schemas.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import and_
from typing import NamedTuple, TypeAlias

from orrery.planning.task import PlanningTask, bits

MOST_STATES = 50_000
MOST_TESTS = 5_000_000  # limit of tests of one action on one state

Numbers: TypeAlias = "array[int]"


@dataclass(frozen=True, eq=False)
class StateGraph:
    """The states of a search in breadth-first order, and the transitions from the first ``expanded`` of them.

    Transition ``i`` leads from state ``sources[i]`` by action ``actions[i]`` to state ``targets[i]``; all
    three are indices, and ``sources`` is sorted. A limit, of ``most`` states or of tests, may have ended the
    search before all states were expanded; the depths and transitions found until then are correct.
    """

    task: PlanningTask
    states: list[int]
    depths: list[int]
    sources: Numbers
    actions: Numbers
    targets: Numbers
    expanded: int
    most: int

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.states)

    @property
    def complete(self) -> bool:
        """Whether these are all reachable states."""
        return self.expanded == len(self.states)

    @cached_property
    def goals(self) -> list[int]:
        """Indices of the goal states, nearest first."""
        return [number for number, state in enumerate(self.states) if self.task.is_goal(state)]

    @property
    def cost(self) -> int | None:
        """The minimum number of actions to a goal state; None if no goal state was seen."""
        return self.depths[self.goals[0]] if self.goals else None

    def transitions(self) -> Iterator[tuple[int, int, int]]:
        """Yield (source, action, target), by ascending source."""
        return zip(self.sources, self.actions, self.targets, strict=True)

    def layered(self) -> list[tuple[int, int, int]] | None:
        """Return the transitions that shortest plans may use: from layer to layer, up to the nearest goal.

        Return None if no goal state was seen, or if a state nearer than the goal was not expanded.
        """
        cost, depths = self.cost, self.depths
        if cost is None or not (self.complete or depths[self.expanded] >= cost):
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
        on_plan = {goal for goal in self.goals if self.depths[goal] == self.cost}
        for source, _, target in reversed(layered):
            if target in on_plan:
                on_plan.add(source)
        return frozenset(action for source, action, target in layered if source == 0 and target in on_plan)

    @cached_property
    def landmarks(self) -> int:
        """The facts that every plan makes true at some time; all facts if no plan exists.

        The space must be complete.

        The facts on every path into a state are its own facts and those on every path into all its
        predecessors: the greatest solution of these equations.
        """
        assert self.complete, "the paths of a part of the space prove nothing"
        every_fact = (1 << len(self.task.facts)) - 1
        on_all_paths = [self.states[0]] + [every_fact] * (self.size - 1)
        changed = True
        while changed:
            changed = False
            for source, target in zip(self.sources, self.targets, strict=True):
                facts = on_all_paths[target] & (on_all_paths[source] | self.states[target])
                if facts != on_all_paths[target]:
                    on_all_paths[target], changed = facts, True
        return reduce(and_, (on_all_paths[goal] for goal in self.goals), every_fact)


class Search:
    """A breadth-first search that ends when it has seen more than ``most`` states.

    It also ends after as many expansions as ``tests`` allows if every action is tested on each state.
    """

    def __init__(self, task: PlanningTask, most: int, tests: int) -> None:
        """Start with the initial state."""
        self._task, self._most = task, most
        self._expandable = tests // len(task.actions) + 1 if task.actions else most
        self.states, self.expanded = [task.init], 0

    def transitions(self) -> Iterator[tuple[int, int, int]]:
        """Run the search and yield (source, action, target) as indices; ``states`` grows during the run."""
        states, number, watched = self.states, {self._task.init: 0}, _actions_by_fact(self._task)
        for state in states:  # the list grows during the iteration
            if len(states) > self._most or self.expanded == self._expandable:
                break
            for fact, actions in watched:
                if state & fact == fact:
                    for action, needed, looked_at, keep_mask, added in actions:
                        if state & looked_at == needed:
                            after = state & keep_mask | added
                            target = number.setdefault(after, len(states))
                            if target == len(states):
                                states.append(after)
                            yield self.expanded, action, target
            self.expanded += 1


def explore(task: PlanningTask, most: int = MOST_STATES, tests: int = MOST_TESTS) -> StateGraph:
    """Return the reachable states of a task, as far as a search within these limits finds them."""
    search, depths = Search(task, most, tests), [0]
    sources, actions, targets = array("i"), array("i"), array("i")
    for source, action, target in search.transitions():
        if target == len(depths):
            depths.append(depths[source] + 1)
        sources.append(source)
        actions.append(action)
        targets.append(target)
    return StateGraph(task, search.states, depths, sources, actions, targets, search.expanded, most)


GRAPHS_KEPT = 8  # of one problem


class SharedSearches:
    """A cache of the last searches in one problem, shared by several goals."""

    def __init__(self) -> None:
        """Create an empty cache."""
        self._graphs: dict[tuple[object, ...], StateGraph] = {}

    def explore(self, task: PlanningTask, most: int = MOST_STATES) -> StateGraph:
        """Return the result of ``explore`` for the task."""
        key = task.init, len(task.facts), task.actions
        graph = self._graphs.get(key)
        if graph is None or graph.size > most or not (graph.complete or graph.most == most):
            if len(self._graphs) >= GRAPHS_KEPT:
                del self._graphs[next(iter(self._graphs))]
            graph = self._graphs[key] = explore(task, most)
        return replace(graph, task=task)


class _IndexedAction(NamedTuple):
    """An indexed action: masks of the facts that must hold, that are tested, kept and added."""

    number: int
    needed: int
    looked_at: int
    keep_mask: int
    added: int


def _actions_by_fact(task: PlanningTask) -> list[tuple[int, list[_IndexedAction]]]:
    """Return the actions by one fact of their preconditions: only states with this fact test them.

    The fact is 0 for actions without preconditions.
    """
    uses = Counter(fact for action in task.actions for fact in bits(action.positive))
    by_fact: dict[int, list[_IndexedAction]] = defaultdict(list)
    for index, (_, positive, negative, add, delete) in enumerate(task.actions):
        if not positive & negative:
            fact = min(bits(positive), key=lambda fact: uses[fact], default=None)
            watched = 0 if fact is None else 1 << fact
            by_fact[watched].append(_IndexedAction(index, positive, positive | negative, ~delete, add))
    return list(by_fact.items())
