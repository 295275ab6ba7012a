"""Decide which facts and actions of a large task are reachable, by witness or by proof.

Random walks search for everything that exhaustive search and plans left open and h2 does not exclude. Then a
planner searches for a run that reaches any of the rest. If there is none, all of the rest is unreachable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from random import Random
from typing import NamedTuple, TypeAlias

import numpy as np

from orrery.model import Atom, Proof, Step
from orrery.planning.decided import ACTION, FACT, undecided
from orrery.planning.evidence import TaskEvidence
from orrery.planning.exhaustive import mask_of
from orrery.planning.exhaustive_kernel import preferred
from orrery.planning.h2 import pair_reachability
from orrery.planning.outcome import PlannerOutcome
from orrery.planning.possible import possible_atoms
from orrery.planning.task import GroundAction, PlanningTask

WALKS, LONGEST_WALK = 100, 1000  # maximum number and length of walks, while something is open
MOST_TESTED = 500_000_000  # tests whether an action is applicable: fewer walks if a task has many actions
SEED = 0
MARK = "!shown"  # not a PDDL name, so no domain has it

Proofs: TypeAlias = tuple[dict[Atom, Proof], dict[Step, Proof]]


class ReachCondition(NamedTuple):
    """A condition to reach (true facts, false facts) for a fact or action."""

    kind: str
    name: Atom
    positive: int
    negative: int = 0


def decide_unreachable(evidence: TaskEvidence, kinds: Collection[str]) -> Proofs:
    """Return the unreachable facts and actions of the universe of the task; record undecided ones.

    For kinds that are not in ``kinds``, only items excluded by the relaxation and h2 are returned; without
    any kind, nothing.
    """
    if not kinds:
        return {}, {}
    facts, actions = _excluded(evidence)
    conditions = _open_conditions(evidence, facts, actions)
    of_kinds = [condition for condition in conditions if condition.kind in kinds]
    for (kind, name, _, _), proof in _settle(evidence, of_kinds):
        if proof is None:
            evidence.undecided.append(undecided(kind, name))
        else:
            (facts if kind == FACT else actions)[name] = proof
    return facts, actions


def _excluded(evidence: TaskEvidence) -> Proofs:
    """Return the items excluded by the relaxation and h2."""
    task = evidence.task
    pairs = pair_reachability(task, task.init)
    possible = pairs.facts
    facts = {
        fact: Proof.H2 if fact in task.bit else Proof.DELETE_RELAXATION
        for fact in possible_atoms(task.domain, task.problem)
        if not task.bit.get(fact, 0) & possible
    }
    never = (a for a in task.actions if a.step not in evidence.applied and not pairs.allows(a.positive))
    return facts, {action.step: Proof.H2 for action in never}


def _settle(
    evidence: TaskEvidence, conditions: list[ReachCondition]
) -> Iterator[tuple[ReachCondition, Proof | None]]:
    """Yield the conditions that are not reached, each with the proof that it is unreachable, or None."""
    conditions = _walk(evidence, conditions)
    proof: Proof | None = Proof.UNSOLVABILITY
    for kind in (FACT, ACTION):  # if a fact is undecided, the actions that add it are too
        of_kind = [condition for condition in conditions if condition.kind == kind]
        if proof is not None:
            proof = _search(evidence, of_kind)
        yield from ((condition, proof) for condition in _unseen(evidence, of_kind))


def _walk(evidence: TaskEvidence, conditions: list[ReachCondition]) -> list[ReachCondition]:
    """Return the conditions that random walks do not reach; walks end when all are reached.

    A step that makes a new fact true is preferred, then one that no walk has taken.
    """
    task, actions, init = evidence.task, evidence.space.actions, evidence.space.states[:1]
    rng, seen = Random(SEED), init[0].copy()
    taken, applied = np.zeros((2, len(task.actions)), np.bool_)
    for _ in range(min(WALKS, max(1, MOST_TESTED // (LONGEST_WALK * max(1, len(task.actions)))))):
        if not conditions:
            break
        state, choices = init, preferred(actions, init, seen, taken, applied)
        for _ in range(LONGEST_WALK):
            if not len(choices):
                break
            index = rng.choice(choices)
            state = state & actions.keep[index] | actions.add[index]
            seen |= state[0]
            taken[index] = True
            choices = preferred(actions, state, seen, taken, applied)
        evidence.record(mask_of(seen), [task.actions[index].step for index in np.flatnonzero(applied)])
        conditions = _unseen(evidence, conditions)
    return conditions


def _search(evidence: TaskEvidence, conditions: list[ReachCondition]) -> Proof | None:
    """Return the proof that conditions not reached by planner calls are unreachable; None if undecided."""
    while conditions := _unseen(evidence, conditions):
        answer = evidence.call_planner(reaching_any(evidence.task, conditions))
        if answer.plan is None:
            return Proof.UNSOLVABILITY if answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN else None
        evidence.record_run([step for step in answer.plan.steps if step[0] != MARK])
    return Proof.UNSOLVABILITY


def _open_conditions(
    evidence: TaskEvidence, facts: dict[Atom, Proof], actions: dict[Step, Proof]
) -> list[ReachCondition]:
    """Return the facts and actions that are neither reached nor excluded."""
    task = evidence.task
    universe = possible_atoms(task.domain, task.problem)
    conditions = [ReachCondition(FACT, fact, task.bit[fact]) for fact in universe if fact not in facts]
    conditions += [
        ReachCondition(ACTION, a.step, a.positive, a.negative) for a in task.actions if a.step not in actions
    ]
    return _unseen(evidence, conditions)


def _unseen(evidence: TaskEvidence, conditions: list[ReachCondition]) -> list[ReachCondition]:
    return [condition for condition in conditions if _is_unseen(evidence, condition)]


def _is_unseen(evidence: TaskEvidence, condition: ReachCondition) -> bool:
    if condition.kind == ACTION:
        return condition.name not in evidence.applied
    return not condition.positive & evidence.reached


def reaching_any(task: PlanningTask, conditions: list[ReachCondition]) -> PlanningTask:
    """Return the task of reaching one of the conditions: an action for each adds a new fact, the goal."""
    mark = 1 << len(task.facts)
    marking = tuple(
        GroundAction((MARK, str(number)), condition.positive, condition.negative, mark, 0)
        for number, condition in enumerate(conditions)
    )
    return replace(
        task,
        facts=(*task.facts, (MARK,)),
        actions=(*task.actions, *marking),
        goal_positive=mark,
        goal_negative=0,
    )
