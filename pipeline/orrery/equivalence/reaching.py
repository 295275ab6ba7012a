"""Reachability of one exact state from a problem's initial state.

The search is restricted to useful actions. A fact that no action can delete must not be added unless the
target has it, and a fact that none can add must not be deleted if the target has it. Actions that
would do so are removed, repeatedly. The remaining facts form groups that no action
links (for example robots that never meet). The target is reachable iff each group reaches its part. A group
is explored; if it has too many states, a planner is used.

A rule decides whether some reachable state contains certain facts, but placeholder verdicts need exact
reachability. The two are the same if predicates have positive weights such that no action makes
a state heavier: a state with all facts of the initial one and a further fact would weigh more. Some
predicates need no weight: facts that are never deleted, are added only by actions without other effects, and
are preconditions only of such actions. A plan needs none of those actions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from heapq import heappop, heappush
from typing import TypeAlias

from orrery.equivalence.closure import Budget
from orrery.model import Action, Domain, Problem, State, Step
from orrery.planning.exhaustive_python import ReachedStates, explore
from orrery.planning.fast_downward import solve
from orrery.planning.grounding import ground
from orrery.planning.task import GroundAction, PlanningTask, union

_FIRST_LIMIT = 20_000
UNREACHED = "whether a state can be reached: too many states, and the planner does not know"
_Group: TypeAlias = tuple[int, list[GroundAction]]


class Reaching:
    """Results for one initial state; exhaustive searches are cached."""

    def __init__(self, domain: Domain, problem: Problem, budget: Budget) -> None:
        """Ground ``problem``; its goal is ignored."""
        self.task = ground(domain, replace(problem, goal=frozenset()))
        self.budget, self.calls = budget, budget.calls
        self._answers: dict[int, bool | None] = {}
        self._spaces: dict[tuple[int, tuple[Step, ...]], ReachedStates] = {}

    @property
    def kept(self) -> State:
        """The facts of the initial state that no action can delete, including static ones.

        They are the same for all states that reach the initial one and are reachable from it.
        """
        return self.task.state(self.task.init & ~union(action.delete for action in self.task.actions))

    def reaches(self, state: State) -> bool | None:
        """Return whether ``state`` is reachable; None if both search and planner exceed their budget."""
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
        key = (facts, tuple([action.step for action in group.actions]))  # these determine the masks too
        space = self._spaces.get(key)
        if space is None or not (space.complete or space.limit >= limit):
            space = self._spaces[key] = explore(group, limit=limit)
        return space


def _helpful(actions: Iterable[GroundAction], init: int, target: int) -> list[GroundAction]:
    """Return the actions that may occur on a path to ``target``: no effect excludes it permanently."""
    helpful = list(actions)
    while True:
        added, deleted = union(a.add for a in helpful), union(a.delete for a in helpful)
        stays, gone = ~target & ~deleted & ~init, target & ~added & init
        remaining = [a for a in helpful if not a.add & stays and not a.delete & gone]
        if len(remaining) == len(helpful):
            return helpful
        helpful = remaining


def _simplified(actions: list[GroundAction], init: int, changing: int) -> list[GroundAction]:
    """Return the actions restricted to changing facts, without actions that never apply or have no effect."""
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
    """Return the groups of facts linked by actions, each with its actions."""
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


_HEAVIEST = 16
_MOST_TRIED = 1_000  # our domains need at most 3


@lru_cache(maxsize=64)
def lasting_predicates(domain: Domain) -> frozenset[str]:
    """Return the predicates whose facts no action ever deletes, including static ones."""
    deleted = {atom[0] for action in domain.actions for atom in action.delete}
    return frozenset(predicate.name for predicate in domain.predicates if predicate.name not in deleted)


@lru_cache(maxsize=64)
def free_predicates(domain: Domain) -> frozenset[str] | None:
    """Return the predicates that need no weight, or None if no weights for the others are found."""
    marks = domain.fluents & lasting_predicates(domain)
    while True:
        movers = [action for action in domain.actions if not _changes(action) <= marks]
        used = {literal.atom[0] for action in movers for literal in action.preconditions}
        tied = marks & used.union(*map(_changes, movers))
        if not tied:
            break
        marks -= tied
    weights = dict.fromkeys(sorted(domain.fluents - marks), 1)
    return marks if _balanced([_losses(action) for action in movers], weights) else None


def _changes(action: Action) -> frozenset[str]:
    return frozenset(atom[0] for atom in action.add | action.delete)


def _losses(action: Action) -> Counter[str]:
    """Return, by predicate, the number of facts that an action certainly deletes minus those that it may add.

    Only preconditions are certainly present; two of them with one predicate may be the same fact.
    """
    positive = {literal.atom for literal in action.preconditions if literal.positive}
    losses = Counter({atom[0] for atom in action.delete & positive})
    losses.subtract(atom[0] for atom in action.add)
    return losses


def _balanced(actions: list[Counter[str]], weights: dict[str, int]) -> bool:
    """Return whether some weights of at least ``weights`` suit all actions (False beyond the budget).

    An action that adds more weight than it deletes is balanced by a larger weight of a deleted predicate.
    Smaller sums are tried first and none twice, none above ``_HEAVIEST`` and at most ``_MOST_TRIED``, because
    refuting all weights would take ``_HEAVIEST`` to the power of the number of predicates.
    """
    names = sorted(weights)
    start = tuple(weights[name] for name in names)
    queue, queued = [(sum(start), start)], {start}
    for _ in range(_MOST_TRIED):
        if not queue:
            return False
        _, candidate = heappop(queue)
        values = dict(zip(names, candidate, strict=True))
        unbalanced = _first_unbalanced(actions, values)
        if unbalanced is None:
            return True
        losses, lacking = unbalanced
        for name in sorted(name for name, count in losses.items() if count > 0):
            raised = {**values, name: values[name] + lacking}
            heavier = tuple(raised[name] for name in names)
            if raised[name] <= _HEAVIEST and heavier not in queued:
                queued.add(heavier)
                heappush(queue, (sum(heavier), heavier))
    return False


def _first_unbalanced(
    actions: list[Counter[str]], weights: dict[str, int]
) -> tuple[Counter[str], int] | None:
    """Return the first action that makes a state heavier, and by how much."""
    for losses in actions:
        lacking = -sum(weights[name] * count for name, count in losses.items())
        if lacking > 0:
            return losses, lacking
    return None
