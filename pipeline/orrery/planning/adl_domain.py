"""Solve problems and execute plans of a domain: STRIPS with types, negation and equality, or ADL.

Within the subset: our own grounding, refutation, exhaustive search and Fast Downward; plans are executed by
the lifted simulator. Beyond it, or for tasks too large to ground here: Fast Downward's translator and search
as processes; plans are executed by ``adl_execution``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from orrery.model import Domain, Problem, Step, ToolMissing
from orrery.pddl.adl import AdlDomain
from orrery.pddl.faults import DomainErrorClass
from orrery.pddl.read import PddlError, read_domain, read_problem
from orrery.pddl.tolerant import read_adl
from orrery.planning.adl_execution import check_adl_plan, read_adl_problem
from orrery.planning.execution import PlanVerdict, check_plan
from orrery.planning.exhaustive_python import explore
from orrery.planning.fast_downward import solve
from orrery.planning.grounding import Grounder
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.refutation import refuted
from orrery.planning.task import PlanningTask
from orrery.planning.translator import solve_text
from orrery.planning.universe import count_steps

_PARTS = (500, 5_000)  # states of the first, small search
_HOPELESS = frozenset({DomainErrorClass.INCORRECT_PARENTHESES, DomainErrorClass.UNDEFINED_DOMAIN_NAME})


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The budget of one problem: ground actions, explored states, and a planner's time."""

    actions: int = 100_000
    states: int = 50_000
    seconds: float = 10.0


@lru_cache(maxsize=64)
def executable_domain(text: str) -> ExecutableDomain:
    """Return the executable domain of a text.

    Texts that our strict reader refuses are left to the translator, if at least their lists can be separated,
    because Fast Downward tolerates some faults, for example undeclared supertypes.

    Raises:
        PddlError: the text is not a domain.
    """
    try:
        return _StripsExecutable(text, read_domain(text))
    except PddlError:
        domain = read_adl(text)
        if any(fault.kind in _HOPELESS for fault in domain.faults):
            raise
        return _AdlExecutable(text, domain)


@dataclass(frozen=True, eq=False)
class _StripsExecutable:
    """A domain of the planning subset; see ``ExecutableDomain``."""

    text: str
    domain: Domain

    def solve(self, problem: str, limits: SearchLimits) -> PlannerResult:
        """Search our own grounding; if that is too large, use the planner's translator."""
        grounder, task_problem = _fitted(self, problem)
        if count_steps(grounder.domain, task_problem) > limits.actions:
            return _by_translator(self.text, problem, limits)
        task = grounder.ground(task_problem)
        if (answer := _by_exhaustion(task, limits.states)) is not None:
            return answer
        try:
            return solve(task, seconds=limits.seconds)
        except ToolMissing as error:
            return PlannerResult(PlannerOutcome.ERROR, detail=str(error))

    def check(self, problem: str, steps: tuple[Step, ...]) -> PlanVerdict:
        """Execute the steps with the semantics of STRIPS."""
        grounder, task_problem = _fitted(self, problem)
        return check_plan(grounder.domain, task_problem, steps)


def _by_exhaustion(task: PlanningTask, states: int) -> PlannerResult | None:
    """Return the result of exhaustive search with at most ``states`` states, or of a refutation, or None.

    A small search comes first: the first goal state of the search does not depend on its limit, and a task
    with a plan cannot be refuted.
    """
    for limit in sorted({min(part, states) for part in (*_PARTS, states)}):
        space = explore(task, limit=limit)
        if (plan := space.proven_plan()) is not None:
            return PlannerResult(PlannerOutcome.SOLVED_OPTIMALLY, plan)
        if limit <= _PARTS[0] and (reason := refuted(task)):
            return PlannerResult(PlannerOutcome.UNSOLVABLE_PROVEN, detail=reason)
        if space.complete:
            return PlannerResult(PlannerOutcome.UNSOLVABLE_PROVEN, detail="exhaustion")
    return None


@lru_cache(maxsize=64)
def _fitted(world: _StripsExecutable, problem: str) -> tuple[Grounder, Problem]:
    """Return a problem with its grounder; its name for the domain is ignored."""
    named = read_adl_problem(problem).domain
    grounder = Grounder(replace(world.domain, name=named or world.domain.name))
    return grounder, read_problem(problem, grounder.domain)


@dataclass(frozen=True, eq=False)
class _AdlExecutable:
    """A domain that uses ADL; see ``ExecutableDomain``."""

    text: str
    domain: AdlDomain

    def solve(self, problem: str, limits: SearchLimits) -> PlannerResult:
        """Use the planner's translator and search; a plan that does not execute is an error."""
        answer = _by_translator(self.text, problem, limits)
        if answer.plan is not None and not self.check(problem, answer.plan.steps).valid:
            return PlannerResult(PlannerOutcome.ERROR, detail="the planner's plan is not valid")
        return answer

    def check(self, problem: str, steps: tuple[Step, ...]) -> PlanVerdict:
        """Execute the steps with the semantics of ADL."""
        return check_adl_plan(self.domain, read_adl_problem(problem), steps)


# Solves PDDL problems and executes plans on them. Both raise PddlError or Outside if the problem does not fit
# the domain or cannot be executed.
ExecutableDomain: TypeAlias = _StripsExecutable | _AdlExecutable


def _by_translator(domain: str, problem: str, limits: SearchLimits) -> PlannerResult:
    try:
        return solve_text(domain, problem, seconds=limits.seconds)
    except ToolMissing as error:
        return PlannerResult(PlannerOutcome.ERROR, detail=str(error))
