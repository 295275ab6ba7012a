"""Everything about a task whose whole state space fits the budget: exact, by exhaustion."""

from __future__ import annotations

from pipeline.facts.decided import Decided, never_applied, never_reached, split_candidates
from pipeline.model import Atom, Proof, Step
from pipeline.planners.exhaustive import Space
from pipeline.semantics.relaxation import relaxed_landmarks
from pipeline.semantics.task import Task


def decide_by_sweep(task: Task, space: Space) -> Decided:
    """What a complete ``space`` of ``task`` proves: nothing is left undecided."""
    plan = space.proven_plan()
    landmarks, others = split_candidates(task, _landmarks(task, space)) if plan else ({}, {})
    return Decided(
        solvable=plan is not None,
        plan=plan,
        landmarks=landmarks,
        not_landmarks=others,
        unreachable_facts=never_reached(task, space.reached_facts()),
        unreachable_actions=never_applied(task, applied_steps(task, space)),
        num_states=len(space),
    )


def applied_steps(task: Task, space: Space) -> frozenset[Step]:
    """The steps applicable in some state of the space."""
    applied = space.applied_actions()
    return frozenset(action.step for action, seen in zip(task.actions, applied, strict=True) if seen)


def _landmarks(task: Task, space: Space) -> dict[Atom, Proof]:
    """All landmarks of the state graph; those that the relaxation proves too are marked so."""
    relaxed = relaxed_landmarks(task, task.init)
    return {
        fact: Proof.DELETE_RELAXATION if task.bit[fact] & relaxed else Proof.EXHAUSTION
        for fact in task.facts_of(space.landmarks())
    }
