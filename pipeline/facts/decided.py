"""What is known about one state of a problem, and how each part is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.model import Atom, Plan, Proof, Step
from pipeline.semantics.task import Task
from pipeline.semantics.universe import fluent_atoms, ground_steps


@dataclass(frozen=True)
class Decided:
    """The proven facts about one state; the state asked about is the task's initial one.

    ``solvable`` and ``plan`` are None where no planner decided; ``plan.optimal`` is the proof that no
    plan has fewer steps. ``landmarks`` maps the non-trivial landmarks (facts that every plan makes
    true and that are neither true now nor part of the goal) to their proofs, and
    ``not_landmarks`` the other candidates. ``unreachable_facts`` and ``unreachable_actions`` are
    complete over the well-typed ground atoms and actions, but for what ``undecided`` names.
    """

    solvable: bool | None
    plan: Plan | None
    landmarks: Mapping[Atom, Proof]
    not_landmarks: Mapping[Atom, Proof]
    unreachable_facts: Mapping[Atom, Proof]
    unreachable_actions: Mapping[Step, Proof]
    num_states: int | None = None
    undecided: tuple[str, ...] = ()

    @property
    def optimal_cost(self) -> int | None:
        """The number of actions of a shortest plan, where that is proven."""
        return len(self.plan.steps) if self.plan and self.plan.optimal else None

    def is_complete(self, what: str) -> bool:
        """Whether nothing of the kind ``what`` (fact, action, landmark, plan) is undecided."""
        return not any(item.startswith(f"{what}:") for item in self.undecided)


def candidates(task: Task) -> list[Atom]:
    """What a landmark question may ask about: well-typed fluent facts true neither now nor in the goal."""
    goal = task.problem.goal_facts
    return [fact for fact in fluent_atoms(task.domain, task.problem) if fact not in task.problem.init | goal]


def never_reached(task: Task, reached: int) -> dict[Atom, Proof]:
    """Well-typed facts outside ``reached``, a mask that is complete; the relaxation proves what it can."""
    return {
        fact: Proof.EXHAUSTION if fact in task.bit else Proof.DELETE_RELAXATION
        for fact in fluent_atoms(task.domain, task.problem)
        if not task.bit.get(fact, 0) & reached
    }


def never_applied(task: Task, applied: frozenset[Step]) -> dict[Step, Proof]:
    """Well-typed ground actions outside ``applied``, a set that is complete."""
    return {
        step: Proof.EXHAUSTION if step in task.action_of else Proof.DELETE_RELAXATION
        for step in ground_steps(task.domain, task.problem)
        if step not in applied
    }


def split_candidates(
    task: Task, landmarks: Mapping[Atom, Proof]
) -> tuple[dict[Atom, Proof], dict[Atom, Proof]]:
    """The candidates that are landmarks, with their proofs, and the others, each avoided by some plan."""
    asked = candidates(task)
    found = {fact: landmarks[fact] for fact in asked if fact in landmarks}
    return found, {fact: Proof.WITNESS for fact in asked if fact not in found}
