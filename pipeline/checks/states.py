"""Decided states, by Fast Downward alone: cost, solvability, and actions that can never be applied.

Most states were decided by the compiled sweep. Landmarks and unreachable facts are checked row by
row in ``answers``, from the published PDDL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pipeline.model import Domain, Problem
from pipeline.pddl.write import parse_atom, write_atom
from pipeline.planners.exhaustive_python import reachable
from pipeline.planners.fast_downward import solve
from pipeline.planners.outcome import Outcome
from pipeline.semantics.grounding import ground
from pipeline.semantics.progression import is_applicable
from pipeline.semantics.task import GroundAction, Task
from pipeline.semantics.universe import count_steps

PLAIN_LIMIT = 3_000


def check(domain: Domain, problem: Problem, row: Mapping[str, Any], seconds: float) -> list[str]:
    """What Fast Downward contradicts of a state's cost, solvability and unreachable actions.

    ``problem`` is the problem from the state asked about.
    """
    task = ground(domain, problem)
    return _cost_faults(task, row, seconds) + (
        _action_faults(task, row, seconds) if row["actions_complete"] else []
    )


def _cost_faults(task: Task, row: Mapping[str, Any], seconds: float) -> list[str]:
    answer = solve(task, optimal=True, seconds=seconds)
    if answer.outcome is Outcome.UNSOLVABLE_PROVEN:
        return ["stated solvable, proven unsolvable"] if row["solvable"] else []
    if answer.plan is None:
        return []
    if row["solvable"] is False:
        return ["stated unsolvable, solved"]
    cost = len(answer.plan.steps)
    return [f"h_star is {row['h_star']}, A* finds {cost}"] if row["h_star"] not in (None, cost) else []


def _action_faults(task: Task, row: Mapping[str, Any], seconds: float) -> list[str]:
    """Stored actions that can be applied after all, and others that no state seen and no plan applies."""
    stored = {parse_atom(text) for text in row["unreachable_actions"]}
    never = [action for action in task.actions if action.step in stored]
    found = [f"{write_atom(a.step)} can be applied" for a in never if _applied(task, a, seconds) is True]
    rest = [action for action in task.actions if action.step not in stored]
    found += [f"{write_atom(a.step)} is never applied" for a in _not_seen(task, rest, seconds)]
    outside = count_steps(task.domain, task.problem) - len(task.actions)
    if len(stored) - len(never) != outside:
        found.append(f"{len(stored) - len(never)} actions beyond the relaxation stored, there are {outside}")
    return found


def _not_seen(task: Task, actions: list[GroundAction], seconds: float) -> list[GroundAction]:
    """Those of ``actions`` that a plain search does not apply and a planner proves inapplicable."""
    open_actions = actions
    for mask in reachable(task, limit=PLAIN_LIMIT).states:
        open_actions = [action for action in open_actions if not is_applicable(mask, action)]
        if not open_actions:
            break
    return [action for action in open_actions if _applied(task, action, seconds) is False]


def _applied(task: Task, action: GroundAction, seconds: float) -> bool | None:
    """Whether some reachable state allows ``action``; None where the planner does not decide."""
    wanted = replace(task, goal_positive=action.positive, goal_negative=action.negative)
    answer = solve(wanted, seconds=seconds)
    if answer.plan is not None:
        return True
    return False if answer.outcome is Outcome.UNSOLVABLE_PROVEN else None
