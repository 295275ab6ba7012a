"""Decide which facts are landmarks of a large task, each by the cheapest proof.

A plan that avoids a fact shows that it is not a landmark, and often many others with it. A fact is proven a
landmark by the relaxation or h2 without its achievers, or by a planner on the task that forbids it.
"""

from __future__ import annotations

from collections.abc import Mapping

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
    orbits = {
        fact: evidence.plan_symmetry.representative(fact)
        for fact in facts
        if fact in task.bit and fact not in landmarks
    }
    proofs = _proofs(evidence, orbits)
    for fact, orbit in orbits.items():
        if proof := proofs.get(orbit):
            landmarks[fact] = proof
    open_facts = [fact for fact, orbit in orbits.items() if orbit in proofs and not proofs[orbit]]
    evidence.undecided += [undecided("landmark", fact) for fact in open_facts]
    avoidable = [fact for fact in facts if fact not in landmarks and fact not in open_facts]
    return landmarks, dict.fromkeys(avoidable, Proof.WITNESS)


def _proofs(evidence: TaskEvidence, orbits: Mapping[Atom, Atom]) -> dict[Atom, Proof | None]:
    """Return, by orbit, the proof that its facts are landmarks, or None if that is undecided.

    Orbits that a plan avoids are omitted; plans found on the way are recorded.
    """
    proofs: dict[Atom, Proof | None] = {}
    avoided = _avoided(evidence, orbits)
    given_up = False
    for fact, orbit in orbits.items():
        if orbit in avoided or orbit in proofs:
            continue
        proofs[orbit] = None if given_up else _proof(evidence, fact)
        avoided = _avoided(evidence, orbits)
        # If a fact is undecided, the question is too, so no planner calls are made for later facts.
        given_up = proofs[orbit] is None and orbit not in avoided
    return {orbit: proof for orbit, proof in proofs.items() if orbit not in avoided}


def _proof(evidence: TaskEvidence, fact: Atom) -> Proof | None:
    """Return the proof that every plan makes ``fact`` true, or None; a plan that avoids it is recorded."""
    task = evidence.task
    if not pair_reachability(task, task.init, task.bit[fact]).allows(task.goal_positive):
        return Proof.H2
    answer = evidence.call_planner(task, planner=SOONEST, forbidden=fact)
    if answer.plan is not None:
        evidence.record_plan(answer.plan.steps)
    return Proof.UNSOLVABILITY if answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN else None


def _avoided(evidence: TaskEvidence, orbits: Mapping[Atom, Atom]) -> set[Atom]:
    """Return the orbits with a fact that some plan avoids; symmetric plans avoid the rest of the orbit."""
    unavoided = -1
    for facts in evidence.facts_of_plans:
        unavoided &= facts
    return {orbit for fact, orbit in orbits.items() if not evidence.task.bit[fact] & unavoided}
