"""Cheap proofs of unsolvability for tasks with too many states to enumerate.

Mutex pairs of facts are computed from *projections*: the task restricted to a few of its
facts. A projection reaches everything that the task reaches (Edelkamp,
"Planning with pattern databases", 2001), so two facts that are never together in the small space are
never together at all. The projections are on the facts that mention one object, for the objects of the goal,
and on the facts of predicates with at most one argument.

Then a set L of goal facts, not all of them initially true, is unreachable if no action can complete it:
the action adds some of L, and its preconditions and the rest of L must be able to hold together before.
L starts as the goal. Facts that can be added last are removed, until L is empty (nothing is proven)
or no fact can be added last. This detects cycles of blocks of any length, which h2 does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from orrery.planning.exhaustive_python import ReachedStates, explore
from orrery.planning.task import GroundAction, PlanningTask, bits, union

STATES = 5_000  # of a projection; a larger one is skipped
MOST_PROJECTIONS = 80

CONTRADICTION = "contradictory-goal"
RELAXATION = "delete-relaxation"
MUTEX = "mutex"


def refuted(task: PlanningTask) -> str:
    """Return the proof that no reachable state satisfies the goal; empty if there is none."""
    if task.goal_positive & task.goal_negative:
        return CONTRADICTION
    added = union(action.add for action in task.actions)
    deleted = union(action.delete for action in task.actions)
    if task.goal_positive & ~(task.init | added) or task.goal_negative & task.init & ~deleted:
        return RELAXATION
    return MUTEX if _Mutexes(task).refute() else ""


def projected(task: PlanningTask, facts: int, actions: Iterable[GroundAction]) -> PlanningTask:
    """Return the task restricted to some facts; ``actions`` must include those that change some of them.

    Of actions with the same effect on the facts, the first is kept.
    """
    small: dict[tuple[int, int, int, int], GroundAction] = {}
    for action in actions:
        masks = action.positive & facts, action.negative & facts, action.add & facts, action.delete & facts
        if masks[2] | masks[3] and masks not in small:
            small[masks] = GroundAction(action.step, *masks)
    return replace(task, actions=tuple(small.values()), init=task.init & facts)


class _Mutexes:
    """For each fact, the facts that are never true together with it; including itself if it is never true."""

    def __init__(self, task: PlanningTask) -> None:
        self.task = task
        self.excluded = [0] * len(task.facts)
        self.touching: list[list[GroundAction]] = [[] for _ in task.facts]
        self.adding: list[list[GroundAction]] = [[] for _ in task.facts]
        for action in task.actions:
            for index in bits(action.add):
                self.adding[index].append(action)
            for index in bits(action.add | action.delete):
                self.touching[index].append(action)

    def refute(self) -> bool:
        """Return whether the goal is proven unreachable, after any of the projections."""
        for facts in self._patterns():
            space = self._projection(facts)
            if space.complete:
                self._learn(space, facts)
                if any(
                    self.excluded[index] & self.task.goal_positive for index in bits(self.task.goal_positive)
                ):
                    return True
        return self._cannot_be_completed()

    def _patterns(self) -> Iterator[int]:
        """Yield the facts of one object each, for the objects of the goal; then those of small predicates."""
        goal = [self.task.facts[index] for index in bits(self.task.goal_positive)]
        by_name: dict[str, int] = {name: 0 for fact in goal for name in fact[1:]}
        unary: dict[str, int] = {}
        nullary = 0
        for index, fact in enumerate(self.task.facts):
            for name in by_name.keys() & set(fact[1:]):
                by_name[name] |= 1 << index
            if len(fact) == 2:
                unary[fact[0]] = unary.get(fact[0], 0) | 1 << index
            nullary |= (len(fact) == 1) << index
        yield from sorted(by_name.values(), key=lambda mask: (mask.bit_count(), mask))[:MOST_PROJECTIONS]
        for mask in unary.values():
            yield mask | nullary

    def _projection(self, facts: int) -> ReachedStates:
        """Return the state space of the actions' effects on ``facts``."""
        touching = (action for index in bits(facts) for action in self.touching[index])
        return explore(projected(self.task, facts, touching), limit=STATES)

    def _learn(self, space: ReachedStates, facts: int) -> None:
        """Record the mutex pairs in the states of a projection."""
        for index in bits(facts):
            self.excluded[index] |= facts & ~space.facts_together_with(index)

    def _cannot_be_completed(self) -> bool:
        """Return whether some of the goal's facts, not all initially true, can never be completed."""
        open_facts = self.task.goal_positive
        while open_facts & ~self.task.init:
            last = sum(1 << index for index in bits(open_facts) if self._can_come_last(index, open_facts))
            if not last:
                return True
            open_facts &= ~last
        return False

    def _can_come_last(self, fact: int, goal: int) -> bool:
        """Return whether some action that adds ``fact`` may leave all of ``goal`` true."""
        return any(self._may_complete(action, goal) for action in self.adding[fact])

    def _may_complete(self, action: GroundAction, goal: int) -> bool:
        other_facts = goal & ~action.add
        if action.delete & goal or action.negative & other_facts:
            return False
        before = action.positive | other_facts
        return not any(self.excluded[index] & before for index in bits(action.positive))
