"""Decide which facts and actions of a large task are reachable, by witness or by proof.

Search random walks for whatever exhaustive search and plans left open and h2 does not exclude, then search
the state space up to symmetry. Then ask a planner for a run that shows any of the rest. That there is none
proves all of it at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from orrery.analysis.decided import undecided
from orrery.analysis.evidence import TaskEvidence
from orrery.model import Atom, Proof, Step
from orrery.planners.exhaustive import Explorer
from orrery.planners.outcome import PlannerOutcome
from orrery.planners.relaxed import Walker
from orrery.semantics.possible import possible_atoms
from orrery.semantics.task import GroundAction, PlanningTask

# Numbers and lengths of walks, while something is open; the long ones take about a second or two.
SHORT_WALKS, LONG_WALKS = (100, 200), (1000, 1000)
PART = 50  # so many at a time
MARK = "!shown"  # no name of PDDL, so that no domain has it
FACT, ACTION = "fact", "action"

Proofs: TypeAlias = tuple[dict[Atom, Proof], dict[Step, Proof]]


class ReachCondition(NamedTuple):
    """A condition to reach (facts that hold, facts that do not) and the fact or action it stands for."""

    what: str
    name: Atom
    positive: int
    negative: int = 0


def unreachable(evidence: TaskEvidence, kinds: Collection[str] = (FACT, ACTION)) -> Proofs:
    """Return the unreachable facts and actions of the universe of the task; record those left open.

    Of ``kinds`` that are not asked for no more than the relaxation and h2 exclude is returned.
    """
    facts, actions = _excluded(evidence)
    asked = [each for each in _open(evidence, facts, actions) if each.what in kinds]
    for (what, name, _, _), proof in _settled(evidence, asked):
        members = evidence.orbit(what, name)
        if proof is None:
            evidence.undecided += [undecided(what, member) for member in members]
        else:
            (facts if what == FACT else actions).update(dict.fromkeys(members, proof))
    return facts, actions


def _excluded(evidence: TaskEvidence) -> Proofs:
    """Return what the relaxation and h2 exclude."""
    task, pairs = evidence.task, evidence.relaxation.pairs
    possible = pairs.facts
    facts = {
        fact: Proof.H2 if fact in task.bit else Proof.DELETE_RELAXATION
        for fact in possible_atoms(task.domain, task.problem)
        if not task.bit.get(fact, 0) & possible
    }
    never = (a for a in task.actions if a.step not in evidence.applied and not pairs.allows(a))
    return facts, {action.step: Proof.H2 for action in never}


def _settled(
    evidence: TaskEvidence, left: list[ReachCondition]
) -> Iterator[tuple[ReachCondition, Proof | None]]:
    """Yield the conditions not reached in the end, each with the proof that it is unreachable, or None."""
    left = _walked(evidence, left, *SHORT_WALKS)
    left = _walked(evidence, left, *LONG_WALKS)
    if left and evidence.symmetry.classes:
        space = Explorer(evidence.task, evidence.symmetry).explore(limit=evidence.space.limit)
        evidence.see(space)
        left = _unseen(evidence, left)
        if space.complete:
            yield from ((condition, Proof.EXHAUSTION) for condition in left)
            return
    proof: Proof | None = Proof.UNSOLVABILITY
    for what in (FACT, ACTION):  # while a fact is open, so are the actions that add it
        if proof is not None:
            proof = _searched(evidence, [each for each in left if each.what == what])
        yield from ((each, proof) for each in _unseen(evidence, left) if each.what == what)


def _walked(
    evidence: TaskEvidence, left: list[ReachCondition], number: int, length: int
) -> list[ReachCondition]:
    """Return the conditions that random walks do not reach, which end when all are reached."""
    walker = Walker(evidence.explorer, length)
    for _ in range(0, number, PART):
        if left:
            evidence.walk(walker, PART)
            left = _unseen(evidence, left)
    return left


def _searched(evidence: TaskEvidence, left: list[ReachCondition]) -> Proof | None:
    """Return the proof that whatever no planner call reached is unreachable; None where it is open."""
    while left := _unseen(evidence, left):
        outcome = _shown(evidence, _any(evidence.task, left))
        if not outcome.solved:
            return Proof.UNSOLVABILITY if outcome is PlannerOutcome.UNSOLVABLE_PROVEN else None
    return Proof.UNSOLVABILITY


def _open(
    evidence: TaskEvidence, facts: dict[Atom, Proof], actions: dict[Step, Proof]
) -> list[ReachCondition]:
    """Return one fact or action of each orbit that is neither reached nor excluded."""
    task = evidence.task
    universe = possible_atoms(task.domain, task.problem)
    found = [ReachCondition(FACT, fact, task.bit[fact]) for fact in universe if fact not in facts]
    found += [
        ReachCondition(ACTION, a.step, a.positive, a.negative) for a in task.actions if a.step not in actions
    ]
    firsts: dict[tuple[str, Atom], ReachCondition] = {}
    for condition in _unseen(evidence, found):
        name = evidence.symmetry.representative(condition.name)
        firsts.setdefault((condition.what, name), condition)
    return list(firsts.values())


def _unseen(evidence: TaskEvidence, conditions: list[ReachCondition]) -> list[ReachCondition]:
    return [each for each in conditions if _is_unseen(evidence, each)]


def _is_unseen(evidence: TaskEvidence, condition: ReachCondition) -> bool:
    if condition.what == ACTION:
        return condition.name not in evidence.applied
    return not condition.positive & evidence.reached


def _shown(evidence: TaskEvidence, task: PlanningTask) -> PlannerOutcome:
    """Call the planner on an extended task, record what its plan reaches, and return the outcome."""
    answer = evidence.ask(task)
    if answer.plan is not None:
        evidence.witness(evidence.real_steps(answer.plan.steps))
    return answer.outcome


def _any(task: PlanningTask, conditions: list[ReachCondition]) -> PlanningTask:
    """Return the task of reaching one of the conditions: an action for each makes true what is the goal."""
    mark = 1 << len(task.facts)
    added = tuple(
        GroundAction((MARK, str(number)), each.positive, each.negative, mark, 0)
        for number, each in enumerate(conditions)
    )
    return replace(
        task,
        facts=(*task.facts, (MARK,)),
        actions=(*task.actions, *added),
        goal_positive=mark,
        goal_negative=0,
    )
