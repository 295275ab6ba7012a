"""Exhaustive search on Python integers: an independent implementation to check ``exhaustive``.

The code is plain and slow on purpose. It shares no code with the compiled search, so it can check its
results by other means. If numba is not installed, it replaces the compiled search, about a
hundred times slower: ``explore`` selects the installed one. Both visit the same states in the same order
and give the same results. Code that needs further functions imports ``exhaustive``, and so needs the extra
``fast``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from importlib.util import find_spec
from operator import and_
from typing import TYPE_CHECKING, TypeAlias

from orrery.model import Plan, Proof, Step
from orrery.planning.outcome import DEFAULT_LIMIT, EXHAUSTIVE
from orrery.planning.task import PlanningTask, applicable, progress, union


@dataclass(frozen=True, slots=True)
class Reached:
    """Reached states with their breadth-first distances, in the order of discovery.

    ``complete`` is False if the limit excluded a state.
    """

    task: PlanningTask
    depth: dict[int, int]
    complete: bool
    limit: int

    def __contains__(self, mask: int) -> bool:
        """Return whether a state was reached."""
        return mask in self.depth

    @property
    def states(self) -> list[int]:
        """The states as bit sets, in breadth-first order."""
        return list(self.depth)

    def intersection(self, positive: int, negative: int) -> tuple[int, int] | None:
        """Return the masks of the facts true in all, and in some, of the matching states.

        These have all of ``positive`` and nothing of ``negative``. The result is None if there is none.
        """
        states = [state for state in self.depth if state & positive == positive and not state & negative]
        return (reduce(and_, states), union(states)) if states else None

    def goal_intersection(self) -> tuple[int, int] | None:
        """Return the masks of facts true in all, and in some, goal states; None without goal states."""
        return self.intersection(self.task.goal_positive, self.task.goal_negative)

    def facts_together_with(self, fact: int) -> int:
        """Return the mask of the facts true in some state together with the fact of this index."""
        return union(state for state in self.depth if state >> fact & 1)

    def optimal_plan(self) -> list[Step] | None:
        """Return a shortest plan, or None if no goal state was reached.

        The plan is found backwards: each step is the first action of the first state that leads on.
        """
        state = next(filter(self.task.is_goal, self.depth), None)
        if state is None:
            return None
        steps: list[Step] = []
        while distance := self.depth[state]:
            state, step = next(
                (before, action.step)
                for before, depth in self.depth.items()
                if depth == distance - 1
                for action in applicable(self.task, before)
                if progress(before, action) == state
            )
            steps.append(step)
        return steps[::-1]

    def proven_plan(self) -> Plan | None:
        """Return ``optimal_plan`` with its proof."""
        steps = self.optimal_plan()
        return None if steps is None else Plan(tuple(steps), EXHAUSTIVE, Proof.EXHAUSTION)


def reachable(task: PlanningTask, *, limit: int = DEFAULT_LIMIT) -> Reached:
    """Return the reachable states, at most ``limit``; actions are tried in the task's order."""
    actions = [(action.positive, action.negative, ~action.delete, action.add) for action in task.actions]
    depth = {task.init: 0}
    queue = [task.init]
    for state in queue:  # the list grows during the loop
        # The same as ``applicable`` and ``progress``; calling these takes three times as long.
        for successor in [
            state & keep | add
            for positive, negative, keep, add in actions
            if state & positive == positive and not state & negative
        ]:
            if successor in depth:
                continue
            if len(queue) == limit:
                return Reached(task, depth, False, limit)
            depth[successor] = depth[state] + 1
            queue.append(successor)
    return Reached(task, depth, True, limit)


if TYPE_CHECKING:
    from orrery.planning.exhaustive import StateSpace

ReachedStates: TypeAlias = "StateSpace | Reached"


def compiled() -> bool:
    """Return whether numba is installed."""
    return find_spec("numba") is not None


def explore(task: PlanningTask, *, limit: int = DEFAULT_LIMIT) -> ReachedStates:
    """Return the reachable states, at most ``limit``, breadth first."""
    if compiled():
        from orrery.planning import exhaustive  # importing numba takes half a second

        return exhaustive.explore(task, limit=limit)
    return reachable(task, limit=limit)
