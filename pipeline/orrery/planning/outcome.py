"""Named outcomes of a planner run; none of them is confused with "no plan"."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from orrery.model import OrreryError, Plan

DEFAULT_LIMIT = 200_000  # states of an exhaustive search
EXHAUSTIVE = "exhaustive"  # the planner name of its plans


class PlannerOutcome(StrEnum):
    """The named outcomes of a run. Only ``unsolvable-proven`` means that there is no plan."""

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
        """Whether the run decided if there is a plan."""
        return self.solved or self is PlannerOutcome.UNSOLVABLE_PROVEN


@dataclass(frozen=True, slots=True)
class PlannerResult:
    """The outcome of a run, the plan if one was found, and the reason in words if relevant.

    ``seconds`` is the processor time of the planner, 0 without a call. ``grounded`` is False if a
    limit ended the grounding, before the search.
    """

    outcome: PlannerOutcome
    plan: Plan | None = None
    detail: str = ""
    seconds: float = field(default=0.0, compare=False)
    grounded: bool = field(default=True, compare=False)

    @property
    def solvable(self) -> bool | None:
        """Whether there is a plan; None if undecided."""
        if self.plan is not None:
            return True
        return False if self.outcome is PlannerOutcome.UNSOLVABLE_PROVEN else None


class SpaceTooLarge(OrreryError):
    """A result needs the whole state space, but the limit on states was reached."""
