"""Reachability of pairs of facts (h2) on bit sets, written for the checks.

Haslum and Geffner, "Admissible heuristics for optimal planning", 2000. A pair is reached if both facts hold
initially. It is also reached if all pairs of an action's preconditions are reached, and the action adds one
fact and adds or keeps the other. A pair that is not reached holds in no reachable state; the converse is not
true.
"""

from __future__ import annotations

from orrery.checks.compiled_query import Condition
from orrery.planning.task import GroundAction, PlanningTask, bits

MOST_WORK = 6_000_000  # limit of facts times actions: some seconds


class Pairs:
    """For each fact, the facts that are reached together with it; a reached fact includes itself."""

    def __init__(self, task: PlanningTask) -> None:
        """Compute the reached pairs; above the limit of facts times actions, every pair counts as reached."""
        self.together = [0] * len(task.facts)
        self.known = len(task.facts) * len(task.actions) <= MOST_WORK
        if not self.known:
            return
        for index in bits(task.init):
            self.together[index] = task.init
        waiting = [(action, bits(action.positive), bits(action.add)) for action in task.actions]
        changed = True
        while changed:
            changed = False
            for effects in waiting:
                changed |= self._applied(*effects)

    def _applied(self, action: GroundAction, needed: list[int], added: list[int]) -> bool:
        """Return whether applying the action reaches a new pair."""
        common = -1
        for index in needed:
            common &= self.together[index]
        if action.positive & ~common:
            return False
        remaining = common & ~action.delete if needed else self._reached() & ~action.delete
        new, changed = action.add | remaining, False
        for index in added:
            changed |= bool(new & ~self.together[index])
            self.together[index] |= new
        for index in bits(remaining):
            self.together[index] |= action.add
        return changed

    def _reached(self) -> int:
        return sum(1 << index for index, mask in enumerate(self.together) if mask)

    def exclude(self, condition: Condition) -> bool:
        """Return whether the positive facts of the condition include an unreachable fact or pair."""
        return self.known and any(
            condition.positive & ~self.together[index] for index in bits(condition.positive)
        )
