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
from orrery.pddl.read import read_domain
from orrery.pddl.write import parse_atom

PROBLEM_BEGINS = "(define (problem "


def check(domain: Domain, problem: Problem, row: Mapping[str, Any]) -> list[str]:
    """Return the faults of the plan of a row with ``problem``, and of its counts."""
    faults = _plan_faults(row)
    if domain_of(row["domain_pddl"]) != domain:
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


@lru_cache(maxsize=64)
def domain_of(text: str) -> Domain:
    """Return the domain of a text, cached because many rows share few domains."""
    return read_domain(text)


def context_faults(context: str, domain_pddl: str, problem_pddl: str) -> list[str]:
    """Return a fault if a context in PDDL is not exactly the domain and the problem, in small letters."""
    domain, begin, problem = context.partition(PROBLEM_BEGINS)
    stated = (domain_pddl.strip(), problem_pddl.strip())
    faults = ["context_pddl is another"] * ((domain.strip(), (begin + problem).strip()) != stated)
    return faults + ["PDDL is not in small letters"] * (context != context.lower())


def _plan_faults(row: Mapping[str, Any]) -> list[str]:
    """Return where plan, cost and solvability contradict each other."""
    if row["solvable"]:
        return differing({"plan_cost": len(row["plan"])}, row)
    stray = row["plan"] or row["plan_cost"] is not None or row["plan_optimal"]
    return ["a plan stands in a row that is not solvable"] if stray else []
