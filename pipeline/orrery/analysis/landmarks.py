"""Decide which facts every plan of a large task makes true, each by the cheapest proof.

A plan that avoids a fact shows that it is no landmark, and often many others with it. A fact is proven a
landmark by the relaxation or h2 without its achievers, or by a planner on the task that forbids it.
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
    """Return the candidates that are landmarks with proofs, and the others; record those left open.

    There are no candidates without a plan; all stay open where solvability is not known.
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
    """Return, by orbit, the proof that its facts are landmarks; None where it is undecided.

    Leave out the orbits that a plan avoids; keep the plans found on the way.
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
    """Return the proof that every plan makes ``fact`` true, or None; a plan that does not is kept."""
    if evidence.relaxation.needs(evidence.index[fact]):
        return Proof.H2
    answer = evidence.ask(evidence.task, forbidden=fact)
    if answer.plan is not None:
        evidence.keep(answer.plan)
    return Proof.UNSOLVABILITY if answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN else None


def _avoided(evidence: TaskEvidence, names: Mapping[Atom, Atom]) -> set[Atom]:
    """Return the orbits with a fact that some plan avoids; symmetric plans avoid the rest of the orbit."""
    met = -1
    for facts in evidence.plans:
        met &= facts
    return {name for fact, name in names.items() if not evidence.task.bit[fact] & met}
