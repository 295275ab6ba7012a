"""Named outcomes of a planner run; none of them is confused with "no plan"."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from orrery.model import OrreryError, Plan

DEFAULT_LIMIT = 200_000  # states of an exhaustive search
EXHAUSTIVE = "exhaustive"  # the planner of its plans


class PlannerOutcome(StrEnum):
    """The named outcomes of a run. Only ``unsolvable-proven`` says that there is no plan."""

    SOLVED = "solved"
    SOLVED_OPTIMALLY = "solved-optimally"
    UNSOLVABLE_PROVEN = "unsolvable-proven"
    INCOMPLETE = "incomplete"
    OUT_OF_TIME = "out-of-time"
    OUT_OF_MEMORY = "out-of-memory"
    ERROR = "error"

    @property
    def solved(self) -> bool:
        """Whether a plan was found."""
        return self in (PlannerOutcome.SOLVED, PlannerOutcome.SOLVED_OPTIMALLY)

    @property
    def decided(self) -> bool:
        """Whether the run settled if there is a plan; the other outcomes settle nothing."""
        return self.solved or self is PlannerOutcome.UNSOLVABLE_PROVEN


@dataclass(frozen=True, slots=True)
class PlannerResult:
    """The outcome of a run, the plan where one was found, and the reason in words where it matters.

    ``seconds`` is the processor time of the planner, 0 where none was called. ``grounded`` is False where a
    limit ended the grounding, before anything was searched.
    """

    outcome: PlannerOutcome
    plan: Plan | None = None
    detail: str = ""
    seconds: float = field(default=0.0, compare=False)
    grounded: bool = field(default=True, compare=False)

    @property
    def solvable(self) -> bool | None:
        """Whether there is a plan; None where the run settled nothing."""
        if self.plan is not None:
            return True
        return False if self.outcome is PlannerOutcome.UNSOLVABLE_PROVEN else None


class SpaceTooLarge(OrreryError):
    """A question needs the whole state space, and the limit on states ended its enumeration."""
