"""What holds in every goal state that can be reached, read off projections of the task.

A projection is the task restricted to some of its facts, everything else forgotten: whatever the task
reaches, its projection reaches too (Edelkamp, "Planning with pattern databases", 2001). So a goal state is in
each projection like one of the states reached there that agree with what is known of it; what these have in
common holds in it, too, and is known from then on for the other projections.

Projected on are, for each fact of the goal, the facts about its objects: those that exclude it, and those
that name no other object of the goal. In a tower, they say where a block and the one below it are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from orrery.planners.exhaustive import Explorer, mask_of
from orrery.planners.exhaustive_kernel import Words
from orrery.planners.refutation import projected
from orrery.semantics.relaxation import PairReachability
from orrery.semantics.task import PlanningTask, bits

STATES = 600_000  # of a projection: a second or two


def holding_in_goal(task: PlanningTask, pairs: PairReachability, states: int = STATES) -> int:
    """Return facts that hold in every reachable goal state, those of the goal among them.

    That is all facts where there is no such state. ``pairs`` are those of h2 for the task; of projections the
    first, by their number of facts, with more than ``states`` states is the end.
    """
    spaces, explorer = list(_goal_states(task, pairs, states)), Explorer(replace(task, actions=()))
    known, before = task.goal_positive, 0
    while known != before:
        before = known
        for facts, rows in spaces:
            wanted = explorer.row(known & facts)
            fitting = rows[(rows & wanted == wanted).all(axis=1)]
            if not len(fitting):
                return (1 << len(task.facts)) - 1
            known |= mask_of(np.bitwise_and.reduce(fitting, axis=0))
    return known


def _goal_states(task: PlanningTask, pairs: PairReachability, states: int) -> Iterator[tuple[int, Words]]:
    """Yield the facts of each projection that is small enough, and its goal states."""
    for facts in sorted(set(_patterns(task, pairs)), key=lambda facts: (facts.bit_count(), facts)):
        space = Explorer(projected(task, facts, task.actions)).explore(limit=states)
        if not space.complete:
            return
        yield facts, space.states[space.satisfying(task.goal_positive & facts, task.goal_negative & facts)]


def _patterns(task: PlanningTask, pairs: PairReachability) -> Iterator[int]:
    """Yield the facts to project on, for each fact of the goal."""
    of_goal = {name for index in bits(task.goal_positive) for name in task.facts[index][1:]}
    for index in bits(task.goal_positive):
        own, excluded = set(task.facts[index][1:]), pairs.facts & ~pairs.together[index]
        others = of_goal - own
        yield sum(
            1 << place
            for place, fact in enumerate(task.facts)
            if not own.isdisjoint(fact[1:]) and (excluded >> place & 1 or others.isdisjoint(fact[1:]))
        )
