"""Exhaustive search: every reachable state of a planning task, and exact results from them.

Importing this module imports numba (0.5 s) but compiles nothing; the first search of a process loads
the compiled loops from numba's cache, or compiles them once (see ``exhaustive_kernel``). Memory: a state
of W words takes about 8 W + 12 bytes, its places in the hash table 8 to 16 bytes for each state of the limit,
an edge 8 bytes; distances take 4 more per edge, the exact landmarks 8 W + 5 per state.
``exhaustive_python`` is an independent implementation; its ``explore`` selects one of the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orrery.model import Plan, Proof, Step
from orrery.planning import exhaustive_kernel as kernel
from orrery.planning.outcome import DEFAULT_LIMIT, EXHAUSTIVE, SpaceTooLarge
from orrery.planning.task import PlanningTask

_LARGEST_LIMIT = 2**28


def explore(task: PlanningTask, *, limit: int = DEFAULT_LIMIT) -> StateSpace:
    """Return the reachable states, at most ``limit``, breadth first, trying actions in the task's order."""
    if not 1 <= limit <= _LARGEST_LIMIT:
        raise ValueError(f"limit {limit} is not within 1 and {_LARGEST_LIMIT}")
    words = max(1, -(-len(task.facts) // 64))
    actions = _lay_out(task, words)
    slots = np.full(1 << (2 * limit).bit_length(), -1, np.int32)
    result = kernel.explore(actions, row_of(task.init, words), limit, slots)
    return StateSpace(task, actions, limit, *result)


class Edges(NamedTuple):
    """Steps between states, in compressed rows.

    Those out of state ``i`` are at ``offsets[i]`` to ``offsets[i + 1]`` of ``successors`` (indices of
    states) and ``actions`` (indices into ``Task.actions``), ascending by action.
    """

    offsets: NDArray[np.int64]
    successors: kernel.Indices
    actions: kernel.Indices


@dataclass(frozen=True, eq=False)
class StateSpace:
    """Enumerated states, in breadth-first order from the initial one (index 0).

    If ``complete`` is False, the limit excluded states, and results hold only for the states of the space.

    Attributes:
        states: N by W words; bit ``f % 64`` of word ``f // 64`` says whether ``task.facts[f]`` holds.
        trace: for every state its depth, the index of the state from which it was first reached, and that of
            the action; -1 for the initial state.
        applied_at: for every action, the first state whose expansion found it applicable; -1 for none.
        slots: a hash table of the indices of states; -1 is empty.
        expanded: the number of expanded states, the first ones.
    """

    task: PlanningTask
    actions: kernel.Actions
    limit: int
    states: kernel.Words
    trace: kernel.Indices
    applied_at: kernel.Indices
    slots: kernel.Indices
    expanded: int

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self.states)

    @property
    def complete(self) -> bool:
        """Whether these are all reachable states."""
        return self.expanded == len(self)

    @property
    def depth(self) -> kernel.Indices:
        """Distance of every state from the initial one, in actions."""
        depth: kernel.Indices = self.trace[0]
        return depth

    @cached_property
    def goal(self) -> NDArray[np.bool_]:
        """Whether each state is a goal state."""
        return self.satisfying(self.task.goal_positive, self.task.goal_negative)

    def satisfying(self, positive: int, negative: int) -> NDArray[np.bool_]:
        """Return which states have all of ``positive`` and nothing of ``negative``."""
        if positive & negative:
            return np.zeros(len(self), np.bool_)
        facts, values = (row_of(mask, self.states.shape[1]) for mask in (positive | negative, positive))
        fitting: NDArray[np.bool_] = (self.states & facts == values).all(axis=1)
        return fitting

    @cached_property
    def edges(self) -> Edges:
        """All steps between states of the space."""
        return Edges(*kernel.link(self.actions, self.states, self.slots))

    def distances_to(self, goal: NDArray[np.bool_]) -> kernel.Indices:
        """Return the distance of every state to the nearest state of ``goal``; -1 if there is no path."""
        distances: kernel.Indices = kernel.distances(self.edges.offsets, self.edges.successors, goal)
        return distances

    @cached_property
    def _distances(self) -> kernel.Indices:
        return self.distances_to(self.goal)

    def h_star(self) -> kernel.Indices:
        """Return the distance of every state to the nearest goal state, in actions; -1: no goal is reachable.

        Raises:
            SpaceTooLarge: the space is not complete.
        """
        self.require_complete()
        return self._distances

    def nearest_distances(self) -> kernel.Indices | None:
        """Return distances to the nearest goal state along the known edges; -1 if there is no path.

        For the initial state and its successors they are right if these are on a shortest path; otherwise too
        large (or -1). The result is None unless a goal state was found and every state nearer to
        the initial one was expanded: then shortest paths lead only through expanded states.
        """
        if not self.goal.any():
            return None
        depth = self.depth[int(self.goal.argmax())]
        enough = self.complete or self.depth[self.expanded] >= depth
        return self._distances if enough else None

    def first_actions(self) -> frozenset[Step] | None:
        """Return the actions that begin a shortest plan; None if the known states do not show them all."""
        distances = self.nearest_distances()
        if distances is None:
            return None
        edges = self.edges
        start = slice(edges.offsets[0], edges.offsets[1])
        return frozenset(
            self.task.actions[action].step
            for action, successor in zip(edges.actions[start], edges.successors[start], strict=True)
            if 0 <= distances[successor] < distances[0]
        )

    def require_complete(self) -> None:
        """Raise SpaceTooLarge unless the space is complete."""
        if not self.complete:
            place, excess = self.task.problem.name, f"more than {self.limit} reachable states"
            raise SpaceTooLarge(place, excess, "raise the limit")

    def mask(self, index: int) -> int:
        """Return a state as a bit set."""
        return mask_of(self.states[index])

    def __contains__(self, mask: int) -> bool:
        """Return whether the space contains a state."""
        return self.index_of(mask) >= 0

    def index_of(self, mask: int) -> int:
        """Return the index of a state, or -1 if the space does not contain it."""
        words = self.states.shape[1]
        if mask < 0 or mask >> 64 * words:
            return -1
        return int(kernel.find(self.slots, self.states, row_of(mask, words)))

    def plan_to(self, index: int) -> list[Step]:
        """Return a shortest sequence of steps from the initial state to a state."""
        steps = []
        while (action := self.trace[2, index]) >= 0:
            steps.append(self.task.actions[action].step)
            index = int(self.trace[1, index])
        return steps[::-1]

    def optimal_plan(self) -> list[Step] | None:
        """Return a shortest plan, or None if the space has no goal state.

        The first goal state in breadth-first order is a nearest one even if the limit ended the search.
        """
        return self.plan_to(int(self.goal.argmax())) if self.goal.any() else None

    def proven_plan(self) -> Plan | None:
        """Return ``optimal_plan`` with its proof."""
        steps = self.optimal_plan()
        return None if steps is None else Plan(tuple(steps), EXHAUSTIVE, Proof.EXHAUSTION)

    def reached_facts(self) -> int:
        """Return the mask of the facts true in some state."""
        return mask_of(np.bitwise_or.reduce(self.states, axis=0))

    def applied_steps(self) -> frozenset[Step]:
        """Return the steps applicable in some state; in a space that is not complete, an expanded one."""
        return frozenset(self.task.actions[index].step for index in np.flatnonzero(self.applied_at >= 0))

    def intersection(self, positive: int, negative: int) -> tuple[int, int] | None:
        """Return the masks of the facts true in all, and in some, of the matching states.

        These have all of ``positive`` and nothing of ``negative``. The result is None if there is none.
        """
        return self._shared(self.satisfying(positive, negative))

    def goal_intersection(self) -> tuple[int, int] | None:
        """Return the masks of facts true in all, and in some, goal states; None without goal states."""
        return self._shared(self.goal)

    def _shared(self, chosen: NDArray[np.bool_]) -> tuple[int, int] | None:
        states = self.states[chosen]
        if not len(states):
            return None
        return mask_of(np.bitwise_and.reduce(states, axis=0)), mask_of(np.bitwise_or.reduce(states, axis=0))

    def facts_together_with(self, fact: int) -> int:
        """Return the mask of the facts true in some state together with the fact of this index."""
        word, bit = divmod(fact, 64)
        holding = self.states[self.states[:, word] >> np.uint64(bit) & np.uint64(1) == 1]
        return mask_of(np.bitwise_or.reduce(holding, axis=0)) if len(holding) else 0

    def landmarks(self) -> int:
        """Return the mask of the facts that every path to a goal state makes true at some time.

        The result is exact. The initial state and the goal state belong to the path. If no goal state is
        reachable, every fact is a landmark.

        Raises:
            SpaceTooLarge: the space is not complete.
        """
        self.require_complete()
        all_facts = (1 << len(self.task.facts)) - 1
        if not self.goal.any():
            return all_facts
        avoid = kernel.avoidable(self.states, self.edges.offsets, self.edges.successors)
        return all_facts & ~mask_of(np.bitwise_or.reduce(avoid[self.goal], axis=0))


def mask_of(row: kernel.Words) -> int:
    """Return a row of words as a bit set."""
    return int.from_bytes(row.astype("<u8").tobytes(), "little")


def row_of(mask: int, words: int) -> kernel.Words:
    """Return a bit set as words, lowest first."""
    return _rows([mask], words).reshape(words)


def _rows(masks: list[int], words: int) -> kernel.Words:
    """Return bit sets as rows of words, lowest first."""
    data = b"".join(mask.to_bytes(8 * words, "little") for mask in masks)
    return np.frombuffer(data, "<u8").astype(np.uint64).reshape(len(masks), words)


def _lay_out(task: PlanningTask, words: int) -> kernel.Actions:
    all_bits = (1 << 64 * words) - 1
    return kernel.Actions(
        positive=_rows([action.positive for action in task.actions], words),
        negative=_rows([action.negative for action in task.actions], words),
        add=_rows([action.add for action in task.actions], words),
        keep=_rows([all_bits & ~action.delete for action in task.actions], words),
    )


def kernel_cache() -> str | None:
    """Return the folder of compiled loops, or None if no folder is writable."""
    folder: str | None = kernel.explore.stats.cache_path
    return folder
