"""Published PDDL as another tool reads it: unified-planning parses it, Fast Downward solves it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.checks.open_matters import undecided
from pipeline.model import Domain
from pipeline.pddl.read import read_problem
from pipeline.planners.outcome import Outcome
from pipeline.planners.unified import solve_text
from pipeline.semantics.execution import check_plan

LOADING_SECONDS = 60.0  # unified-planning takes seconds to load, more where the machine is busy


def check(domain: Domain, row: Mapping[str, Any], seconds: float) -> list[str]:
    """Where the other tools disagree with the row on whether there is a plan, or on what a plan is."""
    answer = solve_text(row["domain_pddl"], row["problem_pddl"], seconds=LOADING_SECONDS + seconds)
    if answer.outcome is Outcome.ERROR:
        return [f"unified-planning fails on the PDDL: {answer.detail}"]
    if answer.outcome is Outcome.UNSOLVABLE_PROVEN:
        return ["stated solvable, proven unsolvable"] if row["solvable"] else []
    if answer.plan is None:
        return [undecided(f"whether other tools solve it: {answer.outcome}")]
    if row["solvable"] is False:
        return ["stated unsolvable, solved"]
    verdict = check_plan(domain, read_problem(row["problem_pddl"], domain, row["id"]), answer.plan.steps)
    return [] if verdict.valid else [f"its plan is not valid for us: {verdict.reason}"]
