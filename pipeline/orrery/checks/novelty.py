"""A search that gets far with few states: iterated width, of width two, written for the checks.

Lipovetzky and Geffner, "Width and serialization of classical planning problems", 2012: breadth first, and a
state is kept only if two of its facts held together in no state before it.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from orrery.semantics.task import GroundAction, PlanningTask, bits

MOST_APPLIED = 200_000  # actions: half a second
NO_FACT = -1  # stands for what an action needs that needs nothing


class NovelStates(NamedTuple):
    """Reachable states, nearest first, and the numbers of the actions that are applicable in some of them."""

    states: Sequence[int]
    applied: frozenset[int]


def novel_states(task: PlanningTask, most: int = MOST_APPLIED) -> NovelStates:
    """Return the states of ``task`` that have a new pair of facts, after ``most`` applied actions at most."""
    by_need, pairs = _by_need(task.actions), _Pairs(len(task.facts))
    pairs.enter(task.init, bits(task.init))
    states, waiting, applied, tried = [task.init], deque([task.init]), set[int](), 0
    while waiting and tried < most:
        state = waiting.popleft()
        for number, action, added in chain(*(by_need.get(fact, ()) for fact in (NO_FACT, *bits(state)))):
            if state & action.positive == action.positive and not state & action.negative:
                applied.add(number)
                tried += 1
                after = state & ~action.delete | action.add
                if pairs.enter(after, added):
                    states.append(after)
                    waiting.append(after)
    return NovelStates(states, frozenset(applied))


def _by_need(actions: Sequence[GroundAction]) -> Mapping[int, Sequence[tuple[int, GroundAction, list[int]]]]:
    """Return the actions, each with its number and the facts it adds, by the rarest fact that they need."""
    needed = [bits(action.positive) for action in actions]
    counts = Counter(chain.from_iterable(needed))
    found = defaultdict(list)
    for number, (action, facts) in enumerate(zip(actions, needed, strict=True)):
        rarest = min(facts, key=counts.__getitem__, default=NO_FACT)
        found[rarest].append((number, action, bits(action.add)))
    return found


class _Pairs:
    """For each fact those that held together with it in some state."""

    def __init__(self, facts: int) -> None:
        self._together = [0] * facts

    def enter(self, state: int, added: Iterable[int]) -> bool:
        """Return whether a state has a new pair, one fact of which was ``added``, and note its pairs."""
        novel = False
        for fact in added:
            if new := state & ~self._together[fact]:
                novel = True
                self._together[fact] |= new
                for other in bits(new):
                    self._together[other] |= 1 << fact
        return novel
