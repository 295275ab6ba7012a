"""Check published PDDL with other tools: Fast Downward solves it, unified-planning validates plans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from orrery.checks.execution import fault_of_plan
from orrery.checks.verdicts import Verdicts, undecided
from orrery.model import OBJECT, Domain
from orrery.pddl.read import PddlError, read_problem
from orrery.planning.external_parsers import PlannedProblem, validate_plans
from orrery.planning.outcome import PlannerOutcome
from orrery.planning.translator import solve_text

TOGETHER = 40  # plans per call
# unified-planning does not read ``either``. Steps of rows are well-typed, so the widest type does not change
# which plans are valid.
EITHER = re.compile(r"\(either [^()]*\)")


class StatedPlan(NamedTuple):
    """The steps of a row, and whether the row claims that they are a plan."""

    domain: str
    domain_pddl: str
    name: str
    problem_pddl: str
    steps: Sequence[str]
    valid: bool = True


def check(domain: Domain, row: Mapping[str, Any], seconds: float) -> list[str]:
    """Return where other planners and validators disagree with the row on a plan or on its existence."""
    try:
        answer = solve_text(row["domain_pddl"], row["problem_pddl"], seconds=seconds)
    except PddlError as error:
        return [f"Fast Downward's translator refuses the PDDL: {error}"]
    if answer.outcome is PlannerOutcome.ERROR:
        return [f"Fast Downward fails on the PDDL: {answer.detail}"]
    if answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN:
        return ["stated solvable, proven unsolvable"] if row["solvable"] else []
    if answer.plan is None:
        return [undecided(f"whether other tools solve it: {answer.outcome}")]
    if row["solvable"] is False:
        return ["stated unsolvable, solved"]
    problem = read_problem(row["problem_pddl"], domain, row["id"])
    fault = fault_of_plan(domain, problem, answer.plan.steps)
    return [f"its plan is not valid for us: {fault}"] if fault else []


def check_plans(name: str, plans: Iterable[StatedPlan], seconds: float) -> Verdicts:
    """Return the results of unified-planning on plans, as verdicts of the check ``name``.

    ``TOGETHER`` plans are validated in one call, because most of its time is start-up.
    """
    verdicts, ordered = Verdicts(), sorted(plans)
    for start in range(0, len(ordered), TOGETHER):
        together = ordered[start : start + TOGETHER]
        problems = [
            PlannedProblem(EITHER.sub(OBJECT, p.domain_pddl), p.problem_pddl, "\n".join(p.steps))
            for p in together
        ]
        for plan, result in zip(together, validate_plans(problems, seconds=seconds), strict=True):
            verdicts.enter(name, plan.domain, plan.name, _faults(plan, *result))
    return verdicts


def _faults(plan: StatedPlan, accepted: bool | None, message: str) -> list[str]:
    """Return the faults of a plan that unified-planning accepts or not, with its message."""
    if accepted is None:
        return [undecided(f"whether unified-planning finds the plan valid: {message}")]
    answer, right = "VALID" if accepted else message, "VALID" if plan.valid else "INVALID"
    return [] if answer == right else [f"unified-planning says {answer}"]
