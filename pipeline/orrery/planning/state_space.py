"""The states of a planning task by whichever exhaustive search is installed: compiled, or plain Python.

Both visit the same states in the same order and give the same answers; the plain one is about a hundred
times slower. Code that needs more than both offer imports ``exhaustive``, and so needs the extra ``fast``.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeAlias

from orrery.planning import exhaustive_python
from orrery.planning.exhaustive_python import DEFAULT_LIMIT
from orrery.planning.task import PlanningTask

if TYPE_CHECKING:
    from orrery.planning.exhaustive import StateSpace

ReachedStates: TypeAlias = "StateSpace | exhaustive_python.Reached"


def compiled() -> bool:
    """Return whether numba is installed."""
    return find_spec("numba") is not None


def explore(task: PlanningTask, *, init: int | None = None, limit: int = DEFAULT_LIMIT) -> ReachedStates:
    """Return the states reachable from ``init`` (default: the task's), at most ``limit``, breadth first."""
    if compiled():
        from orrery.planning import exhaustive  # numba takes half a second to import

        return exhaustive.explore(task, init=init, limit=limit)
    return exhaustive_python.reachable(task, init=init, limit=limit)
