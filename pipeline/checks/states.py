"""Decided states: cost, solvability and actions never applicable by Fast Downward, size by plain search.

Most states were decided by the compiled sweep. Landmarks and unreachable facts are checked row by
row in ``answers``, from the published PDDL.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.checks.evidence import Condition, can_hold, none_can_hold, shortest
from pipeline.checks.open_matters import undecided
from pipeline.model import Domain, Problem
from pipeline.pddl.write import parse_atom, write_atom
from pipeline.planners.exhaustive_python import Reached, reachable
from pipeline.planners.outcome import Answer, Outcome
from pipeline.semantics.grounding import ground
from pipeline.semantics.progression import is_applicable
from pipeline.semantics.task import GroundAction, Task
from pipeline.semantics.universe import count_steps

PLAIN_LIMIT = 3_000
DECIDED_LIMIT = 5_000  # as many as are visited when a plan is first called optimal


def check(domain: Domain, problem: Problem, row: Mapping[str, Any], seconds: float) -> list[str]:
    """What Fast Downward and a plain search contradict of a state's cost, solvability, actions and size.

    ``problem`` is the problem from the state asked about.
    """
    task = ground(domain, problem)
    seen = reachable(task, limit=PLAIN_LIMIT)
    faults = _cost_faults(shortest(domain, problem, seconds), row) + _size_faults(seen, row["num_states"])
    return faults + (_action_faults(task, row, seen, seconds) if row["actions_complete"] else [])


def check_decided(domain: Domain, problem: Problem, row: Mapping[str, Any], seconds: float) -> list[str]:
    """What a plain search contradicts of the number of states and of a plan called optimal.

    Beyond its limit there must be more states than it saw; a cost that it does not meet goes to A*.
    """
    task = ground(domain, problem)
    seen = reachable(task, limit=DECIDED_LIMIT if row["plan_optimal"] else PLAIN_LIMIT)
    faults = _size_faults(seen, row["num_states"])
    if not row["plan_optimal"]:
        return faults
    nearest = next((depth for state, depth in seen.depth.items() if task.is_goal(state)), None)
    if nearest is None and not seen.complete:
        stated = {"solvable": True, "h_star": row["plan_cost"]}
        return faults + _cost_faults(shortest(domain, problem, seconds), stated)
    best = "there is none" if nearest is None else f"{nearest} steps suffice"
    return faults + ([] if nearest == row["plan_cost"] else [f"a plan of {row['plan_cost']} steps: {best}"])


def _cost_faults(answer: Answer, row: Mapping[str, Any]) -> list[str]:
    """Where a state's cost and solvability are not those that A* found."""
    if answer.outcome is Outcome.UNSOLVABLE_PROVEN:
        stated = row["solvable"] or row["h_star"] is not None
        return ["stated solvable, proven unsolvable"] if stated else []
    if answer.plan is None:
        return [undecided("the cost")]
    if row["solvable"] is False:
        return ["stated unsolvable, solved"]
    cost = len(answer.plan.steps)
    return [f"h_star is {row['h_star']}, A* finds {cost}"] if row["h_star"] not in (None, cost) else []


def _size_faults(seen: Reached, num_states: int | None) -> list[str]:
    """Where a stated number of reachable states is not that of ``seen``, or not above an unfinished one."""
    found = len(seen.depth)
    if num_states is None or (num_states == found if seen.complete else num_states > found):
        return []
    return [f"num_states is {num_states}, there are {found}{'' if seen.complete else ' and more'}"]


def _action_faults(task: Task, row: Mapping[str, Any], seen: Reached, seconds: float) -> list[str]:
    """Stored actions that can be applied after all, and others that no state seen and no plan applies."""
    stored = {parse_atom(text) for text in row["unreachable_actions"]}
    never = [action for action in task.actions if action.step in stored]
    found = _never_faults(task, never, seconds)
    others = [action for action in task.actions if action.step not in stored]
    found += _ever_faults(task, others, seen, seconds)
    outside = count_steps(task.domain, task.problem) - len(task.actions)
    if len(stored) - len(never) != outside:
        found.append(f"{len(stored) - len(never)} actions beyond the relaxation stored, there are {outside}")
    return found


def _never_faults(task: Task, actions: list[GroundAction], seconds: float) -> list[str]:
    """Which of ``actions`` can be applied: one planner call for all; one each only if some can."""
    verdict = none_can_hold(task, [_needs(action) for action in actions], seconds)
    if verdict is None:
        return [undecided("whether all stored actions are unreachable")]
    if verdict:
        return []
    applied = [a for a in actions if can_hold(task, _needs(a), seconds)]
    found = [f"{write_atom(action.step)} can be applied" for action in applied]
    return found or ["one of the stored actions can be applied"]  # proven of all together; which, is not


def _ever_faults(task: Task, actions: list[GroundAction], seen: Reached, seconds: float) -> list[str]:
    """Those of ``actions`` that neither the states of a plain search nor a planner applies."""
    waiting = actions
    for mask in seen.states:
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
