"""A run past many conditions: a planner proposes each piece of it, and here it is taken step by step.

What holds on the way is shown by the states themselves, whoever found the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.checks.compiled_query import Condition
from orrery.checks.reached_samples import Tour
from orrery.planners.climbing import Climber, Targets
from orrery.semantics.progression import run
from orrery.semantics.task import PlanningTask

Flags: TypeAlias = NDArray[np.bool_]

WORK = 40_000_000  # facts that the planner may look at: some three seconds


def tour(task: PlanningTask, conditions: Sequence[Condition], work: int = WORK) -> Tour:
    """Return runs from the initial state that pass by as many of the conditions as they can.

    Each goes to the nearest condition that no state so far satisfies, and on from there. A condition is tried
    once, and no longer than ``work`` lasts.
    """
    climber, targets = Climber.of(task, work), Targets(each.positive for each in conditions)
    forbidden = Targets(each.negative for each in conditions)
    states = [task.init]
    met = _met(task, states, targets, forbidden)
    here, taken = task.init, 0
    while (targets.waiting & ~met).any() and climber.spent < work:
        targets.waiting &= ~met
        place = climber.nearest(targets)
        if place is not None:
            climber.climb(targets[place])
            targets.waiting[place] = False
            masks = run(task, climber.steps[taken:], here) or [here]
            here, taken = masks[-1], len(climber.steps)
            states += masks[1:]
            met |= _met(task, masks[1:], targets, forbidden)
        elif climber.steps:  # from here there is no way to what is left
            climber.restart()
            here, taken = task.init, 0
        else:
            break
    return Tour(states, [conditions[number] for number in np.flatnonzero(met).tolist()])


def _met(task: PlanningTask, states: Sequence[int], wanted: Targets, forbidden: Targets) -> Flags:
    """Return which conditions, what they want and what they forbid, hold in some of the states."""
    met = np.zeros(len(wanted.waiting), np.bool_)
    for state in states if len(met) else ():
        holds = _flags(state, len(task.facts))
        met |= _all(wanted, holds) & _all(forbidden, ~holds)
    return met


def _flags(mask: int, facts: int) -> Flags:
    """Return which facts hold in a state."""
    content = np.frombuffer(mask.to_bytes(-(-facts // 8), "little"), np.uint8)
    return np.unpackbits(content, count=facts, bitorder="little").astype(np.bool_)


def _all(sets: Targets, flags: Flags) -> Flags:
    """Return for which sets of facts all flags are set; the fact behind the last holds always."""
    found: Flags = np.logical_and.reduceat(np.append(flags, True)[sets.facts], sets.starts)
    return found
