"""Beliefs in a world with local sight: the states that are possible after all that was observed.

A belief begins with all reachable states, because the first observation does not tell the whole initial
state. Observations remove states, and actions replace each state by its successor. So the belief contains
exactly the states in which every observation would have been the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orrery.model import Atom, Step
from orrery.planning import exhaustive_kernel as kernel
from orrery.planning.exhaustive import mask_of, row_of
from orrery.worlds.oracle import Oracle
from orrery.worlds.sight import LocalSight


@dataclass(frozen=True, eq=False)
class StatesInSight:
    """The reachable states of a problem, and what is visible in each of them."""

    oracle: Oracle
    sight: LocalSight

    @cached_property
    def visible(self) -> kernel.Words:
        """The visible facts of each state (N by W words)."""
        return self.sight.visible(self.oracle.states)

    @cached_property
    def views(self) -> kernel.Indices:
        """A number for each state, which is the same for states in which the same facts are visible."""
        _, numbers = np.unique(self.visible, axis=0, return_inverse=True)
        return numbers.reshape(-1).astype(np.int32)

    @cached_property
    def _never_hidden(self) -> int:
        """The mask of the facts that are visible in every reachable state in which they hold.

        It is 0 if not all states are known.
        """
        if not self.oracle.decided:
            return 0
        hidden = mask_of(np.bitwise_or.reduce(self.oracle.states & ~self.visible, axis=0))
        return ((1 << len(self.oracle.task.facts)) - 1) & ~hidden

    def is_known(self, fact: Atom, seen: int) -> bool:
        """Return whether the value of a fact follows from the visible facts of a state and the static ones.

        Then the fact holds if and only if it is visible or static. Facts that no reachable state has are
        known, and so are facts that never hold out of sight.
        """
        if self.sight.is_known(fact, seen):
            return True
        bit = self.oracle.task.bit.get(fact)
        return self.oracle.decided if bit is None else bool(bit & self._never_hidden)

    @cached_property
    def index_of_step(self) -> dict[Step, int]:
        """The index of each ground action."""
        return {action.step: index for index, action in enumerate(self.oracle.task.actions)}

    def seen(self, state: int) -> int:
        """Return the visible facts of a reachable state."""
        if self.oracle.decided:
            return mask_of(self.visible[self.oracle.index_of(state)])
        row = row_of(state, self.oracle.states.shape[1]).reshape(1, -1)
        return mask_of(self.sight.visible(row)[0])

    def everything(self) -> Belief | None:
        """Return the belief before anything is observed; None if not all states are known."""
        if not self.oracle.decided:
            return None
        return Belief(self, np.arange(len(self.oracle.states), dtype=np.int32))

    def belief_of(self, members: Iterable[int], state: int) -> Belief | None:
        """Return the belief with these indices of states; None if not all states are known.

        Raises:
            TypeError: ``members`` are no numbers.
            ValueError: a number is no index, or the true state is none of the possible ones.
        """
        if not self.oracle.decided:
            return None
        possible = sorted({int(index) for index in members})
        if self.oracle.index_of(state) not in possible or not 0 <= possible[0] <= possible[-1] < len(
            self.oracle.states
        ):
            raise ValueError("the belief does not fit the states")
        return Belief(self, np.array(possible, np.int32))


@dataclass(frozen=True, eq=False)
class Belief:
    """The possible states: ascending indices of reachable states.

    ``state`` is the bit set of the true state in the methods, and one of the possible ones.
    """

    space: StatesInSight
    members: kernel.Indices

    def __len__(self) -> int:
        """Return the number of possible states."""
        return len(self.members)

    @property
    def certain(self) -> int:
        """The mask of the facts that hold in all possible states."""
        return mask_of(np.bitwise_and.reduce(self._states, axis=0))

    @property
    def _states(self) -> kernel.Words:
        states: kernel.Words = self.space.oracle.states[self.members]
        return states

    def _restrict(self, chosen: kernel.Flags) -> Belief:
        return self if chosen.all() else Belief(self.space, self.members[chosen])

    def seeing(self, state: int) -> Belief:
        """Return the belief after the visible facts of the true state are seen."""
        views = self.space.views
        return self._restrict(views[self.members] == views[self.space.oracle.index_of(state)])

    def listing(self, state: int) -> Belief:
        """Return the belief after the applicable actions of the true state are listed."""
        if len(self) == 1:
            return self
        rows = kernel.applicable_in_each(self.space.oracle.actions, self._states)
        return self._restrict((rows == rows[self._position(state)]).all(axis=1))

    def reading(self, state: int, meaning: Callable[[int], Hashable]) -> Belief:
        """Return the belief after a reply was understood.

        ``meaning`` returns what the reply means in a state; it depends on the applicable actions only.
        """
        rows = kernel.applicable_in_each(self.space.oracle.actions, self._states)
        _, first, numbers = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        states = [mask_of(self.space.oracle.states[index]) for index in self.members[first]]
        same = np.array([meaning(other) == meaning(state) for other in states])
        return self._restrict(same[numbers.reshape(-1)])

    def costing(self, cost: int) -> Belief:
        """Return the belief after the least number of actions to the goal is told."""
        return self._restrict(self.space.oracle.all_distances()[self.members] == cost)

    def ending(self, *, at_goal: bool, dead: bool | None) -> Belief:
        """Return the belief after it is known whether the goal holds and, unless None, is out of reach."""
        distances = self.space.oracle.all_distances()[self.members]
        same = (distances == 0) == at_goal
        return self._restrict(same if dead is None or at_goal else same & ((distances < 0) == dead))

    def refusing(self, step: Step) -> Belief:
        """Return the belief after an action was impossible."""
        index = self.space.index_of_step.get(step)
        return self if index is None else self._restrict(~self._applicable(index))

    def after(self, step: Step) -> Belief:
        """Return the belief after an action was done."""
        oracle, index = self.space.oracle, self.space.index_of_step[step]
        successors = self._states
        applied = kernel.apply_to_each(oracle.actions, successors, np.full(len(self), index, np.int32))
        members = np.unique(kernel.find_each(oracle.slots, oracle.states, successors[applied]))
        return Belief(self.space, members)

    def _applicable(self, index: int) -> kernel.Flags:
        one = kernel.Actions(*(masks[index : index + 1] for masks in self.space.oracle.actions))
        flags: kernel.Flags = kernel.applicable_in_each(one, self._states)[:, 0]
        return flags

    def _position(self, state: int) -> int:
        return int(np.searchsorted(self.members, self.space.oracle.index_of(state)))
