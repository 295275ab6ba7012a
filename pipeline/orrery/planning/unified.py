"""Planning on PDDL text through unified-planning and its Fast Downward engine.

Reads full PDDL (disjunctions, quantifiers, conditional effects), and grounds with
Fast Downward's own translator: an independent check of our reading and grounding. Slow (about 0.6 s
a call, most of it loading): ``fast_downward`` is the route where many calls matter.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from orrery.model import Plan, Proof
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.process import ProcessResult, run

PLANNER = "unified-planning fast-downward"
WORKER = Path(__file__).with_name("unified_worker.py")
LOADING_SECONDS = 60.0  # of processor time; unified-planning takes some to load, more on a slow machine

# Python's own exception, and what the system's loader says when a library finds no room.
_SIGNS_OF_NO_MEMORY = ("MemoryError", "failed to map segment", "annot allocate memory")

_STATUS: Mapping[str, PlannerOutcome] = MappingProxyType(
    {
        "SOLVED_SATISFICING": PlannerOutcome.SOLVED,
        "SOLVED_OPTIMALLY": PlannerOutcome.SOLVED,  # the engine reports so for any plan with a metric
        "UNSOLVABLE_PROVEN": PlannerOutcome.UNSOLVABLE_PROVEN,
        "UNSOLVABLE_INCOMPLETELY": PlannerOutcome.INCOMPLETE,
        "TIMEOUT": PlannerOutcome.OUT_OF_TIME,
        "MEMOUT": PlannerOutcome.OUT_OF_MEMORY,
    }
)


def solve_text(
    domain_text: str,
    problem_text: str,
    *,
    optimal: bool = False,
    seconds: float = 60.0,
    megabytes: int = 4096,
) -> PlannerResult:
    """Search for a plan of a PDDL problem, counting every action as one.

    Args:
        domain_text: the domain in PDDL.
        problem_text: the problem in PDDL.
        optimal: ask for a shortest plan.
        seconds: limit on the engine's processor time; loading and reading have LOADING_SECONDS besides.
        megabytes: limit on the address space of each process at work.

    Returns:
        The named outcome, with the plan where one was found. The plan is the engine's word: check it
        with ``semantics.execution`` where the problem lies within our language. Text that cannot be
        read is an error whose detail says why.
    """
    request = {"domain": domain_text, "problem": problem_text, "optimal": optimal, "seconds": seconds}
    ended = _asked(request, LOADING_SECONDS + seconds, megabytes)
    if ended.timed_out:
        return PlannerResult(
            PlannerOutcome.OUT_OF_TIME, detail=f"stopped after {LOADING_SECONDS + seconds:g} s"
        )
    if ended.code != 0:
        return _failure(ended)
    return _answer(json.loads(ended.output), optimal)


class PlannedProblem(NamedTuple):
    """A domain, a problem of it and a plan for that as PDDL, one step a line."""

    domain: str
    problem: str
    plan: str


def validate_plans(
    problems: Sequence[PlannedProblem], *, seconds: float = 5.0, megabytes: int = 4096
) -> list[str] | None:
    """Validate plans with unified-planning: ``VALID``, ``INVALID``, or ``ERROR: ...`` for unreadable text.

    Args:
        problems: problems with their domains and plans; some 0.1 s each, after 0.5 s of loading for all.
        seconds: limit on the processor time a problem.
        megabytes: limit on the address space.

    Returns:
        A verdict each, in order; None where time or memory ran out.
    """
    request = {"problems": [planned._asdict() for planned in problems]}
    ended = _asked(request, LOADING_SECONDS + seconds * len(problems), megabytes)
    if ended.timed_out:
        return None
    if ended.code != 0:
        failed = _failure(ended)
        return (
            None
            if failed.outcome is PlannerOutcome.OUT_OF_MEMORY
            else [f"ERROR: {failed.detail}"] * len(problems)
        )
    return list(json.loads(ended.output)["verdicts"])


def _asked(request: Mapping[str, Any], seconds: float, megabytes: int) -> ProcessResult:
    # -P keeps this folder out of the worker's import path, where our names would shadow others'.
    command: list[str | Path] = [sys.executable, "-P", WORKER]
    return run(command, feed=json.dumps(request), seconds=seconds, megabytes=megabytes)


def _failure(ended: ProcessResult) -> PlannerResult:
    """Describe why the worker stopped without an answer: a signal, or an exception named on its last line."""
    last_lines = ended.errors.strip().splitlines()[-1:]
    if any(sign in line for line in last_lines for sign in _SIGNS_OF_NO_MEMORY):
        return PlannerResult(PlannerOutcome.OUT_OF_MEMORY, detail="the memory limit was reached")
    return PlannerResult(PlannerOutcome.ERROR, detail="; ".join([f"exit code {ended.code}", *last_lines]))


def _answer(reply: Mapping[str, Any], optimal: bool) -> PlannerResult:
    outcome = _STATUS.get(reply["status"], PlannerOutcome.ERROR)
    if not outcome.solved:
        last_lines = _last_lines(reply["log"]) if outcome is PlannerOutcome.ERROR else []
        return PlannerResult(outcome, detail="; ".join([reply["status"], *last_lines]))
    steps = tuple(tuple(step) for step in reply["steps"])
    if optimal:
        return PlannerResult(PlannerOutcome.SOLVED_OPTIMALLY, Plan(steps, f"{PLANNER}-opt", Proof.ASTAR))
    return PlannerResult(outcome, Plan(steps, PLANNER))


def _last_lines(log: Sequence[str]) -> list[str]:
    """Return the last words of the engine."""
    return [line for message in log for line in message.splitlines() if line.strip()][-3:]
