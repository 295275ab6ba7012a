"""Decide which facts are landmarks of a large task, each by the cheapest proof.

A plan that avoids a fact shows that it is not a landmark, and often many others with it. A fact is proven a
landmark by the relaxation or h2 without its achievers, or by a planner on the task that forbids it.
"""

from __future__ import annotations

from collections.abc import Sequence

from orrery.model import Atom, Proof
from orrery.planning.decided import candidates, undecided
from orrery.planning.evidence import TaskEvidence
from orrery.planning.fast_downward import SOONEST
from orrery.planning.h2 import pair_reachability
from orrery.planning.outcome import PlannerOutcome
from orrery.planning.shortest import ShortestPlan
from orrery.planning.task import PlanningTask, bits, union


def relaxed_landmarks(task: PlanningTask, init: int) -> int:
    """Return the facts without whose achievers the relaxation does not reach the goal; each is a landmark.

    They are the greatest fixpoint of Keyder, Richter and Helmert ("Sound and complete landmarks for and/or
    graphs", 2010): a fact is on every way to another one if each achiever of that one adds it, or has it on
    every way to a precondition. An action that adds a fact among others is an achiever. Facts of ``init`` are
    omitted, because they are trivial landmarks.
    """
    all_facts = (1 << len(task.facts)) - 1 & ~init
    before = [0 if init >> index & 1 else all_facts for index in range(len(task.facts))]
    shrunk = True
    while shrunk:
        shrunk = False
        for action in task.actions:
            on_the_way = union(before[fact] for fact in bits(action.positive)) | action.add
            for fact in bits(action.add & ~init):
                if before[fact] & ~on_the_way:
                    before[fact] &= on_the_way
                    shrunk = True
    return union(before[fact] for fact in bits(task.goal_positive))


def decide_landmarks(
    evidence: TaskEvidence, shortest: ShortestPlan
) -> tuple[dict[Atom, Proof], dict[Atom, Proof]]:
    """Return the candidates that are landmarks with proofs, and the others; record undecided ones.

    There are no candidates without a plan; all stay undecided if solvability is undecided.
    """
    task = evidence.task
    facts = candidates(task)
    if shortest.plan is None:
        if shortest.solvable is None:
            evidence.undecided += [undecided("landmark", fact) for fact in facts]
        return {}, {}
    relaxed = relaxed_landmarks(task, task.init)
    landmarks = {fact: Proof.DELETE_RELAXATION for fact in facts if task.bit.get(fact, 0) & relaxed}
    proofs = _proofs(evidence, [fact for fact in facts if fact in task.bit and fact not in landmarks])
    landmarks |= {fact: proof for fact, proof in proofs.items() if proof}
    open_facts = [fact for fact, proof in proofs.items() if not proof]
    evidence.undecided += [undecided("landmark", fact) for fact in open_facts]
    avoidable = [fact for fact in facts if fact not in landmarks and fact not in open_facts]
    return landmarks, dict.fromkeys(avoidable, Proof.WITNESS)


def _proofs(evidence: TaskEvidence, facts: Sequence[Atom]) -> dict[Atom, Proof | None]:
    """Return, by fact, the proof that it is a landmark, or None if that is undecided.

    Facts that a plan avoids are omitted; plans found on the way are recorded.
    """
    proofs: dict[Atom, Proof | None] = {}
    given_up = False
    for fact in facts:
        if _is_avoided(evidence, fact):
            continue
        proofs[fact] = None if given_up else _proof(evidence, fact)
        # If a fact is undecided, the question is too, so no planner calls are made for later facts.
        given_up = proofs[fact] is None and not _is_avoided(evidence, fact)
    return {fact: proof for fact, proof in proofs.items() if not _is_avoided(evidence, fact)}


def _proof(evidence: TaskEvidence, fact: Atom) -> Proof | None:
    """Return the proof that every plan makes ``fact`` true, or None; a plan that avoids it is recorded."""
    task = evidence.task
    if not pair_reachability(task, task.init, task.bit[fact]).allows(task.goal_positive):
        return Proof.H2
    answer = evidence.call_planner(task, planner=SOONEST, forbidden=fact)
    if answer.plan is not None:
        evidence.record_plan(answer.plan.steps)
    return Proof.UNSOLVABILITY if answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN else None


def _is_avoided(evidence: TaskEvidence, fact: Atom) -> bool:
    """Return whether some known plan never makes the fact true."""
    return any(not evidence.task.bit[fact] & facts for facts in evidence.facts_of_plans)


def landmark_bound(task: PlanningTask) -> int:
    """Return a lower bound on the number of steps of every plan of a solvable task.

    Every plan makes each landmark of the delete relaxation true. Landmarks are taken in the order of the
    number of actions that add them, then of the facts, if no action adds an earlier one, too; so each needs
    another step. This is the greedy cost partitioning of Karpas and Domshlak ("Cost-optimal planning with
    landmarks", 2009) for unit costs.
    """
    landmarks = relaxed_landmarks(task, task.init) & ~task.init
    achievers: dict[int, set[int]] = {fact: set() for fact in bits(landmarks)}
    for number, action in enumerate(task.actions):
        for fact in bits(action.add & landmarks):
            achievers[fact].add(number)
    used, bound = set[int](), 0
    for _, fact in sorted((len(actions), fact) for fact, actions in achievers.items()):
        if used.isdisjoint(achievers[fact]):
            used |= achievers[fact]
            bound += 1
    return bound
