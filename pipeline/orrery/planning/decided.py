"""Proven results on one state of a problem, with a proof of each part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orrery.model import Atom, Plan, Proof, Step
from orrery.planning.possible import possible_atoms, possible_steps
from orrery.planning.task import PlanningTask

ACTION, FACT, LANDMARK, NEXT, PLAN = "action", "fact", "landmark", "next", "plan"
KINDS = (ACTION, FACT, LANDMARK, NEXT, PLAN)  # of items that may stay undecided
MOST_LISTED = 2_000  # unreachable actions; more are counted, not listed


@dataclass(frozen=True)
class DecidedState:
    """The proven results on one state, the initial state of the task.

    ``solvable`` and ``plan`` are None if undecided. ``plan.optimal`` is the proof that no
    plan has fewer steps. ``landmarks`` maps the non-trivial landmarks (facts that every plan makes
    true and that are neither true now nor part of the goal) to their proofs, and
    ``not_landmarks`` the other candidates. ``optimal_first_actions`` are the applicable actions that begin
    a shortest plan, ``not_optimal_first_actions`` the other applicable ones. ``unreachable_facts`` and
    ``reachable_actions`` are complete over the facts and ground actions of the universe (see
    ``planning.possible``), except for items in ``undecided``. So is ``unreachable_actions``, which is None
    if there are more than ``MOST_LISTED``. Of the ``num_steps`` actions of the universe,
    ``num_unreachable_actions`` are proven unreachable.
    """

    solvable: bool | None
    plan: Plan | None
    landmarks: Mapping[Atom, Proof]
    not_landmarks: Mapping[Atom, Proof]
    unreachable_facts: Mapping[Atom, Proof]
    reachable_actions: frozenset[Step]
    unreachable_actions: Mapping[Step, Proof] | None
    num_steps: int
    num_unreachable_actions: int
    optimal_first_actions: Mapping[Step, Proof] = field(default_factory=dict)
    not_optimal_first_actions: Mapping[Step, Proof] = field(default_factory=dict)
    num_states: int | None = None
    undecided: tuple[str, ...] = ()

    @property
    def optimal_cost(self) -> int | None:
        """Return the number of actions of a shortest plan, if proven."""
        return len(self.plan.steps) if self.plan and self.plan.optimal else None

    @property
    def cost_proof(self) -> Proof | None:
        """Return the proof of the optimal cost, or that there is no plan; None if neither is proven."""
        if self.solvable is False:
            return Proof.UNSOLVABILITY if self.num_states is None else Proof.EXHAUSTION
        return self.plan.optimal if self.plan else None

    def is_complete(self, kind: str) -> bool:
        """Return whether no item of ``kind``, one of ``KINDS``, is undecided."""
        return not any(item.startswith(f"{kind}:") for item in self.undecided)


def undecided(kind: str, item: Atom | Step) -> str:
    """Return the name of an undecided item; ``DecidedState.is_complete`` parses its kind."""
    return f"{kind}: {' '.join(item)}"


def candidates(task: PlanningTask) -> list[Atom]:
    """Return the landmark candidates: facts of the universe true neither initially nor in the goal."""
    trivial = task.problem.init | task.problem.goal_facts
    return [fact for fact in possible_atoms(task.domain, task.problem) if fact not in trivial]


def never_reached(task: PlanningTask, reached: int) -> dict[Atom, Proof]:
    """Return the facts of the universe outside ``reached``, the mask of reachable facts, with proofs."""
    return {
        fact: Proof.EXHAUSTION if fact in task.bit else Proof.DELETE_RELAXATION
        for fact in possible_atoms(task.domain, task.problem)
        if not task.bit.get(fact, 0) & reached
    }


def never_applied(
    task: PlanningTask, proofs: Mapping[Step, Proof]
) -> tuple[dict[Step, Proof] | None, int, int]:
    """Return the unreachable actions of the universe, their number, and the number of all its actions.

    ``proofs`` covers the ground actions of the task; the delete relaxation excludes all others. More than
    ``MOST_LISTED`` are counted but not listed (None).
    """
    steps = possible_steps(task.domain, task.problem)
    listed = {
        step: proofs.get(step, Proof.DELETE_RELAXATION)
        for step in steps
        if step in proofs or step not in task.action_of
    }
    return listed if len(listed) <= MOST_LISTED else None, len(listed), len(steps)


def split_candidates(
    task: PlanningTask, landmarks: Mapping[Atom, Proof]
) -> tuple[dict[Atom, Proof], dict[Atom, Proof]]:
    """Split the candidates into landmarks, with proofs, and the others, each avoided by some plan."""
    facts = candidates(task)
    proven = {fact: landmarks[fact] for fact in facts if fact in landmarks}
    return proven, {fact: Proof.WITNESS for fact in facts if fact not in proven}
