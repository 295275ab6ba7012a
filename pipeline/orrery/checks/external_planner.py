"""Published PDDL as another tool reads it: unified-planning parses it, validates plans, has it solved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orrery.checks.verdicts import undecided
from orrery.model import Domain
from orrery.pddl.read import read_problem
from orrery.planners.outcome import PlannerOutcome
from orrery.planners.unified import PlannedProblem, solve_text, validate_plans
from orrery.semantics.execution import check_plan


def check(domain: Domain, row: Mapping[str, Any], seconds: float) -> list[str]:
    """Return where other planners and validators disagree with the row on a plan or on its existence."""
    answer = solve_text(row["domain_pddl"], row["problem_pddl"], seconds=seconds)
    if answer.outcome is PlannerOutcome.ERROR:
        return [f"unified-planning fails on the PDDL: {answer.detail}"]
    if answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN:
        return ["stated solvable, proven unsolvable"] if row["solvable"] else []
    if answer.plan is None:
        return [undecided(f"whether other tools solve it: {answer.outcome}")]
    if row["solvable"] is False:
        return ["stated unsolvable, solved"]
    verdict = check_plan(domain, read_problem(row["problem_pddl"], domain, row["id"]), answer.plan.steps)
    return [] if verdict.valid else [f"its plan is not valid for us: {verdict.reason}"]


def check_plans(rows: Sequence[Mapping[str, Any]], seconds: float) -> list[list[str]]:
    """Return, for each row of one domain, where unified-planning does not find its plan valid."""
    if not rows:
        return []
    problems = [PlannedProblem(row["problem_pddl"], "\n".join(row["plan"])) for row in rows]
    verdicts = validate_plans(rows[0]["domain_pddl"], problems, seconds=seconds)
    if verdicts is None:
        return [[undecided("whether unified-planning finds the plan valid")] for _ in rows]
    return [[] if verdict == "VALID" else [f"unified-planning says {verdict}"] for verdict in verdicts]
