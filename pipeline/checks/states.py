"""Decided states, by Fast Downward alone: cost, solvability, and actions that can never be applied.

Most states were decided by the compiled sweep. Landmarks and unreachable facts are checked row by
row in ``answers``, from the published PDDL.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.checks.evidence import Condition, can_hold, none_can_hold
from pipeline.checks.open_matters import undecided
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


def check_optimal(domain: Domain, problem: Problem, cost: int, seconds: float) -> list[str]:
    """What A* contradicts of ``cost``, the cost of a plan called optimal."""
    return _cost_faults(ground(domain, problem), {"solvable": True, "h_star": cost}, seconds)


def _cost_faults(task: Task, row: Mapping[str, Any], seconds: float) -> list[str]:
    answer = solve(task, optimal=True, seconds=seconds)
    if answer.outcome is Outcome.UNSOLVABLE_PROVEN:
        stated = row["solvable"] or row["h_star"] is not None
        return ["stated solvable, proven unsolvable"] if stated else []
    if answer.plan is None:
        return [undecided("the cost")]
    if row["solvable"] is False:
        return ["stated unsolvable, solved"]
    cost = len(answer.plan.steps)
    return [f"h_star is {row['h_star']}, A* finds {cost}"] if row["h_star"] not in (None, cost) else []


def _action_faults(task: Task, row: Mapping[str, Any], seconds: float) -> list[str]:
    """Stored actions that can be applied after all, and others that no state seen and no plan applies."""
    stored = {parse_atom(text) for text in row["unreachable_actions"]}
    never = [action for action in task.actions if action.step in stored]
    found = _never_faults(task, never, seconds)
    found += _ever_faults(task, [action for action in task.actions if action.step not in stored], seconds)
    outside = count_steps(task.domain, task.problem) - len(task.actions)
    if len(stored) - len(never) != outside:
        found.append(f"{len(stored) - len(never)} actions beyond the relaxation stored, there are {outside}")
    return found


def _never_faults(task: Task, actions: list[GroundAction], seconds: float) -> list[str]:
    """Which of ``actions`` can be applied: one planner call for all; one each only if some can."""
    verdict = none_can_hold(task, [_needs(action) for action in actions], seconds)
    if verdict is None:
        return [undecided("whether all stored actions are unreachable")]
    applied = [] if verdict else [a for a in actions if can_hold(task, _needs(a), seconds)]
    return [f"{write_atom(action.step)} can be applied" for action in applied]


def _ever_faults(task: Task, actions: list[GroundAction], seconds: float) -> list[str]:
    """Those of ``actions`` that neither a plain search nor a planner applies."""
    waiting = actions
    for mask in reachable(task, limit=PLAIN_LIMIT).states:
        waiting = [action for action in waiting if not is_applicable(mask, action)]
        if not waiting:
            break
    verdicts = [(action, can_hold(task, _needs(action), seconds)) for action in waiting]
    open_actions = [undecided(write_atom(a.step)) for a, verdict in verdicts if verdict is None]
    return open_actions + [
        f"{write_atom(a.step)} is never applied" for a, verdict in verdicts if verdict is False
    ]


def _needs(action: GroundAction) -> Condition:
    return Condition(action.positive, action.negative)
