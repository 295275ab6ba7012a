"""Reachability of one exact state from a problem's initial state.

Only what can help is searched. A fact that no action can take back must not come to be true unless the
target has it, and a fact that none can bring back must not be lost where the target has it; actions that
would do so are left out, again and again. What remains of the facts falls into groups that no action
links (robots that do not meet, say); the target is reached iff each group reaches its part. A group is
explored; where its states are too many a planner is asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

from orrery.equivalence.closure import Budget
from orrery.model import Domain, Problem, State, Step
from orrery.planning.fast_downward import solve
from orrery.planning.grounding import ground
from orrery.planning.state_space import ReachedStates, explore
from orrery.planning.task import GroundAction, PlanningTask, union

_FIRST_LIMIT = 20_000
UNREACHED = "whether a state can be reached: too many states, and the planner does not know"
_Group: TypeAlias = tuple[int, list[GroundAction]]


class Reaching:
    """Answers for one initial state; exhaustive searches are kept for the next question."""

    def __init__(self, domain: Domain, problem: Problem, budget: Budget) -> None:
        """Ground ``problem``, regardless of its goal."""
        self.task = ground(domain, replace(problem, goal=frozenset()))
        self.budget, self.calls = budget, budget.calls
        self._answers: dict[int, bool | None] = {}
        self._spaces: dict[tuple[int, tuple[Step, ...]], ReachedStates] = {}

    @property
    def kept(self) -> State:
        """The facts of the initial state that no action can take away, static ones included.

        They are the same for all states that reach the initial one and are reached from it.
        """
        return self.task.state(self.task.init & ~union(action.delete for action in self.task.actions))

    def reaches(self, state: State) -> bool | None:
        """Return whether ``state`` is reachable; None if both search and planner ran out of budget."""
        bit = self.task.bit
        if not state >= self.task.statics:
            return False
        moving = state - self.task.statics
        if not moving <= bit.keys():
            return False
        target = sum([bit[fact] for fact in moving])
        if target not in self._answers:
            self._answers[target] = self._settle(target)
        return self._answers[target]

    def _settle(self, target: int) -> bool | None:
        init = self.task.init
        actions = _helpful(self.task.actions, init, target)
        added, deleted = union(a.add for a in actions), union(a.delete for a in actions)
        groups = _groups(_simplified(actions, init, added & ~init | deleted & init))
        if (init ^ target) & ~union(facts for facts, _ in groups):
            return False
        is_reached: bool | None = True
        for facts, group in groups:
            if (init ^ target) & facts:
                answer = self._search(facts, group, target & facts)
                if answer is False:
                    return False
                is_reached = is_reached and answer
        return is_reached

    def _search(self, facts: int, actions: list[GroundAction], target: int) -> bool | None:
        """Return whether one group of facts reaches its part of the target."""
        group = replace(
            self.task,
            actions=tuple(actions),
            init=self.task.init & facts,
            goal_positive=target,
            goal_negative=facts & ~target,
        )
        for limit in (min(_FIRST_LIMIT, self.budget.states), self.budget.states):
            space = self._explored(facts, group, limit)
            if target in space:
                return True
            if space.complete:
                return False
            if self.calls:
                self.calls -= 1
                answer = solve(group, seconds=self.budget.seconds)
                if answer.outcome.decided:
                    return answer.plan is not None
        return None

    def _explored(self, facts: int, group: PlanningTask, limit: int) -> ReachedStates:
        key = (facts, tuple([action.step for action in group.actions]))  # these say the masks too
        space = self._spaces.get(key)
        if space is None or not (space.complete or space.limit >= limit):
            space = self._spaces[key] = explore(group, limit=limit)
        return space


def _helpful(actions: Iterable[GroundAction], init: int, target: int) -> list[GroundAction]:
    """Return the actions that may occur on a path to ``target``: no effect of theirs excludes it for good."""
    helpful = list(actions)
    while True:
        added, deleted = union(a.add for a in helpful), union(a.delete for a in helpful)
        stays, gone = ~target & ~deleted & ~init, target & ~added & init
        remaining = [a for a in helpful if not a.add & stays and not a.delete & gone]
        if len(remaining) == len(helpful):
            return helpful
        helpful = remaining


def _simplified(actions: list[GroundAction], init: int, changing: int) -> list[GroundAction]:
    """Return the actions over the facts that change; those that cannot occur or do nothing are left out."""
    simplified = []
    for action in actions:
        if action.positive & ~changing & ~init or action.negative & ~changing & init:
            continue
        masks = (action.positive, action.negative, action.add, action.delete)
        positive, negative, add, delete = (mask & changing for mask in masks)
        if add | delete:
            simplified.append(GroundAction(action.step, positive, negative, add, delete))
    return simplified


def _groups(actions: list[GroundAction]) -> list[_Group]:
    """Return the facts that actions link, in groups, each with its actions."""
    groups: list[_Group] = []
    for action in actions:
        facts, members = action.positive | action.negative | action.add | action.delete, [action]
        apart = []
        for group in groups:
            if group[0] & facts:
                facts, members = facts | group[0], group[1] + members
            else:
                apart.append(group)
        groups = [*apart, (facts, members)]
    return groups
