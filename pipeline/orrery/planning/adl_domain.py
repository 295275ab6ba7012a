"""Solve problems and run plans of a domain: STRIPS with types, negation and equality, or ADL.

Within the subset: our own grounding, refutation, exhaustive search and Fast Downward, plans run by the lifted
simulator. Wider, or too large to ground here: Fast Downward's translator and search as processes, plans
run by ``execution``.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from orrery.model import Domain, Problem, Step, ToolMissing
from orrery.pddl.adl import AdlDomain
from orrery.pddl.faults import DomainErrorClass
from orrery.pddl.read import PddlError, read_domain, read_problem
from orrery.pddl.tolerant import read_adl
from orrery.planning.adl_execution import AdlProblem, Outside, check_adl_plan, read_adl_problem
from orrery.planning.execution import PlanVerdict, check_plan
from orrery.planning.exhaustive_python import explore
from orrery.planning.fast_downward import solve
from orrery.planning.grounding import Grounder
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.refutation import refuted
from orrery.planning.task import PlanningTask
from orrery.planning.translator import solve_text
from orrery.planning.universe import count_steps

_PARTS = (500, 5_000)  # states that are tried first
_HOPELESS = frozenset({DomainErrorClass.INCORRECT_PARENTHESES, DomainErrorClass.UNDEFINED_DOMAIN_NAME})


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The budget of one problem: ground actions, states explored, and a planner's time and memory."""

    actions: int = 100_000
    states: int = 50_000
    seconds: float = 10.0
    megabytes: int = 2048


class ExecutableDomain(Hashable, Protocol):
    """Solves problems given as PDDL and runs plans on them.

    Both raise PddlError or Outside where the problem does not fit the domain or cannot be executed.
    """

    def solve(self, problem: str, limits: SearchLimits) -> PlannerResult:
        """Return the named outcome; a plan is as short as can be where the exhaustive search found it."""

    def check(self, problem: str, steps: tuple[Step, ...]) -> PlanVerdict:
        """Return whether the steps are a plan."""


@lru_cache(maxsize=64)
def executable_domain(text: str) -> ExecutableDomain:
    """Return the world of a domain's text.

    What our strict reader refuses goes to the translator, if at least its lists can be separated: Fast
    Downward lets pass what others call errors, such as undeclared supertypes.

    Raises:
        PddlError: the text is no domain.
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
    """A domain of the planning subset."""

    text: str
    domain: Domain

    def solve(self, problem: str, limits: SearchLimits) -> PlannerResult:
        """Search our own grounding; where that is too large, leave it to the planner's translator."""
        grounder, task_problem = _fitted(self, problem)
        if count_steps(grounder.domain, task_problem) > limits.actions:
            return _by_translator(self.text, problem, limits)
        task = grounder.ground(task_problem)
        if (answer := _by_exhaustion(task, limits.states)) is not None:
            return answer
        try:
            return solve(task, seconds=limits.seconds, megabytes=limits.megabytes)
        except ToolMissing as error:
            return PlannerResult(PlannerOutcome.ERROR, detail=str(error))

    def check(self, problem: str, steps: tuple[Step, ...]) -> PlanVerdict:
        """Execute the steps by the semantics of STRIPS."""
        grounder, task_problem = _fitted(self, problem)
        return check_plan(grounder.domain, task_problem, steps)


def _by_exhaustion(task: PlanningTask, states: int) -> PlannerResult | None:
    """Return what visiting at most so many states decides, or a refutation; None where that is nothing.

    Few states are tried first: the first goal state of the search is the same whatever its limit, and a task
    that has a plan cannot be refuted.
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
    """Return a problem; the name by which it calls its domain says nothing about whether it fits."""
    named = read_adl_problem(problem).domain
    grounder = _grounder(world, named or world.domain.name)
    return grounder, read_problem(problem, grounder.domain)


@lru_cache(maxsize=64)
def _grounder(world: _StripsExecutable, name: str) -> Grounder:
    """Return the grounder of a domain under a name; its problems share it."""
    return Grounder(replace(world.domain, name=name))


@dataclass(frozen=True, eq=False)
class _AdlExecutable:
    """A domain that uses ADL."""

    text: str
    domain: AdlDomain

    def solve(self, problem: str, limits: SearchLimits) -> PlannerResult:
        """Leave the search to the planner's translator; a plan that does not execute is an error."""
        answer = _by_translator(self.text, problem, limits)
        if answer.plan is not None and not self.check(problem, answer.plan.steps).valid:
            return PlannerResult(PlannerOutcome.ERROR, detail="the planner's plan is not valid")
        return answer

    def check(self, problem: str, steps: tuple[Step, ...]) -> PlanVerdict:
        """Execute the steps by the semantics of ADL."""
        return check_adl_plan(self.domain, self._read(problem), steps)

    def _read(self, problem: str) -> AdlProblem:
        return read_adl_problem(problem)


def _by_translator(domain: str, problem: str, limits: SearchLimits) -> PlannerResult:
    try:
        return solve_text(domain, problem, seconds=limits.seconds, megabytes=limits.megabytes)
    except ToolMissing as error:
        return PlannerResult(PlannerOutcome.ERROR, detail=str(error))


__all__ = ["ExecutableDomain", "Outside", "SearchLimits", "executable_domain"]
