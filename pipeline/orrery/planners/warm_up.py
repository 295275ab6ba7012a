"""Compiles the loops over states once, when the tools are installed, so that no build waits for it.

numba compiles a function when it is first called, and keeps it on disk: processes that start side by side on
a new machine would all compile the same.
"""

from __future__ import annotations

from orrery.planners.exhaustive import Explorer
from orrery.planners.guided import nearest
from orrery.planners.probe import one_step
from orrery.planners.relaxed import Relaxation

WORK = 1000  # of the guided search; the task has two states


def compile_loops() -> None:
    """Call every compiled loop, on a task of one step."""
    task = one_step()
    explorer = Explorer(task)
    space, relaxation = explorer.explore(), Relaxation(explorer)
    space.h_star()
    space.landmarks()
    space.index_of(task.init)
    _ = relaxation.pairs
    relaxation.landmarks(task.init)
    relaxation.walk(1, 2)
    relaxation.applied_in([task.init])
    nearest(explorer, relaxation, work=WORK)
