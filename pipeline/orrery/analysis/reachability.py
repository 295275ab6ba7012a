"""Decide which facts and actions of a large task are reachable, by witness or by proof.

Search random walks for whatever exhaustive search and plans left open and h2 does not exclude, then the
state space up to symmetry. Then ask a planner: first for one run that shows as much of it as possible, then
for a run that shows any of the rest. That there is none proves all of the rest at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import chain
from typing import NamedTuple, TypeAlias

from orrery.analysis.decided import undecided
from orrery.analysis.evidence import TaskEvidence
from orrery.model import Atom, Proof, Step
from orrery.planners.exhaustive import Explorer
from orrery.planners.outcome import PlannerOutcome
from orrery.planners.relaxed import Walker
from orrery.semantics.possible import possible_atoms
from orrery.semantics.task import GroundAction, PlanningTask, union

# Numbers and lengths of walks, while something is open; the last take about a second or two.
WALKS = ((100, 200), (1000, 1000))
PART = 50  # so many at a time
TOUR = 60  # conditions that one run is asked to show
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
    inherited = _inherited(evidence, asked)
    rest = [each for each in asked if each not in inherited]
    if rest:
        evidence.retrace()
        rest = _unseen(evidence, rest)
    for (what, name, _, _), proof in chain(inherited.items(), _settled(evidence, rest)):
        members = evidence.orbit(what, name)
        if proof is None:
            evidence.undecided += [undecided(what, member) for member in members]
        else:
            (facts if what == FACT else actions).update(dict.fromkeys(members, proof))
    return facts, actions


def _inherited(evidence: TaskEvidence, asked: list[ReachCondition]) -> dict[ReachCondition, Proof | None]:
    """Return those of the conditions in whose orbit an item is out of reach of the state decided before.

    With the proof of it.
    """
    if evidence.before is None:
        return {}
    known = evidence.before.decided
    proofs: dict[tuple[str, Atom], Proof] = {}
    for what, items in ((FACT, known.unreachable_facts), (ACTION, known.never)):
        for name, proof in items.items():
            proofs.setdefault((what, evidence.symmetry.representative(name)), proof)
    named = {each: (each.what, evidence.symmetry.representative(each.name)) for each in asked}
    return {each: proofs[name] for each, name in named.items() if name in proofs}


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
    for number, length in WALKS:
        walker = Walker(evidence.explorer, length)
        for _ in range(0, number, PART):
            if left:
                evidence.walk(walker, PART)
                left = _unseen(evidence, left)
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


def _searched(evidence: TaskEvidence, left: list[ReachCondition]) -> Proof | None:
    """Return the proof that whatever no planner call reached is unreachable; None where it is open."""
    for start in range(0, len(left), TOUR):
        chunk = _unseen(evidence, left[start : start + TOUR])
        if len(chunk) > 1 and not _shown(evidence, _tour(evidence.task, chunk)).solved:
            break
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
    return [
        each
        for each in conditions
        if (
            each.name not in evidence.applied if each.what == ACTION else not each.positive & evidence.reached
        )
    ]


def _shown(evidence: TaskEvidence, task: PlanningTask) -> PlannerOutcome:
    """Call the planner on an extended task, record what its plan reaches, and return the outcome."""
    answer = evidence.ask(task)
    if answer.plan is not None:
        evidence.witness(evidence.real_steps(answer.plan.steps))
    return answer.outcome


def _tour(task: PlanningTask, conditions: list[ReachCondition]) -> PlanningTask:
    """Return the task of reaching each of the conditions at some time."""
    marks = [1 << len(task.facts) + number for number in range(len(conditions))]
    return _extended(task, conditions, marks)


def _any(task: PlanningTask, conditions: list[ReachCondition]) -> PlanningTask:
    """Return the task of reaching one of the conditions."""
    return _extended(task, conditions, [1 << len(task.facts)] * len(conditions))


def _extended(task: PlanningTask, conditions: list[ReachCondition], marks: list[int]) -> PlanningTask:
    """Return the task with an action for each condition that makes its mark true; the marks are the goal."""
    added = tuple(
        GroundAction((MARK, str(number)), each.positive, each.negative, mark, 0)
        for number, (each, mark) in enumerate(zip(conditions, marks, strict=True))
    )
    return replace(
        task,
        facts=(*task.facts, *((MARK, str(number)) for number in range(len(set(marks))))),
        actions=(*task.actions, *added),
        goal_positive=union(marks),
        goal_negative=0,
    )
