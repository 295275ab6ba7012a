"""A plain breadth-first search that keeps its edges, and what follows from a whole state space.

Written for the checks, on Python's own integers, and sharing no code with the compiled search that made
most answers: distances are found backwards along the edges, landmarks by what all paths into a state
have in common.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from orrery.semantics.task import GroundAction, PlanningTask, bits, union

MOST_STATES = 50_000
MOST_TESTS = 5_000_000  # of preconditions: a third of a second
UNSEEN = -1


@dataclass(frozen=True)
class StateGraph:
    """States in breadth-first order, their depths, and of each state expanded its (action, state) edges.

    ``complete`` is False where a limit kept states out: then depths and edges are right as far as they go.
    """

    task: PlanningTask
    states: list[int]
    depths: list[int]
    edges: list[list[tuple[int, int]]]
    complete: bool

    @cached_property
    def number(self) -> dict[int, int]:
        """The number of each state."""
        return {state: number for number, state in enumerate(self.states)}

    @cached_property
    def reached(self) -> int:
        """The facts that hold in some state."""
        return union(self.states)

    @cached_property
    def applied(self) -> frozenset[int]:
        """Numbers of the actions that some expanded state allows, also those that change nothing."""
        return frozenset(action for edges in self.edges for action, _ in edges)

    @cached_property
    def goals(self) -> list[int]:
        """Numbers of the states in which the goal holds, nearest first."""
        return [number for number, state in enumerate(self.states) if self.task.is_goal(state)]

    @property
    def cost(self) -> int | None:
        """The least number of actions to a goal state seen: the fewest there is, as layers come in order."""
        return self.depths[self.goals[0]] if self.goals else None

    @cached_property
    def openers(self) -> frozenset[int] | None:
        """Numbers of the actions that begin a shortest plan; None where nearer states are untried."""
        cost = self.cost
        if cost is None or any(depth < cost for depth in self.depths[len(self.edges) :]):
            return None
        good = {goal for goal in self.goals if self.depths[goal] == cost}
        for number in reversed(range(1, len(self.edges))):
            later = self.depths[number] + 1
            if any(after in good and self.depths[after] == later for _, after in self.edges[number]):
                good.add(number)
        first = self.edges[0] if cost else []
        return frozenset(action for action, after in first if after in good and self.depths[after] == 1)

    @cached_property
    def distances(self) -> list[int]:
        """The fewest actions from each state to the goal, -1 where there is no path; of a complete space."""
        before: list[list[int]] = [[] for _ in self.states]
        for number, edges in enumerate(self.edges):
            for _, after in edges:
                before[after].append(number)
        found = [UNSEEN] * len(self.states)
        queue = deque(self.goals)
        for goal in self.goals:
            found[goal] = 0
        while queue:
            after = queue.popleft()
            for number in before[after]:
                if found[number] == UNSEEN:
                    found[number] = found[after] + 1
                    queue.append(number)
        return found

    @cached_property
    def landmarks(self) -> int:
        """The facts that every plan makes true at some time; all facts where there is none.

        Of a complete space: what holds on every path into a state is what all its predecessors have in
        common, and what holds in itself; the largest solution of that, over all goal states.
        """
        everything = (1 << len(self.task.facts)) - 1
        always = [self.states[0], *[everything] * (len(self.states) - 1)]
        queue, waiting = deque([0]), {0}
        while queue:
            number = queue.popleft()
            waiting.discard(number)
            for _, after in self.edges[number]:
                kept = always[after] & (always[number] | self.states[after])
                if kept != always[after]:
                    always[after] = kept
                    if after not in waiting:
                        waiting.add(after)
                        queue.append(after)
        found = everything
        for goal in self.goals:
            found &= always[goal]
        return found


def explore(task: PlanningTask, most: int = MOST_STATES, tests: int = MOST_TESTS) -> StateGraph:
    """Return the reachable states of ``task``, at most ``most``, by at most ``tests`` applicability tests."""
    states, depths, number = [task.init], [0], {task.init: 0}
    edges: list[list[tuple[int, int]]] = []
    watched = _watched(task.actions)
    for here, state in enumerate(states):  # grows while it is read
        if here * len(task.actions) > tests:
            return StateGraph(task, states, depths, edges, False)
        steps = sorted(
            (action, state & keep | add)
            for fact, some in watched
            if state & fact == fact
            for action, positive, negative, keep, add in some
            if state & positive == positive and not state & negative
        )
        for _, after in steps:
            if after not in number:
                if len(states) == most:
                    return StateGraph(task, states, depths, edges, False)
                number[after] = len(states)
                states.append(after)
                depths.append(depths[here] + 1)
        edges.append([(action, number[after]) for action, after in steps])
    return StateGraph(task, states, depths, edges, True)


def _watched(actions: tuple[GroundAction, ...]) -> list[tuple[int, list[tuple[int, int, int, int, int]]]]:
    """Return the actions by one of the facts that they need (0: of none), the one that fewest others need."""
    needs = [[1 << fact for fact in bits(action.positive)] for action in actions]
    shared = Counter(chain.from_iterable(needs))
    found: dict[int, list[tuple[int, int, int, int, int]]] = {}
    for number, (action, facts) in enumerate(zip(actions, needs, strict=True)):
        fact = min(facts, key=lambda each: (shared[each], each), default=0)
        masks = (number, action.positive, action.negative, ~action.delete, action.add)
        found.setdefault(fact, []).append(masks)
    return list(found.items())
