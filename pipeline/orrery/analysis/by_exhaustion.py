"""Everything about a task whose whole state space fits the budget: exact, by exhaustion."""

from __future__ import annotations

from orrery.analysis.decided import DecidedState, never_applied, never_reached, split_candidates
from orrery.model import Atom, Proof, Step
from orrery.planners.exhaustive import StateSpace
from orrery.semantics.relaxation import relaxed_landmarks
from orrery.semantics.task import PlanningTask


def decide_by_sweep(task: PlanningTask, space: StateSpace) -> DecidedState:
    """What a complete ``space`` of ``task`` proves: nothing is left undecided."""
    plan = space.proven_plan()
    landmarks, others = split_candidates(task, _landmarks(task, space)) if plan else ({}, {})
    closer, not_closer = _next_actions(task, space) if plan else ({}, {})
    applied = applied_steps(task, space)
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
        closer=closer,
        not_closer=not_closer,
        num_states=len(space),
    )


def applied_steps(task: PlanningTask, space: StateSpace) -> frozenset[Step]:
    """The steps applicable in some state of the space."""
    applied = space.applied_actions()
    return frozenset(action.step for action, seen in zip(task.actions, applied, strict=True) if seen)


def _landmarks(task: PlanningTask, space: StateSpace) -> dict[Atom, Proof]:
    """All landmarks of the state graph; those that the relaxation proves too are marked so."""
    relaxed = relaxed_landmarks(task, task.init)
    return {
        fact: Proof.DELETE_RELAXATION if task.bit[fact] & relaxed else Proof.EXHAUSTION
        for fact in task.facts_of(space.landmarks())
    }


def _next_actions(task: PlanningTask, space: StateSpace) -> tuple[dict[Step, Proof], dict[Step, Proof]]:
    """The actions applicable initially, by whether the goal is one step nearer after them."""
    distance, edges = space.h_star(), space.edges
    first = slice(edges.offsets[0], edges.offsets[1])
    found: tuple[dict[Step, Proof], dict[Step, Proof]] = {}, {}
    for action, successor in zip(edges.actions[first], edges.successors[first], strict=True):
        nearer = 0 <= distance[successor] < distance[0]
        found[0 if nearer else 1][task.actions[action].step] = Proof.EXHAUSTION
    return found
