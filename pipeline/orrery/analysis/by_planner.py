"""What can be proven of a task too large to enumerate; the rest is named as undecided.

Evidence comes cheapest first: what an unfinished sweep, random walks and plans have seen can happen; what
the delete relaxation and h2 exclude cannot; symmetries carry either over to interchangeable objects. What
is left is searched for, up to symmetry or by planner calls, within a budget.
"""

from __future__ import annotations

from orrery.analysis.decided import DecidedState, never_applied
from orrery.analysis.evidence import TaskEvidence
from orrery.analysis.landmarks import decide_landmarks
from orrery.analysis.reachability import unreachable
from orrery.analysis.shortest import Shortest, shortest, split
from orrery.model import Plan
from orrery.planners.exhaustive import StateSpace


def decide_by_planner(
    space: StateSpace, plan: Plan | None, *, calls: int, seconds: float, work: int
) -> DecidedState:
    """What can be proven from an unfinished ``space`` within a budget.

    At most ``calls`` planner calls of ``seconds`` each, and guided searches of ``work``; ``plan`` is a valid
    plan where one is known already.
    """
    evidence = TaskEvidence(space.task, space, calls, seconds, work)
    found = shortest(evidence, plan)
    _keep(evidence, found)
    landmarks, others = decide_landmarks(evidence, found.solvable, found.plan)
    closer, not_closer = split(evidence, found)
    facts, never = unreachable(evidence)
    listed, number, every = never_applied(space.task, never)
    return DecidedState(
        solvable=found.solvable,
        plan=found.plan,
        landmarks=landmarks,
        not_landmarks=others,
        unreachable_facts=facts,
        reachable_actions=frozenset(evidence.applied),
        unreachable_actions=listed,
        num_steps=every,
        num_unreachable_actions=number,
        closer=closer,
        not_closer=not_closer,
        undecided=tuple(evidence.undecided),
    )


def _keep(evidence: TaskEvidence, found: Shortest) -> None:
    """Record what the plan shows, and name what is not known of it."""
    if found.solvable is None:
        evidence.undecided.append("plan: solvability")
    if found.plan is not None:
        evidence.keep(found.plan)
        if found.plan.optimal is None:
            evidence.undecided.append("plan: optimal cost")
