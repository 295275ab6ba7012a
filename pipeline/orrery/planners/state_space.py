"""The states of a planning task by whichever exhaustive search is installed: compiled, or plain Python.

Both visit the same states in the same order and give the same answers; the plain one is about a hundred
times slower. What needs more than ``ReachedStates`` offers imports ``exhaustive``, and so needs the
extra ``fast``.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Protocol

from orrery.model import Plan, Step
from orrery.planners import exhaustive_python
from orrery.planners.exhaustive_python import DEFAULT_LIMIT
from orrery.semantics.task import PlanningTask


class ReachedStates(Protocol):
    """The interface of ``exhaustive.StateSpace`` and ``exhaustive_python.Reached``."""

    @property
    def task(self) -> PlanningTask:
        """The task that was searched."""

    @property
    def complete(self) -> bool:
        """Whether these are all reachable states."""

    @property
    def limit(self) -> int:
        """The number of states that the search was allowed."""

    def __contains__(self, mask: int) -> bool:
        """Return whether a state was reached."""

    def optimal_plan(self) -> list[Step] | None:
        """Return a shortest plan, or None where no goal state was reached."""

    def proven_plan(self) -> Plan | None:
        """Return ``optimal_plan`` with its proof."""

    def intersection(self, positive: int, negative: int) -> tuple[int, int] | None:
        """Return the masks of the facts that hold in all, and in some, of the states that agree.

        These have all of ``positive`` and nothing of ``negative``; None where there is none.
        """

    def goal_intersection(self) -> tuple[int, int] | None:
        """Return the masks of facts that hold in all, and in some, goal states; None without goal states."""

    def facts_together_with(self, fact: int) -> int:
        """Return the mask of the facts that hold in some state together with the fact of this index."""


def compiled() -> bool:
    """Return whether numba is installed."""
    return find_spec("numba") is not None


def explore(task: PlanningTask, *, init: int | None = None, limit: int = DEFAULT_LIMIT) -> ReachedStates:
    """Return the states reachable from ``init`` (default: the task's), at most ``limit``, breadth first."""
    if compiled():
        from orrery.planners import exhaustive  # numba takes half a second to import

        return exhaustive.explore(task, init=init, limit=limit)
    return exhaustive_python.reachable(task, init=init, limit=limit)
