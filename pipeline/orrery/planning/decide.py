"""Decide plan, optimal cost, landmarks and unreachable facts and actions of one problem."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from orrery.model import Atom, OrreryError, Plan, Proof
from orrery.planning.decided import (
    ACTION,
    FACT,
    KINDS,
    LANDMARK,
    NEXT,
    DecidedState,
    never_applied,
    never_reached,
    split_candidates,
)
from orrery.planning.evidence import TaskEvidence
from orrery.planning.exhaustive import StateSpace, explore
from orrery.planning.landmarks import decide_landmarks, relaxed_landmarks
from orrery.planning.reachability import decide_unreachable
from orrery.planning.shortest import ShortestPlan, find_any_plan, find_shortest, split_first_actions
from orrery.planning.task import PlanningTask, applicable

FEW_STATES = 20_000  # about 50 ms
MOST_TRIED = 500_000_000  # states times ground actions, about three seconds


@dataclass(frozen=True, slots=True)
class ProofBudget:
    """The budget of one proof: explored states, planner calls, and processor seconds per call.

    Fewer states are explored if a task has so many actions that more than ``MOST_TRIED`` would be tried.
    """

    states: int = 500_000
    calls: int = 20
    seconds: float = 10.0


def decide(
    task: PlanningTask,
    *,
    plan: Plan | None = None,
    max_states: int = 200_000,
    calls: int = 200,
    seconds: float = 30.0,
) -> DecidedState:
    """Decide everything provable about the initial state of ``task``.

    An exhaustive search of at most ``max_states`` states decides everything if it completes. Otherwise random
    walks and at most ``calls`` planner calls of ``seconds`` each decide as much as possible. ``plan`` is a
    valid plan, if one is known.

    Raises:
        OrreryError: ``plan`` contradicts a proof of unsolvability, or of a longer shortest plan.
    """
    space = explore(task, limit=max_states)
    if space.complete:
        decided = decide_by_exhaustion(task, space)
    else:
        decided = _by_planner(space, plan, KINDS, calls, seconds)
    if plan is not None:
        _refuse_contradiction(task, plan, decided)
    return decided


def prove(task: PlanningTask, kind: str, budget: ProofBudget) -> DecidedState:
    """Decide one kind of item ("fact", "action", "landmark" or "next"); others may stay undecided.

    Evidence is collected after a small search, and again after a search of all allowed states
    if something is undecided. All limits count work, except that of one planner call.
    """
    kinds = (FACT, ACTION) if kind == ACTION else (kind,)  # actions that add an open fact are open, too
    most = max(1, min(budget.states, MOST_TRIED // max(1, len(task.actions))))
    for limit in sorted({min(FEW_STATES, most), most}):
        space = explore(task, limit=limit)
        if space.complete:
            return decide_by_exhaustion(task, space)
        decided = _by_planner(space, None, kinds, budget.calls, budget.seconds)
        if not decided.undecided:
            break
    return decided


def _refuse_contradiction(task: PlanningTask, plan: Plan, decided: DecidedState) -> None:
    """Raise an error if ``plan``, which is valid, contradicts a proof."""
    if decided.solvable is False or len(plan.steps) < (decided.optimal_cost or 0):
        best = decided.plan
        verdict = f"{len(best.steps)} steps long by {best.planner}" if best else "unsolvable"
        raise OrreryError(
            f"problem '{task.problem.name}' of {task.domain.name}",
            f"called {verdict}, though {plan.planner} found a plan of {len(plan.steps)} steps",
            "a bug in one of them: please report the problem",
        )


def decide_by_exhaustion(task: PlanningTask, space: StateSpace) -> DecidedState:
    """Decide everything from the complete ``space`` of ``task``."""
    plan = space.proven_plan()
    landmarks, not_landmarks = split_candidates(task, _landmarks(task, space)) if plan else ({}, {})
    first_actions = (plan and space.first_actions()) or frozenset()
    applicable_steps = [action.step for action in applicable(task, task.init)] if plan else []
    applied = space.applied_steps()
    never = {action.step: Proof.EXHAUSTION for action in task.actions if action.step not in applied}
    unreachable, num_unreachable, num_steps = never_applied(task, never)
    return DecidedState(
        solvable=plan is not None,
        plan=plan,
        landmarks=landmarks,
        not_landmarks=not_landmarks,
        unreachable_facts=never_reached(task, space.reached_facts()),
        reachable_actions=applied,
        unreachable_actions=unreachable,
        num_steps=num_steps,
        num_unreachable_actions=num_unreachable,
        optimal_first_actions={s: Proof.EXHAUSTION for s in applicable_steps if s in first_actions},
        not_optimal_first_actions={s: Proof.EXHAUSTION for s in applicable_steps if s not in first_actions},
        num_states=len(space),
    )


def _landmarks(task: PlanningTask, space: StateSpace) -> dict[Atom, Proof]:
    """Return all landmarks of the state graph. Their proof is the delete relaxation if it suffices."""
    relaxed = relaxed_landmarks(task, task.init)
    return {
        fact: Proof.DELETE_RELAXATION if task.bit[fact] & relaxed else Proof.EXHAUSTION
        for fact in task.facts_of(space.landmarks())
    }


def _by_planner(
    space: StateSpace, plan: Plan | None, kinds: Collection[str], calls: int, seconds: float
) -> DecidedState:
    """Decide items of ``kinds`` from an incomplete ``space`` within a budget; name the others as undecided.

    The cheapest evidence comes first. States seen by exhaustive search, random walks and plans prove
    reachability. The delete relaxation and h2 prove unreachability. At most ``calls`` planner calls of
    ``seconds`` each decide the rest.
    """
    evidence = TaskEvidence(space.task, space, calls, seconds)
    shortest = _plan_for(evidence, plan, kinds)
    landmarks, not_landmarks = decide_landmarks(evidence, shortest) if LANDMARK in kinds else ({}, {})
    first, not_first = split_first_actions(evidence, shortest) if NEXT in kinds else ({}, {})
    facts, never = decide_unreachable(evidence, [kind for kind in (FACT, ACTION) if kind in kinds])
    unreachable, num_unreachable, num_steps = (
        never_applied(space.task, never) if ACTION in kinds else ({}, 0, 0)
    )
    return DecidedState(
        solvable=shortest.solvable,
        plan=shortest.plan,
        landmarks=landmarks,
        not_landmarks=not_landmarks,
        unreachable_facts=facts,
        reachable_actions=frozenset(evidence.applied),
        unreachable_actions=unreachable,
        num_steps=num_steps,
        num_unreachable_actions=num_unreachable,
        optimal_first_actions=first,
        not_optimal_first_actions=not_first,
        undecided=tuple(evidence.undecided),
    )


def _plan_for(evidence: TaskEvidence, plan: Plan | None, kinds: Collection[str]) -> ShortestPlan:
    """Return the plan that ``kinds`` need: a shortest one, any, or none; record undecided parts."""
    if NEXT in kinds:
        shortest = find_shortest(evidence, plan)
    elif LANDMARK in kinds:
        shortest = find_any_plan(evidence, plan or evidence.space.proven_plan())
        if shortest.solvable is None:
            shortest = find_shortest(evidence, plan)
    else:
        return ShortestPlan(None)
    if shortest.solvable is None:
        evidence.undecided.append("plan: solvability")
    if shortest.plan is not None:
        evidence.record_plan(shortest.plan.steps)
        if NEXT in kinds and shortest.plan.optimal is None:
            evidence.undecided.append("plan: optimal cost")
    return shortest
