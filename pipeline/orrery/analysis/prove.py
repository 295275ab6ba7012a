"""What the answer to one question needs to know of a task, proven with no more search than that takes.

An exhaustive search of few states settles most tasks. Otherwise the evidence is collected for what is asked
alone: who asks for unreachable facts does not wait for landmarks. What that leaves open is tried again after
a search of all the states allowed. All limits count work, besides that of one planner call.
"""

from __future__ import annotations

from dataclasses import dataclass

from orrery.analysis.decide import WORK, decide_by_exhaustion
from orrery.analysis.decided import DecidedState, never_applied
from orrery.analysis.evidence import TaskEvidence
from orrery.analysis.landmarks import decide_landmarks
from orrery.analysis.reachability import ACTION, FACT, unreachable
from orrery.analysis.shortest import Shortest, shortest, split
from orrery.planners.exhaustive import StateSpace, explore
from orrery.planners.outcome import PlannerOutcome
from orrery.semantics.task import PlanningTask

LANDMARK, NEXT = "landmark", "next"
FEW_STATES = 20_000  # some 50 ms
MOST_TRIED = 500_000_000  # states times ground actions, some three seconds


@dataclass(frozen=True, slots=True)
class Effort:
    """The budget of one question: states explored, planner calls and seconds for each, guided search.

    Fewer states are explored where a task has so many actions that it would take more than ``MOST_TRIED``.
    """

    states: int = 500_000
    calls: int = 20
    seconds: float = 10.0
    work: int = WORK


def prove(task: PlanningTask, what: str, effort: Effort) -> DecidedState:
    """Return what is proven of ``what`` ("fact", "action", "landmark" or "next"), and what is left undecided.

    Of other kinds nothing need be known, nor need it be named as undecided.
    """
    found = None
    most = max(1, min(effort.states, MOST_TRIED // max(1, len(task.actions))))
    for limit in sorted({min(FEW_STATES, most), most}):
        space = explore(task, limit=limit)
        if space.complete:
            return decide_by_exhaustion(task, space)
        found = _collected(space, what, effort)
        if not found.undecided:
            break
    assert found is not None  # there is a limit
    return found


def _collected(space: StateSpace, what: str, effort: Effort) -> DecidedState:
    evidence = TaskEvidence(space.task, space, effort.calls, effort.seconds, effort.work)
    if what in (FACT, ACTION):
        return _reachability(evidence, what)
    best = shortest(evidence, None) if what == NEXT else _any_plan(evidence)
    if best.solvable is None:
        evidence.undecided.append("plan: solvability")
    if best.plan is not None:
        evidence.keep(best.plan)
    landmarks, others = decide_landmarks(evidence, best.solvable, best.plan) if what == LANDMARK else ({}, {})
    first, not_first = split(evidence, best) if what == NEXT else ({}, {})
    if what == NEXT and best.plan is not None and best.plan.optimal is None:
        evidence.undecided.append("plan: optimal cost")
    return DecidedState(
        solvable=best.solvable,
        plan=best.plan,
        landmarks=landmarks,
        not_landmarks=others,
        unreachable_facts={},
        reachable_actions=frozenset(evidence.applied),
        unreachable_actions={},
        num_steps=0,
        num_unreachable_actions=0,
        optimal_first_actions=first,
        not_optimal_first_actions=not_first,
        undecided=tuple(evidence.undecided),
    )


def _reachability(evidence: TaskEvidence, what: str) -> DecidedState:
    facts, never = unreachable(evidence, (FACT,) if what == FACT else (FACT, ACTION))
    listed, number, every = never_applied(evidence.task, never) if what == ACTION else ({}, 0, 0)
    return DecidedState(
        solvable=None,
        plan=None,
        landmarks={},
        not_landmarks={},
        unreachable_facts=facts,
        reachable_actions=frozenset(evidence.applied),
        unreachable_actions=listed,
        num_steps=every,
        num_unreachable_actions=number,
        undecided=tuple(evidence.undecided),
    )


def _any_plan(evidence: TaskEvidence) -> Shortest:
    """Return whether there is a plan, with one: landmarks do not ask for a shortest."""
    if (plan := evidence.space.proven_plan()) is not None:
        return Shortest(True, plan)
    answer = evidence.ask(evidence.task)
    if answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN:
        return Shortest(False)
    return Shortest(True, answer.plan) if answer.plan else shortest(evidence, None)
