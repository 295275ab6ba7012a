"""A shortest plan of a large task, and the first actions of its shortest plans.

The incomplete exhaustive search gives both if it reached the goal early. Otherwise cheap proofs may show
unsolvability, and A* of Fast Downward finds a shortest plan. First actions are then decided in groups: A*
searches for a plan that begins with one of the undecided actions. If it is longer, or there is none, no
shortest plan begins with any of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from orrery.model import Plan, Proof, Step
from orrery.planning.decided import undecided
from orrery.planning.evidence import TaskEvidence
from orrery.planning.fast_downward import SHORTEST
from orrery.planning.outcome import PlannerOutcome
from orrery.planning.refutation import refuted
from orrery.planning.task import GroundAction, PlanningTask, applicable, is_plan, progress

MARK = "!first"  # not a PDDL name, so no domain has it

Split: TypeAlias = tuple[dict[Step, Proof], dict[Step, Proof]]


@dataclass(frozen=True, slots=True)
class ShortestPlan:
    """The solvability of a task, the best known plan, and the first actions of shortest plans.

    ``first_actions`` are proven by ``proof``; if ``complete``, they are all.
    """

    solvable: bool | None
    plan: Plan | None = None
    first_actions: frozenset[Step] = frozenset()
    complete: bool = False
    proof: Proof = Proof.EXHAUSTION


def find_shortest(evidence: TaskEvidence, known_plan: Plan | None) -> ShortestPlan:
    """Search for a shortest plan within the budget; ``known_plan`` is a valid plan, or None."""
    plan = evidence.space.proven_plan()
    if plan is not None:
        first_actions = evidence.space.first_actions()
        if first_actions is not None:
            return ShortestPlan(True, plan, first_actions, complete=True)
    elif known_plan is None and refuted(evidence.task):
        return ShortestPlan(False)
    else:
        answer = evidence.call_planner(evidence.task, planner=SHORTEST)
        if answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN:
            return ShortestPlan(False)
        plan = answer.plan
    return find_any_plan(evidence, known_plan) if plan is None else _with_first_actions(evidence, plan)


def find_any_plan(evidence: TaskEvidence, known_plan: Plan | None) -> ShortestPlan:
    """Return the known plan, or one of a satisficing planner; first actions stay undecided."""
    if known_plan is not None:
        return ShortestPlan(True, known_plan)
    answer = evidence.call_planner(evidence.task)
    return ShortestPlan(answer.solvable, answer.plan)


def split_first_actions(evidence: TaskEvidence, shortest: ShortestPlan) -> Split:
    """Split the applicable actions into first actions of shortest plans and others; record undecided ones.

    Both are empty if there is no plan.
    """
    if shortest.solvable is False:
        return {}, {}
    steps = [action.step for action in applicable(evidence.task, evidence.task.init)]
    remaining = [step for step in steps if step not in shortest.first_actions]
    if not shortest.complete:
        evidence.undecided += [undecided("next", step) for step in remaining]
    return (
        dict.fromkeys(shortest.first_actions, shortest.proof),
        dict.fromkeys(remaining if shortest.complete else (), shortest.proof),
    )


def _with_first_actions(evidence: TaskEvidence, plan: Plan) -> ShortestPlan:
    """Decide the first actions of plans as short as ``plan``, a shortest one."""
    steps_now = [action.step for action in applicable(evidence.task, evidence.task.init)]
    first_actions, complete = _movable_to_front(evidence.task, plan.steps), True
    while open_steps := [step for step in steps_now if step not in first_actions]:
        answer = evidence.call_planner(beginning_with(evidence.task, open_steps), planner=SHORTEST)
        if answer.plan is None:
            complete = answer.outcome.decided
            break
        steps = tuple(step[1:] if step[0] == MARK else step for step in answer.plan.steps)
        evidence.record_plan(steps)
        if len(steps) > len(plan.steps):
            break
        first_actions |= _movable_to_front(evidence.task, steps)
    return ShortestPlan(True, plan, frozenset(first_actions), complete, Proof.ASTAR)


def _movable_to_front(task: PlanningTask, steps: Sequence[Step]) -> set[Step]:
    """Return the steps that may be moved to the front of the plan, with the others in the same order."""
    return {
        step for place, step in enumerate(steps) if is_plan(task, (step, *steps[:place], *steps[place + 1 :]))
    }


def beginning_with(task: PlanningTask, steps: Collection[Step]) -> PlanningTask:
    """Return the task of reaching the goal by a plan that begins with one of the applicable ``steps``.

    A new fact is true in the initial state. It forbids all actions except copies of ``steps``, which delete
    it, and it must be false in the goal.
    """
    mark = 1 << len(task.facts)
    later = [action._replace(negative=action.negative | mark) for action in task.actions]
    return replace(
        task,
        facts=(*task.facts, (MARK,)),
        actions=(*[_first_step(task, step, mark) for step in steps], *later),
        init=task.init | mark,
        goal_negative=task.goal_negative | mark,
    )


def _first_step(task: PlanningTask, step: Step, mark: int) -> GroundAction:
    """Return the effect of ``step`` on the initial state, as an action that deletes the mark."""
    successor = progress(task.init, task.action_of[step])
    return GroundAction((MARK, *step), mark, 0, successor & ~task.init, task.init & ~successor | mark)
