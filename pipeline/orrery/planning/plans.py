"""Validated plans: from the domain's own planner, from Fast Downward, or from exhaustive search.

Grounding is expensive for large problems, and the domain's own planner does not need it. So a
problem is grounded only if it has few possible actions, or if no other method gives a plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orrery.model import Domain, OrreryError, Plan, Problem, Step
from orrery.planning.execution import check_plan
from orrery.planning.exhaustive import explore
from orrery.planning.fast_downward import solve
from orrery.planning.grounding import Grounder
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.task import PlanningTask
from orrery.planning.universe import most_steps

DOMAIN_PLANNER = "domain"
MOST_STEPS = 500  # problems with more possible actions are not grounded only to count them; 10 us per action
EXPLORED_FACTS = 64  # a state is one machine word
EXPLORED_STATES = 5_000  # about 5 ms; the plain search of the checks can repeat it

DomainPlanner = Callable[[Problem], list[Step] | None]


@dataclass(frozen=True, slots=True)
class FoundPlan:
    """The result of planning for a problem.

    ``task`` is None if it was not grounded; ``num_states`` if not all reachable states were visited.
    """

    answer: PlannerResult
    task: PlanningTask | None = None
    num_states: int | None = None


class Solver:
    """Finds plans of problems of one domain."""

    def __init__(
        self,
        grounder: Grounder,
        planner: DomainPlanner | None,
        *,
        max_states: int = EXPLORED_STATES,
        seconds: float = 30.0,
    ) -> None:
        """Plan with the domain's own ``planner``, within ``max_states`` and ``seconds`` of Fast Downward."""
        self.grounder, self.planner = grounder, planner
        self.max_states, self.seconds = min(max_states, EXPLORED_STATES), seconds

    def find(self, problem: Problem) -> FoundPlan:
        """Return a validated plan (a shortest one if there are few states), or the reason why there is none.

        Raises:
            OrreryError: the domain's planner returned an invalid plan, or a plan for an unsolvable problem.
        """
        plan = own_plan(self.grounder.domain, self.planner, problem)
        if most_steps(self.grounder.domain, problem) <= MOST_STEPS:
            return self._by_exhaustion(self.grounder.ground(problem), plan)
        if plan is not None:
            return FoundPlan(PlannerResult(PlannerOutcome.SOLVED, plan))
        task = self.grounder.ground(problem)
        return FoundPlan(solve(task, seconds=self.seconds), task)

    def _by_exhaustion(self, task: PlanningTask, plan: Plan | None) -> FoundPlan:
        """Return the result of exhaustive search if states are few; otherwise ``plan``, or a planner's."""
        space = explore(task, limit=self.max_states) if len(task.facts) <= EXPLORED_FACTS else None
        best = space.proven_plan() if space else None
        num_states = len(space) if space and space.complete else None
        if best is not None:
            return FoundPlan(PlannerResult(PlannerOutcome.SOLVED_OPTIMALLY, best), task, num_states)
        if num_states is not None and plan is not None:
            raise _refused(task.problem, "returned a plan for the unsolvable")
        if num_states is not None:
            return FoundPlan(PlannerResult(PlannerOutcome.UNSOLVABLE_PROVEN), task, num_states)
        return FoundPlan(
            PlannerResult(PlannerOutcome.SOLVED, plan) if plan else solve(task, seconds=self.seconds), task
        )


def own_plan(domain: Domain, planner: DomainPlanner | None, problem: Problem) -> Plan | None:
    """Return the plan of the domain's own planner; None if it has none.

    Raises:
        OrreryError: the plan is invalid.
    """
    steps = planner(problem) if planner else None
    if steps is None:
        return None
    if not check_plan(domain, problem, steps).valid:
        raise _refused(problem, "returned an invalid plan for")
    return Plan(tuple(steps), DOMAIN_PLANNER)


def _refused(problem: Problem, complaint: str) -> OrreryError:
    return OrreryError(
        f"generators/{problem.domain}.py: plan",
        f"{complaint} problem '{problem.name}'",
        "every plan must lead from the initial state to the goal",
    )
