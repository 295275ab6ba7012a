"""Decide third-party problems with planners: find a plan, or prove that none exists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf
from typing import Any

from orrery.pddl.read import PddlError
from orrery.pddl.write import write_atom
from orrery.planning.adl_domain import ExecutableDomain, SearchLimits, executable_domain
from orrery.planning.adl_execution import Outside
from orrery.planning.outcome import PlannerOutcome, PlannerResult

QUICK = SearchLimits(actions=20_000, states=20_000, seconds=4.0)
NOT_TRIED = "not tried: as long as one whose grounding took too much"


@dataclass(frozen=True)
class DecidedProblem:
    """Rows of ``problems`` as in the tables, and the reason for each omitted problem."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    open: dict[str, str] = field(default_factory=dict)


def decide(
    domain: str,
    problems: Iterable[tuple[str, str]],
    *,
    wanted: int = 3,
    attempts: int = 6,
    limits: SearchLimits = QUICK,
) -> DecidedProblem:
    """Decide problems (name and PDDL) of a domain in order, until ``wanted`` are decided.

    At most ``attempts`` are tried. If the grounding of a problem exceeds the limits, problems of at least its
    length are skipped. Plans are executed by a simulator before they count.
    """
    decided = DecidedProblem()
    try:
        executable = executable_domain(domain)
    except PddlError as error:
        decided.open[""] = str(error)
        return decided
    too_long = inf
    for number, (name, text) in enumerate(problems):
        if number >= attempts or len(decided.rows) >= wanted:
            break
        if len(text) >= too_long:
            decided.open[name] = NOT_TRIED
            continue
        answer = _answer(executable, text, limits)
        if isinstance(answer, str):
            decided.open[name] = answer
        elif answer.outcome.decided:
            decided.rows.append(_row(name, text, answer))
        else:
            decided.open[name] = f"{answer.outcome}: {answer.detail}"
            if not answer.grounded:
                too_long = len(text)
    return decided


def _answer(executable: ExecutableDomain, problem: str, limits: SearchLimits) -> PlannerResult | str:
    """Return the result of the planners, or why the problem or its plan is invalid."""
    try:
        answer = executable.solve(problem, limits)
        if answer.plan is not None:
            verdict = executable.check(problem, answer.plan.steps)
            return answer if verdict.valid else f"the plan fails: {verdict.reason}"
    except (PddlError, Outside) as error:
        return str(error)
    return answer


def _row(name: str, text: str, answer: PlannerResult) -> dict[str, Any]:
    steps = answer.plan.steps if answer.plan else ()
    return {
        "name": name,
        "pddl": text,
        "solvable": answer.plan is not None,
        "plan": list(map(write_atom, steps)),
        "optimal_cost": len(steps) if answer.outcome is PlannerOutcome.SOLVED_OPTIMALLY else None,
    }
