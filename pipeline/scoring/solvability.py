"""Whether a problem has a plan, for problems as models write them: odd initial states, impossible goals.

The cheap answers come first, each a proof: the goal holds already, a static fact of it does not; the
domain's own planner, its plan run step by step; then on the ground task the refutations of
``planners.refutation``, a sweep, and Fast Downward under limits. What none of them settles is undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from pipeline.model import EQUAL, Action, Domain, OrreryError, Problem, Step, ToolMissing
from pipeline.planners.exhaustive import sweep
from pipeline.planners.fast_downward import solve
from pipeline.planners.refutation import refuted
from pipeline.semantics.execution import check_plan
from pipeline.semantics.grounding import ground
from pipeline.semantics.task import Task
from pipeline.semantics.universe import names_of

Planner = Callable[[Problem], list[Step] | None]

GOAL_HOLDS = "goal-holds"
STATIC_GOAL = "static-goal"
DOMAIN_PLANNER = "domain-planner"
SWEEP = "sweep"
FAST_DOWNWARD = "fast-downward"
TOO_LARGE = "too-large"
NO_PLANNER = "no-planner"


@dataclass(frozen=True, slots=True)
class Limits:
    """What an answer may cost: ground actions, states swept, and one planner call's time and memory."""

    actions: int = 100_000
    states: int = 50_000
    seconds: float = 5.0
    megabytes: int = 512


@dataclass(frozen=True, slots=True)
class Solvability:
    """Whether there is a plan (None: undecided), and which route settled it or gave up.

    ``plan`` is a validated plan where there is one. ``remark`` tells of a domain's planner that raised
    an error or returned a plan that cannot be run; the other routes were taken then.
    """

    solvable: bool | None
    reason: str
    plan: tuple[Step, ...] | None = None
    remark: str = ""


def solvability(
    domain: Domain, problem: Problem, planner: Planner | None = None, limits: Limits | None = None
) -> Solvability:
    """Whether ``problem`` has a plan; ``planner`` is the domain's own, where there is one."""
    if problem.satisfied(problem.init):
        return Solvability(True, GOAL_HOLDS, ())
    if any(
        (literal.atom[0] == EQUAL or literal.atom[0] not in domain.fluents)
        and not literal.holds(problem.init)
        for literal in problem.goal
    ):
        return Solvability(False, STATIC_GOAL)
    remark = ""
    if planner:
        steps, remark = _asked(domain, problem, planner)
        if steps is not None:
            return Solvability(True, DOMAIN_PLANNER, steps)
    return _searched(domain, problem, limits or Limits(), remark)


def _asked(domain: Domain, problem: Problem, planner: Planner) -> tuple[tuple[Step, ...] | None, str]:
    """The planner's plan if it is one, and what else is to be said of it."""
    try:
        steps = planner(problem)
    except OrreryError as error:
        return None, f"the domain's planner failed: {error}"
    if steps is None:
        return None, ""
    verdict = check_plan(domain, problem, steps)
    if not verdict.valid:
        return None, f"the domain's planner returned an invalid plan: {verdict.reason}"
    return tuple(steps), ""


def _searched(domain: Domain, problem: Problem, limits: Limits, remark: str) -> Solvability:
    """The answer of the ground task."""
    if sum(most_instances(domain, problem, action) for action in domain.actions) > limits.actions:
        return Solvability(None, TOO_LARGE, None, remark)
    task = ground(domain, problem)
    if why := refuted(task):
        return Solvability(False, why, None, remark)
    space = sweep(task, limit=limits.states)
    steps = space.optimal_plan()
    if steps is not None:
        return _validated(domain, problem, SWEEP, tuple(steps), remark)
    if space.complete:
        return Solvability(False, SWEEP, None, remark)
    return _by_fast_downward(domain, problem, task, limits, remark)


def _by_fast_downward(
    domain: Domain, problem: Problem, task: Task, limits: Limits, remark: str
) -> Solvability:
    try:
        answer = solve(task, seconds=limits.seconds, megabytes=limits.megabytes)
    except ToolMissing:
        return Solvability(None, NO_PLANNER, None, remark)
    if answer.plan is not None:
        return _validated(domain, problem, FAST_DOWNWARD, answer.plan.steps, remark)
    reason = FAST_DOWNWARD if answer.outcome.decided else str(answer.outcome)
    return Solvability(answer.solvable, reason, None, remark)


def _validated(
    domain: Domain, problem: Problem, route: str, steps: tuple[Step, ...], remark: str
) -> Solvability:
    """The plan, once the lifted simulator has run it; a plan that fails there is a bug of ours."""
    verdict = check_plan(domain, problem, steps)
    if not verdict.valid:
        raise RuntimeError(f"{route}: plan of '{problem.name}' is not valid: {verdict.reason}")
    return Solvability(True, route, steps, remark)


def most_instances(domain: Domain, problem: Problem, action: Action) -> int:
    """A number that the instances of ``action`` in a problem do not exceed.

    Parameters are bound by the static preconditions with the fewest facts first, the rest by their types.
    """
    sizes = {p.name: len(names_of(domain, problem, p.types)) for p in action.parameters}
    counts: dict[str, int] = {}
    for fact in problem.init:
        if fact[0] not in domain.fluents:
            counts[fact[0]] = counts.get(fact[0], 0) + 1
    static = [
        literal.atom
        for literal in sorted(action.preconditions)
        if literal.positive and literal.atom[0] not in domain.fluents and literal.atom[0] != EQUAL
    ]
    most, left = 1, set(sizes)
    for atom in sorted(static, key=lambda atom: counts.get(atom[0], 0)):
        bound = left & set(atom[1:])
        most *= min(counts.get(atom[0], 0), prod(sizes[name] for name in bound)) if bound else 1
        left -= bound
    return most * prod(sizes[name] for name in left)
