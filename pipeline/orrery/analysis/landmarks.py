"""Which facts every plan of a large task makes true: each candidate by what decides it first.

A plan that avoids a fact shows that it is no landmark, and often many others with it. That a fact is one is
proven by the relaxation or by h2 without its achievers, or by a planner on the task that forbids it.
"""

from __future__ import annotations

from collections.abc import Mapping

from orrery.analysis.decided import candidates, undecided
from orrery.analysis.evidence import TaskEvidence
from orrery.model import Atom, Plan, Proof
from orrery.planners.outcome import PlannerOutcome


def decide_landmarks(
    evidence: TaskEvidence, solvable: bool | None, plan: Plan | None
) -> tuple[dict[Atom, Proof], dict[Atom, Proof]]:
    """The landmarks among the candidates with their proofs, and the others; those left open are named.

    None are asked for where there is no plan; all stay open where that is not known.
    """
    task = evidence.task
    asked = candidates(task)
    if plan is None:
        if solvable is None:
            evidence.undecided += [undecided("landmark", fact) for fact in asked]
        return {}, {}
    relaxed = evidence.relaxation.landmarks(task.init)
    found = {fact: Proof.DELETE_RELAXATION for fact in asked if task.bit.get(fact, 0) & relaxed}
    names = {
        fact: evidence.plan_symmetry.representative(fact)
        for fact in asked
        if fact in task.bit and fact not in found
    }
    proofs = _proofs(evidence, names)
    for fact, name in names.items():
        if name in proofs and (proof := proofs[name]):
            found[fact] = proof
    left = [fact for fact, name in names.items() if name in proofs and not proofs[name]]
    evidence.undecided += [undecided("landmark", fact) for fact in left]
    return found, dict.fromkeys([f for f in asked if f not in found and f not in left], Proof.WITNESS)


def _proofs(evidence: TaskEvidence, names: Mapping[Atom, Atom]) -> dict[Atom, Proof | None]:
    """By orbit the proof that its facts are landmarks; None where neither that nor the opposite is proven.

    The orbits that a plan avoids are left out; plans found on the way are kept.
    """
    found: dict[Atom, Proof | None] = {}
    avoided = _avoided(evidence, names)
    given_up = False
    for fact, name in names.items():
        if name in avoided or name in found:
            continue
        found[name] = None if given_up else _proof(evidence, fact)
        avoided = _avoided(evidence, names)
        # One that stays open leaves the question open: no more is spent on the others.
        given_up = found[name] is None and name not in avoided
    return {name: proof for name, proof in found.items() if name not in avoided}


def _proof(evidence: TaskEvidence, fact: Atom) -> Proof | None:
    """The proof that every plan makes ``fact`` true, or None; a plan that does not is kept."""
    if evidence.relaxation.needs(evidence.index[fact]):
        return Proof.H2
    answer = evidence.ask(evidence.task, forbidden=fact)
    if answer.plan is not None:
        evidence.keep(answer.plan)
    return Proof.UNSOLVABILITY if answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN else None


def _avoided(evidence: TaskEvidence, names: Mapping[Atom, Atom]) -> set[Atom]:
    """The orbits with a fact that some plan avoids; with others in their places, so do plans the rest."""
    met = -1
    for facts in evidence.plans:
        met &= facts
    return {name for fact, name in names.items() if not evidence.task.bit[fact] & met}
