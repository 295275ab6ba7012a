"""Reachability of facts and pairs of facts by h2: sound proofs of unreachability without a search."""

from __future__ import annotations

from dataclasses import dataclass

from orrery.planning.task import GroundAction, PlanningTask, bits


@dataclass(frozen=True, slots=True)
class PairReachability:
    """``together[p]``: the facts that h2 allows together with fact ``p`` (0: ``p`` itself is excluded)."""

    together: tuple[int, ...]

    @property
    def facts(self) -> int:
        """The facts that are not proven unreachable."""
        return sum(1 << index for index, mates in enumerate(self.together) if mates)

    def allows(self, facts: int) -> bool:
        """Return whether no two of the facts are proven mutex, and none is proven unreachable."""
        return all(self.together[fact] & facts == facts for fact in bits(facts))


def pair_reachability(task: PlanningTask, init: int, without: int = 0) -> PairReachability:
    """Return the fixpoint of h2 (Haslum and Geffner, "Admissible heuristics for optimal planning", 2000).

    Actions that need or add a fact of ``without`` are omitted.
    """
    together = [init if init >> index & 1 else 0 for index in range(len(task.facts))]
    actions = [
        (action, bits(action.positive))
        for action in task.actions
        if not (action.positive | action.add) & without
    ]
    grown = True
    while grown:
        grown = False
        for action, needed in actions:
            possible = _possible_after(together, action, needed)
            if possible is not None and _enter(together, action, possible):
                grown = True
    return PairReachability(tuple(together))


def _possible_after(together: list[int], action: GroundAction, needed: list[int]) -> int | None:
    """Return the facts that may hold together with the preconditions and survive; None if not applicable."""
    if not needed:
        everything = sum(1 << index for index, mates in enumerate(together) if mates)
        return everything & ~action.delete
    possible = -1
    for index in needed:
        possible &= together[index]
    return possible & ~action.delete if possible & action.positive == action.positive else None


def _enter(together: list[int], action: GroundAction, possible: int) -> bool:
    """Record that the added facts hold with one another and with ``possible``; return whether that is new."""
    grown = False
    after = possible | action.add
    for index in bits(action.add):
        if new := after & ~together[index]:
            grown = True
            together[index] |= after
            for mate in bits(new):
                together[mate] |= 1 << index
    return grown
