"""Solvability of model-written problems, which may have odd initial states or impossible goals.

The cheap proofs come first: the goal is initially true, a static goal fact is false, or the goal contradicts
its own closure. Then the domain's own planner, whose plan is validated. Then, on the ground task, the
refutations of ``planning.refutation``, exhaustive search, and Fast Downward with limits. If none of them
succeeds, the result is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from orrery.equivalence.closure import Rule, close_quickly, positively
from orrery.model import EQUAL, Domain, Literal, OrreryError, Problem, Step, ToolMissing
from orrery.planning.execution import check_plan
from orrery.planning.exhaustive_python import explore
from orrery.planning.fast_downward import solve
from orrery.planning.grounding import Grounder
from orrery.planning.refutation import RELAXATION, refuted
from orrery.planning.task import PlanningTask
from orrery.planning.universe import most_steps

Planner = Callable[[Problem], list[Step] | None]

GOAL_HOLDS = "goal-holds"
STATIC_GOAL = "static-goal"
GOAL_CLOSURE = "goal-closure"
DOMAIN_PLANNER = "domain-planner"
EXHAUSTIVE = "exhaustive"
FAST_DOWNWARD = "fast-downward"
TOO_LARGE = "too-large"
NO_PLANNER = "no-planner"
FEW_STATES = 5_000  # about 5 ms; larger tasks go to Fast Downward first


@dataclass(frozen=True, slots=True)
class ProofLimits:
    """The budget of a proof: ground actions, explored states, and time and memory of one planner call."""

    actions: int = 100_000
    states: int = 50_000
    seconds: float = 5.0
    megabytes: int = 512


@dataclass(frozen=True, slots=True)
class Solvability:
    """The solvability of a problem (None: undecided), and the method that decided it or gave up.

    ``plan`` is a validated plan if there is one. ``remark`` names a planner or rule of the domain that raised
    an error or returned an invalid plan; then the other methods were used.
    """

    solvable: bool | None
    reason: str
    plan: tuple[Step, ...] | None = None
    remark: str = ""


class Prover:
    """Decides the solvability of problems of one domain."""

    def __init__(self, domain: Domain, planner: Planner | None = None, rule: Rule | None = None) -> None:
        """Create the prover; ``planner`` and ``rule`` (of goal closures) are the domain's own, if any."""
        self.domain, self.planner, self.rule = domain, planner, rule
        self._grounder = Grounder(domain)

    def solve(
        self, problem: Problem, limits: ProofLimits | None = None, like: Problem | None = None
    ) -> Solvability:
        """Return whether ``problem`` has a plan.

        ``like`` is a problem of which ``problem`` may be a variation. If the domain's planner does not
        support an odd initial state, its plan from the initial state of ``like`` to the goal is tried too.
        """
        if problem.satisfied(problem.init):
            return Solvability(True, GOAL_HOLDS, ())
        if not all(literal.holds(problem.init) for literal in problem.goal if self._is_static(literal)):
            return Solvability(False, STATIC_GOAL)
        wished, remark = positively(problem), ""
        if wished.goal != problem.goal:
            contradicts, remark = self._contradicts_itself(problem)
            if contradicts:
                return Solvability(False, GOAL_CLOSURE)
        steps, planner_remark = self._plan_of_planner(problem)
        remark = remark or planner_remark
        if steps is None and wished.goal != problem.goal:
            steps, planner_remark = self._plan_of_planner(wished)  # the negative literals may hold at its end
            remark = remark or planner_remark
        if steps is None and like is not None and set(like.objects) == set(problem.objects):
            steps, _ = self._plan_of_planner(replace(problem, init=like.init))
        if steps is not None and check_plan(self.domain, problem, steps).valid:
            return Solvability(True, DOMAIN_PLANNER, steps, remark)
        return replace(self._searched(problem, limits or ProofLimits()), remark=remark)

    def _contradicts_itself(self, problem: Problem) -> tuple[bool, str]:
        """Return whether the goal contradicts the closure of its positive literals, and a remark on failures.

        The closure comes from the domain's rule. If the rule fails, the result is False.
        """
        try:
            closed = close_quickly(self.domain, problem, self.rule)
        except OrreryError as error:
            return False, f"the domain's rule of goal closures failed: {error}"
        return closed is not None and closed.solvable is False, ""

    def _is_static(self, literal: Literal) -> bool:
        return literal.atom[0] not in self.domain.fluents

    def _plan_of_planner(self, problem: Problem) -> tuple[tuple[Step, ...] | None, str]:
        """Return a valid plan of the domain's planner, if any, and a remark."""
        try:
            steps = self.planner(problem) if self.planner else None
        except OrreryError as error:
            return None, f"the domain's planner failed: {error}"
        if steps is not None and not check_plan(self.domain, problem, steps).valid:
            return None, "the domain's planner returned an invalid plan"
        return (None if steps is None else tuple(steps)), ""

    def _searched(self, problem: Problem, limits: ProofLimits) -> Solvability:
        """Return the result of methods on the ground task."""
        if most_steps(self.domain, problem) > limits.actions:
            return Solvability(None, TOO_LARGE)
        explored = self._grounder.explore(problem)
        if not all(fact in explored.facts or fact[0] == EQUAL for fact in problem.goal_facts):
            return Solvability(False, RELAXATION)
        task = explored.task()
        if why := refuted(task):
            return Solvability(False, why)
        few = min(FEW_STATES, limits.states)
        if solvability := self._by_exhaustion(problem, task, few):
            return solvability
        answer = self._by_fast_downward(problem, task, limits)
        if answer.solvable is None and few < limits.states:
            return self._by_exhaustion(problem, task, limits.states) or answer
        return answer

    def _by_exhaustion(self, problem: Problem, task: PlanningTask, states: int) -> Solvability | None:
        """Return the result of exhaustive search with at most ``states`` states, or None."""
        space = explore(task, limit=states)
        steps = space.optimal_plan()
        if steps is not None:
            return self._validated(problem, EXHAUSTIVE, steps)
        return Solvability(False, EXHAUSTIVE) if space.complete else None

    def _by_fast_downward(self, problem: Problem, task: PlanningTask, limits: ProofLimits) -> Solvability:
        try:
            answer = solve(task, seconds=limits.seconds, megabytes=limits.megabytes)
        except ToolMissing:
            return Solvability(None, NO_PLANNER)
        if answer.plan is not None:
            return self._validated(problem, FAST_DOWNWARD, answer.plan.steps)
        return Solvability(answer.solvable, FAST_DOWNWARD if answer.outcome.decided else str(answer.outcome))

    def _validated(self, problem: Problem, route: str, steps: Iterable[Step]) -> Solvability:
        """Return the result with a plan, after validating it without the ground task.

        An invalid plan here is a bug of ours.
        """
        plan = tuple(steps)
        if not check_plan(self.domain, problem, plan).valid:
            raise RuntimeError(f"{route}: the plan of '{problem.name}' is not valid: {plan}")
        return Solvability(True, route, plan)
