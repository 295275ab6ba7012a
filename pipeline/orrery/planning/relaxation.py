"""Delete relaxation and h^2 reachability: sound unreachability proofs without state-space search."""

from __future__ import annotations

from dataclasses import dataclass

from orrery.planning.task import GroundAction, PlanningTask, bits


def relaxed_reachable(task: PlanningTask, init: int, without: int = 0) -> int:
    """Return the facts that the delete relaxation reaches from ``init``, never adding a fact of ``without``.

    Negative preconditions are ignored, so the result contains every fact that is truly reachable
    (in states free of ``without``).
    """
    reached, todo, grown = init, list(task.actions), True
    while grown:
        grown, waiting = False, []
        for action in todo:
            if reached & action.positive != action.positive:
                waiting.append(action)
            elif not action.add & without and reached | action.add != reached:
                reached |= action.add
                grown = True
        todo = waiting
    return reached


def relaxed_landmarks(task: PlanningTask, init: int) -> int:
    """Return the facts without whose achievers the relaxation does not reach the goal; each is a landmark.

    The test is that of Porteous, Sebastia and Hoffmann ("On the extraction, ordering, and usage of
    landmarks in planning", 2001), with *all* achievers of the fact removed. An action that adds the
    fact among others is an achiever. Facts of ``init`` are omitted, because they are trivial landmarks.
    """
    landmarks = 0
    for index in range(len(task.facts)):
        fact = 1 << index
        if not fact & init:
            reached = relaxed_reachable(task, init, fact)
            if reached & task.goal_positive != task.goal_positive:
                landmarks |= fact
    return landmarks


@dataclass(frozen=True, slots=True)
class PairReachability:
    """``together[p]``: the facts that h2 allows together with fact ``p`` (0: ``p`` itself is excluded)."""

    together: tuple[int, ...]

    @property
    def facts(self) -> int:
        """The facts that are not proven unreachable."""
        return sum(1 << index for index, mates in enumerate(self.together) if mates)

    def allows(self, action: GroundAction) -> bool:
        """Return whether the action's positive preconditions are not proven mutex."""
        return all(self.together[p] & action.positive == action.positive for p in bits(action.positive))


def pair_reachability(task: PlanningTask, init: int) -> PairReachability:
    """Return the fixpoint of h2 (Haslum and Geffner, "Admissible heuristics for optimal planning", 2000)."""
    together = [init if init >> index & 1 else 0 for index in range(len(task.facts))]
    needs = [bits(action.positive) for action in task.actions]
    grown = True
    while grown:
        grown = False
        for action, needed in zip(task.actions, needs, strict=True):
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
