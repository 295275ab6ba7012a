"""Check plans by executing them on sets of facts directly from the action schemas.

The code that made the plans validated them on the ground task; this check does not use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from orrery.checks.execution import fault_of_plan
from orrery.checks.verdicts import differing
from orrery.model import Domain, Problem
from orrery.pddl.read import PddlError, read_domain
from orrery.pddl.write import parse_atom


def check(domain: Domain, problem: Problem, row: Mapping[str, Any]) -> list[str]:
    """Return the faults of the plan of a row with ``problem``, and of its counts."""
    faults = _plan_faults(row)
    if _domain(row["domain_pddl"]) != domain:
        faults.append("domain_pddl is not the domain")
    if row["solvable"]:
        fault = fault_of_plan(domain, problem, list(map(parse_atom, row["plan"])))
        faults += [f"invalid plan: {fault}"] if fault else []
    if problem.satisfied(problem.init):
        faults.append("the goal holds initially")
    counts = {
        "h_star": len(row["plan"]) if row["solvable"] and row["plan_optimal"] else None,
        "num_objects": len(problem.objects),
        "init_num_propositions": len(problem.init),
        "goal_num_propositions": len(problem.goal),
    }
    return faults + differing(counts, row)


@lru_cache(maxsize=32)
def _domain(text: str) -> Domain | None:
    """Return the domain of a text, or None if it cannot be read.

    The results are cached because many rows share few domains.
    """
    try:
        return read_domain(text)
    except PddlError:
        return None


def _plan_faults(row: Mapping[str, Any]) -> list[str]:
    """Return where plan, cost and solvability contradict each other."""
    if row["solvable"]:
        return differing({"plan_cost": len(row["plan"])}, row)
    stray = row["plan"] or row["plan_cost"] is not None or row["plan_optimal"]
    return ["a plan stands in a row that is not solvable"] if stray else []
