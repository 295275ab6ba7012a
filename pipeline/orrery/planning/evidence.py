"""Witnesses of reachability for a task too large to enumerate, collected within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from orrery.model import Atom, Step
from orrery.planning.exhaustive import StateSpace
from orrery.planning.fast_downward import SATISFICING, SHORTEST, solve
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.task import PlanningTask, applicable, run, union

# A search for a shortest plan has this many times the processor time of another call. Most end in a tenth of
# their limit. It is far above the usual time, so that results do not depend on the machine.
SHORTEST_TIME = 4
PATIENCE = 3  # maximum number of planner calls per state that reach their limit


@dataclass
class TaskEvidence:
    """Witnesses and budget of one state of a problem, the initial state of ``task``.

    ``reached`` is the mask of facts seen true, ``applied`` the actions seen applicable. ``calls`` planner
    calls of ``seconds`` each remain; ``failures`` earlier ones were undecided. ``facts_of_plans`` has
    the mask of the facts true along each plan. ``undecided`` names the undecided items.
    """

    task: PlanningTask
    space: StateSpace
    calls: int
    seconds: float
    reached: int = 0
    applied: set[Step] = field(default_factory=set)
    facts_of_plans: list[int] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    failures: int = 0

    def __post_init__(self) -> None:
        """Record the states of the incomplete search."""
        self.record(self.space.reached_facts(), self.space.applied_steps())

    def record_run(self, steps: Sequence[Step]) -> int:
        """Record the states along ``steps`` from the initial state; return the facts true in them."""
        states = run(self.task, steps) or [self.task.init]
        applied = {action.step for state in set(states) for action in applicable(self.task, state)}
        self.record(union(states), applied)
        return union(states)

    def record_plan(self, steps: Sequence[Step]) -> None:
        """Record a plan of the task and the states along it."""
        self.facts_of_plans.append(self.record_run(steps))

    def record(self, facts: int, steps: Iterable[Step]) -> None:
        """Record facts that were true and steps that were applicable."""
        self.reached |= facts
        self.applied.update(steps)

    def call_planner(
        self, task: PlanningTask, *, planner: str = SATISFICING, forbidden: Atom | None = None
    ) -> PlannerResult:
        """Call Fast Downward once; the outcome is INCOMPLETE if the budget is used up."""
        if self.calls <= 0 or self.failures >= PATIENCE:
            return PlannerResult(PlannerOutcome.INCOMPLETE, detail="no planner calls left")
        self.calls -= 1
        seconds = self.seconds * (SHORTEST_TIME if planner == SHORTEST else 1)
        answer = solve(task, planner=planner, forbidden=forbidden, seconds=seconds)
        self.failures += not answer.outcome.decided
        return answer
