"""Compiles the loops over states once, when the tools are installed, so that no build waits for it.

numba compiles a function when it is first called, and keeps it on disk: processes that start side by side on
a new machine would all compile the same.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from orrery.planners import weighted_kernel as weighted
from orrery.planners.climbing import Climber, Targets, wanted
from orrery.planners.exhaustive import NARROW, Explorer, StateSpace
from orrery.planners.guided import nearest
from orrery.planners.probe import one_step
from orrery.planners.relaxed import Relaxation, Walker
from orrery.semantics.task import PlanningTask

UNUSED = "!unused"  # facts that no action names; no domain has a predicate of that name
WORK = 1000  # of the guided search; the task has two states


def compile_loops() -> None:
    """Call every compiled loop, on a task of one step and on the same with states of many words."""
    task = one_step()
    unused = ((UNUSED, str(number)) for number in range(64 * NARROW))
    for each in (task, replace(task, facts=(*task.facts, *unused))):
        _call_all(each)


def _call_all(task: PlanningTask) -> None:
    explorer = Explorer(task)
    space, relaxation = explorer.explore(), Relaxation(explorer)
    space.h_star()
    space.landmarks()
    space.index_of(task.init)
    _ = relaxation.pairs
    relaxation.landmarks(task.init)
    Walker(explorer, length=2).walk(1)
    relaxation.applied_in([task.init])
    nearest(explorer, relaxation, work=WORK)
    climber = Climber(relaxation, WORK)
    climber.nearest(Targets([task.goal_positive]))
    climber.climb(wanted(task.goal_positive))
    _weigh(space)


def _weigh(space: StateSpace) -> None:
    """Call the loops over steps that weigh something."""
    edges, distances = space.edges, np.asarray(space.h_star(), np.int64)
    steps = edges.offsets, edges.successors, np.ones(len(edges.actions), np.int64)
    weighted.least_costs(*steps, space.goal, len(space))
    weighted.least_costs_of_shortest(*steps, distances, np.arange(len(space)), len(space))
    weighted.walked(edges.offsets, edges.successors, space.goal, np.zeros(len(space)))
