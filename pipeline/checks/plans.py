"""Plans, by executing them on sets of facts straight from the action schemas.

The plans were made and first validated on the ground task; nothing of that is used here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.model import Domain
from pipeline.pddl.read import read_domain, read_problem
from pipeline.pddl.write import parse_atom
from pipeline.semantics.execution import check_plan


def check(domain: Domain, row: Mapping[str, Any]) -> list[str]:
    """What is wrong with the plan of a row that holds a problem, and with its counts."""
    problem = read_problem(row["problem_pddl"], domain, row["id"])
    found = _plan_faults(row)
    if read_domain(row["domain_pddl"], row["id"]) != domain:
        found.append("domain_pddl is not the domain")
    if row["solvable"]:
        verdict = check_plan(domain, problem, map(parse_atom, row["plan"]))
        found += [] if verdict.valid else [f"invalid plan: {verdict.reason}"]
    if problem.satisfied(problem.init):
        found.append("the goal holds initially")
    counts = {
        "num_objects": len(problem.objects),
        "init_num_propositions": len(problem.init),
        "goal_num_propositions": len(problem.goal),
    }
    return found + [f"{name} is {row[name]}, should be {n}" for name, n in counts.items() if row[name] != n]


def _plan_faults(row: Mapping[str, Any]) -> list[str]:
    """Where plan, cost and solvability do not go together."""
    if row["solvable"]:
        fits = row["plan_cost"] == len(row["plan"])
        return [] if fits else [f"plan_cost is {row['plan_cost']}, the plan has {len(row['plan'])} steps"]
    stray = row["plan"] or row["plan_cost"] is not None or row["plan_optimal"]
    return ["a plan stands in a row that is not solvable"] if stray else []
