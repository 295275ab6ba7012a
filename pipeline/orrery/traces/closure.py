"""Facts that cannot hold, from the delete relaxation of both signs and from h2, for one state of a task."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property, lru_cache

from orrery.grading.row import Literal
from orrery.model import Step
from orrery.pddl.read import read_domain, read_problem
from orrery.planning.grounding import Grounder
from orrery.planning.h2 import PairReachability, pair_reachability
from orrery.planning.task import PlanningTask


@lru_cache(maxsize=32)
def _grounder(domain: str) -> Grounder:
    return Grounder(read_domain(domain))


@lru_cache(maxsize=4)
def task_of(domain: str, problem: str) -> PlanningTask:
    """Return the planning task of a domain and a problem, given as PDDL."""
    grounder = _grounder(domain)
    return grounder.ground(read_problem(problem, grounder.domain))


class RelaxedClosure:
    """What may hold in reachable states if some actions are never done."""

    def __init__(self, task: PlanningTask, excluded: Collection[Step] = ()) -> None:
        """Compute the delete relaxation: the literals of either sign that may hold."""
        actions = [action for action in task.actions if action.step not in excluded]
        self.task = replace(task, actions=tuple(actions))
        everything = (1 << len(task.facts)) - 1
        self._true, self._false = task.init, everything & ~task.init
        waiting = actions
        while True:
            blocked = []
            for action in waiting:
                if action.positive & ~self._true or action.negative & ~self._false:
                    blocked.append(action)
                else:
                    self._true |= action.add
                    self._false |= action.delete
            if len(blocked) == len(waiting):
                break
            waiting = blocked

    def allows(self, literal: Literal) -> bool:
        """Return whether a literal may hold, by the delete relaxation."""
        atom, positive = literal
        bit = self.task.bit.get(atom, 0)
        if not bit:
            is_true = atom in self.task.statics or (atom[0] == "=" and atom[1] == atom[2])
            return is_true == positive
        return bool(bit & (self._true if positive else self._false))

    def allows_both(self, one: Literal, other: Literal) -> bool:
        """Return whether two literals may hold together, by h2."""
        bits = [self.task.bit.get(atom, 0) if positive else 0 for atom, positive in (one, other)]
        return not all(bits) or self._pairs.allows(bits[0] | bits[1])

    @cached_property
    def _pairs(self) -> PairReachability:
        return pair_reachability(self.task, self.task.init)
