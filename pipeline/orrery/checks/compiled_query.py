"""Compile questions about a task into planning tasks, so that one planner call decides many questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from orrery.model import Step
from orrery.planning.task import GroundAction, PlanningTask, progress, union

ANY = "any-of"


class Condition(NamedTuple):
    """Facts that must hold in a state and facts that must not, as bit masks."""

    positive: int
    negative: int = 0

    def met(self, state: int) -> bool:
        """Return whether ``state`` satisfies the condition."""
        return state & self.positive == self.positive and not state & self.negative


def needs(action: GroundAction) -> Condition:
    """Return the condition under which ``action`` is applicable."""
    return Condition(action.positive, action.negative)


def any_of(task: PlanningTask, conditions: Sequence[Condition]) -> PlanningTask:
    """Return the task to reach a state that satisfies at least one of ``conditions``."""
    return _with_marks(task, conditions, [0] * len(conditions), 1)


def each_of(task: PlanningTask, conditions: Sequence[Condition]) -> PlanningTask:
    """Return the task to visit, one after the other, states that satisfy each of ``conditions``."""
    return _with_marks(task, conditions, range(len(conditions)), len(conditions))


def _with_marks(
    task: PlanningTask, conditions: Sequence[Condition], numbers: Sequence[int], count: int
) -> PlanningTask:
    """Return the task whose goal is ``count`` new facts.

    For each condition, a new action adds the new fact with its number in a state that satisfies it.
    """
    first, names = len(task.facts), tuple((ANY, str(number)) for number in range(count))
    marks = [
        GroundAction((ANY, str(place)), condition.positive, condition.negative, 1 << first + number, 0)
        for place, (condition, number) in enumerate(zip(conditions, numbers, strict=True))
    ]
    return replace(
        task,
        facts=(*task.facts, *names),
        actions=(*task.actions, *marks),
        goal_positive=union(1 << first + number for number in range(count)),
        goal_negative=0,
    )


def one_of_first(task: PlanningTask, steps: Sequence[Step]) -> PlanningTask:
    """Return the task to reach the goal by a plan that begins with one of the applicable ``steps``.

    A new fact holds until the first step; while it holds, only copies of ``steps`` are applicable.
    """
    first = 1 << len(task.facts)
    later = [action._replace(negative=action.negative | first) for action in task.actions]
    begun = [_first_step(task, step, first) for step in steps]
    return replace(
        task,
        facts=(*task.facts, (ANY,)),
        actions=(*begun, *later),
        init=task.init | first,
        goal_negative=task.goal_negative | first,
    )


def _first_step(task: PlanningTask, step: Step, first: int) -> GroundAction:
    """Return the step as an action of the initial state that also deletes the fact for the beginning."""
    after = progress(task.init, task.action_of[step])
    return GroundAction((ANY, *step), first, 0, after & ~task.init, task.init & ~after | first)
