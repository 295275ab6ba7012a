"""Planner evidence for the checks: what Fast Downward proves reachable, unreachable or avoidable.

``None`` stands for what it does not decide within its limits; a check reports that as undecided,
never as a fault and never as a pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from pipeline.model import Atom, Domain, Problem
from pipeline.planners.fast_downward import solve
from pipeline.planners.outcome import Answer
from pipeline.semantics.grounding import ground
from pipeline.semantics.task import GroundAction, Task

ANY = "any-of"


class Condition(NamedTuple):
    """Facts that must and facts that must not hold in a state, as masks."""

    positive: int
    negative: int = 0


def shortest(domain: Domain, problem: Problem, seconds: float) -> Answer:
    """What A* says of the problem; several checks in a row ask about one state, so the last are kept."""
    return _shortest(domain, replace(problem, name=""), seconds)


@lru_cache(maxsize=8)
def _shortest(domain: Domain, problem: Problem, seconds: float) -> Answer:
    return solve(ground(domain, problem), optimal=True, seconds=seconds)


def can_hold(task: Task, condition: Condition, seconds: float) -> bool | None:
    """Whether some reachable state satisfies ``condition``."""
    wanted = replace(task, goal_positive=condition.positive, goal_negative=condition.negative)
    return solve(wanted, seconds=seconds).solvable


def can_avoid(task: Task, fact: Atom, seconds: float) -> bool | None:
    """Whether some plan never makes ``fact`` true; the task must have a plan."""
    return fact not in task.bit or solve(task, forbidden=fact, seconds=seconds).solvable


def none_can_hold(task: Task, conditions: Sequence[Condition], seconds: float) -> bool | None:
    """Whether no reachable state satisfies any of ``conditions``: one call for all of them.

    The task gets one more fact as its goal, and for each condition an action that adds it.
    """
    if not conditions:
        return True
    goal = 1 << len(task.facts)
    ends = [
        GroundAction((ANY, str(number)), condition.positive, condition.negative, goal, 0)
        for number, condition in enumerate(conditions)
    ]
    wanted = replace(
        task, facts=(*task.facts, (ANY,)), actions=(*task.actions, *ends), goal_positive=goal, goal_negative=0
    )
    reached = solve(wanted, seconds=seconds).solvable
    return None if reached is None else not reached
