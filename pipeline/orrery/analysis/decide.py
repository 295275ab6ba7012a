"""Decide plan, optimal cost, landmarks and unreachable facts and actions of one problem."""

from __future__ import annotations

from orrery.analysis.decided import DecidedState, never_applied, never_reached, split_candidates
from orrery.analysis.evidence import TaskEvidence
from orrery.analysis.landmarks import decide_landmarks
from orrery.analysis.reachability import unreachable
from orrery.analysis.shortest import Shortest, shortest, split
from orrery.model import Atom, OrreryError, Plan, Proof, Step
from orrery.planners.exhaustive import Explorer, StateSpace
from orrery.semantics.relaxation import relaxed_landmarks
from orrery.semantics.task import PlanningTask

WORK = 10_000_000  # some two seconds


def decide(
    task: PlanningTask,
    *,
    plan: Plan | None = None,
    max_states: int = 200_000,
    calls: int = 200,
    seconds: float = 30.0,
    work: int = WORK,
) -> DecidedState:
    """Decide what can be proven about the initial state of ``task``.

    An exhaustive search of at most ``max_states`` states decides all if it completes. Otherwise searches
    up to symmetry, guided searches of ``work`` (see ``planners.guided``) and at most ``calls`` planner calls
    of ``seconds`` each decide what they can. ``plan`` is a valid plan, if one is known already.

    Raises:
        OrreryError: ``plan`` is one for a task proven unsolvable, or shorter than the shortest.
    """
    space = Explorer(task).explore(limit=max_states, linked=True)
    if space.complete:
        found = decide_by_exhaustion(task, space)
    else:
        found = decide_by_planner(space, plan, calls=calls, seconds=seconds, work=work)
    if plan is not None:
        _refuse_contradiction(task, plan, found)
    return found


def _refuse_contradiction(task: PlanningTask, plan: Plan, found: DecidedState) -> None:
    """Raise where ``plan``, which is valid, cannot be if what was found is true."""
    if found.solvable is False or len(plan.steps) < (found.optimal_cost or 0):
        best = found.plan
        said = f"{len(best.steps)} steps long by {best.planner}" if best else "unsolvable"
        raise OrreryError(
            f"problem '{task.problem.name}' of {task.domain.name}",
            f"called {said}, though {plan.planner} found a plan of {len(plan.steps)} steps",
            "a bug in one of them: please report the problem",
        )


def decide_by_exhaustion(task: PlanningTask, space: StateSpace) -> DecidedState:
    """Decide everything by a complete ``space`` of ``task``: exact, and nothing is left undecided."""
    plan = space.proven_plan()
    landmarks, others = split_candidates(task, _landmarks(task, space)) if plan else ({}, {})
    first, not_first = _next_actions(task, space) if plan else ({}, {})
    applied = _applied_steps(task, space)
    never = {action.step: Proof.EXHAUSTION for action in task.actions if action.step not in applied}
    listed, number, every = never_applied(task, never)
    return DecidedState(
        solvable=plan is not None,
        plan=plan,
        landmarks=landmarks,
        not_landmarks=others,
        unreachable_facts=never_reached(task, space.reached_facts()),
        reachable_actions=applied,
        unreachable_actions=listed,
        num_steps=every,
        num_unreachable_actions=number,
        optimal_first_actions=first,
        not_optimal_first_actions=not_first,
        num_states=len(space),
    )


def _applied_steps(task: PlanningTask, space: StateSpace) -> frozenset[Step]:
    """Return the steps applicable in some state of the space."""
    applied = space.applied_actions()
    return frozenset(action.step for action, seen in zip(task.actions, applied, strict=True) if seen)


def _landmarks(task: PlanningTask, space: StateSpace) -> dict[Atom, Proof]:
    """Return all landmarks of the state graph; those that the relaxation proves too are marked so."""
    relaxed = relaxed_landmarks(task, task.init)
    return {
        fact: Proof.DELETE_RELAXATION if task.bit[fact] & relaxed else Proof.EXHAUSTION
        for fact in task.facts_of(space.landmarks())
    }


def _next_actions(task: PlanningTask, space: StateSpace) -> tuple[dict[Step, Proof], dict[Step, Proof]]:
    """Split the initially applicable actions into optimal first actions and others."""
    distance, edges = space.h_star(), space.edges
    first = slice(edges.offsets[0], edges.offsets[1])
    found: tuple[dict[Step, Proof], dict[Step, Proof]] = {}, {}
    for action, successor in zip(edges.actions[first], edges.successors[first], strict=True):
        nearer = 0 <= distance[successor] < distance[0]
        found[0 if nearer else 1][task.actions[action].step] = Proof.EXHAUSTION
    return found


def decide_by_planner(
    space: StateSpace,
    plan: Plan | None,
    *,
    calls: int,
    seconds: float,
    work: int,
) -> DecidedState:
    """Prove what can be proven from an unfinished ``space`` within a budget; name the rest as undecided.

    Use the cheapest evidence first: states seen by exhaustive search, random walks and plans prove that
    something is reachable; the delete relaxation and h2 prove that it is not; symmetries extend both to
    interchangeable objects. Search for the rest, up to symmetry or by planner calls, within the budget.

    At most ``calls`` planner calls of ``seconds`` each, and guided searches of ``work``; ``plan`` is a valid
    plan, if one is known already.
    """
    evidence = TaskEvidence(space.task, space, calls, seconds, work)
    found = shortest(evidence, plan)
    _record_plan(evidence, found)
    landmarks, others = decide_landmarks(evidence, found.solvable, found.plan)
    first, not_first = split(evidence, found)
    facts, never = unreachable(evidence)
    listed, number, every = never_applied(space.task, never)
    return DecidedState(
        solvable=found.solvable,
        plan=found.plan,
        landmarks=landmarks,
        not_landmarks=others,
        unreachable_facts=facts,
        reachable_actions=frozenset(evidence.applied),
        unreachable_actions=listed,
        num_steps=every,
        num_unreachable_actions=number,
        optimal_first_actions=first,
        not_optimal_first_actions=not_first,
        undecided=tuple(evidence.undecided),
    )


def _record_plan(evidence: TaskEvidence, found: Shortest) -> None:
    """Record the facts along the plan, and what is undecided about it."""
    if found.solvable is None:
        evidence.undecided.append("plan: solvability")
    if found.plan is not None:
        evidence.keep(found.plan)
        if found.plan.optimal is None:
            evidence.undecided.append("plan: optimal cost")
