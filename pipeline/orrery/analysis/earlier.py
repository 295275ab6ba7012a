"""What is decided of one state of a problem, put to use for another that is reached from it.

What the first cannot reach the second cannot, nor has it a plan where the first has none. A fact that every
plan of the first makes true, every plan of the second does, unless it holds on the way. Runs from the first
serve the second as far as their actions apply, best after the way was taken back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orrery.analysis.decided import DecidedState
from orrery.model import Atom, Proof, State, Step
from orrery.semantics.progression import is_applicable, progress, run
from orrery.semantics.task import GroundAction, PlanningTask, union


@dataclass(frozen=True)
class Earlier:
    """What is decided of ``state``, the ``way`` from it, and the facts met on the way, both ends included."""

    decided: DecidedState
    state: State
    way: tuple[Step, ...]
    met: frozenset[Atom]

    def landmark(self, fact: Atom) -> Proof | None:
        """Return the proof that every plan from the end of the way makes ``fact`` true, where there is one.

        Such a plan after the way is a plan from its beginning, and makes true what those do.
        """
        return None if fact in self.met else self.decided.landmarks.get(fact)

    def back(self, task: PlanningTask) -> list[Step]:
        """Return steps from the initial state of ``task``, the end of the way, that undo it, the last first.

        A step that no single action undoes is passed over.
        """
        undoing: dict[tuple[int, int], list[GroundAction]] = defaultdict(list)
        for action in task.actions:
            undoing[action.delete, action.add].append(action)
        mask, found = task.init, list[Step]()
        for step in reversed(self.way):
            done = task.action_of.get(step)
            actions = undoing[done.add, done.delete] if done else []
            for action in actions:
                if is_applicable(mask, action):
                    mask = progress(mask, action)
                    found.append(action.step)
                    break
        return found

    def returns(self, task: PlanningTask, back: Sequence[Step]) -> bool:
        """Return whether ``back`` leads to where the way began: then nothing of it is lost."""
        masks = run(task, back)
        return masks is not None and task.state(masks[-1]) == self.state


def earlier(task: PlanningTask, decided: DecidedState, way: Sequence[Step]) -> Earlier:
    """Return what is decided of the initial state of ``task``, for the state to which ``way`` leads.

    Raises:
        ValueError: the steps cannot be carried out.
    """
    masks = run(task, way)
    if masks is None:
        raise ValueError(f"no way from the initial state of {task.problem.name}: {way}")
    return Earlier(decided, task.state(task.init), tuple(way), task.state(union(masks)))


def followed(task: PlanningTask, back: Sequence[Step], steps: Sequence[Step]) -> list[Step]:
    """Return those of ``steps`` that can be carried out one after the other, after all of ``back``."""
    return [*back, *_applied(task, (run(task, back) or [task.init])[-1], steps)]


def _applied(task: PlanningTask, mask: int, steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        action = task.action_of.get(step)
        if action is not None and is_applicable(mask, action):
            mask = progress(mask, action)
            yield step
