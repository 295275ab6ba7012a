"""The rows of ``solutions``: written from proven results, and converted back to a planner's result."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import Any

from orrery.installation import DISTRIBUTION
from orrery.model import Plan, Proof
from orrery.pddl.write import parse_atom, write_atom
from orrery.planning.decided import DecidedState
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.plans import FoundPlan


def solution_row(
    problem_id: str, found_plan: FoundPlan, decided: DecidedState | None = None
) -> dict[str, Any]:
    """Return the row of a problem; results in ``decided``, in particular a shortest plan, have priority."""
    answer, task = found_plan.answer, found_plan.task
    plan = (decided.plan if decided else None) or answer.plan
    solvable = answer.solvable if decided is None or decided.solvable is None else decided.solvable
    outcome = _outcome(answer, plan, solvable)
    num_states = (decided.num_states if decided else None) or found_plan.num_states
    planner = plan.planner if plan else "exhaustive" if num_states else "fast-downward"
    return {
        "problem_id": problem_id,
        "outcome": str(outcome),
        "solvable": solvable,
        "plan": [write_atom(step) for step in plan.steps] if plan else [],
        "plan_cost": len(plan.steps) if plan else None,
        "optimal": bool(plan and plan.optimal),
        "plan_proof": str(plan.optimal or "witness") if plan else str(outcome),
        "planner": planner,
        "planner_version": _version(planner),
        "num_facts": len(task.facts) if task else None,
        "num_actions": len(task.actions) if task else None,
        "num_states": num_states,
    }


def planner_answer(solution: Mapping[str, Any]) -> PlannerResult:
    """Return the planner's result in a row of solutions."""
    steps = tuple(parse_atom(step) for step in solution["plan"])
    optimal = Proof(solution["plan_proof"]) if solution["optimal"] else None
    plan = Plan(steps, solution["planner"], optimal) if solution["plan_cost"] is not None else None
    return PlannerResult(PlannerOutcome(solution["outcome"]), plan, "")


def _outcome(answer: PlannerResult, plan: Plan | None, solvable: bool | None) -> PlannerOutcome:
    if plan is not None:
        return PlannerOutcome.SOLVED_OPTIMALLY if plan.optimal else PlannerOutcome.SOLVED
    return PlannerOutcome.UNSOLVABLE_PROVEN if solvable is False else answer.outcome


@cache
def _version(planner: str) -> str:
    """Return the version of the package that contains ``planner``."""
    return version("up-fast-downward" if planner.startswith("fast-downward") else DISTRIBUTION)
