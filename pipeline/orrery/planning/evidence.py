"""Witnesses of reachability for a task too large to enumerate, collected within a budget.

A witness for one fact or action is a witness for its whole orbit under interchangeable objects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from orrery.model import Atom, Step
from orrery.planning.exhaustive import StateSpace
from orrery.planning.fast_downward import SATISFICING, SHORTEST, solve
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.symmetry import Symmetry, goal_facts, symmetry
from orrery.planning.task import PlanningTask, applicable, bits, run, union

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

    @cached_property
    def symmetry(self) -> Symmetry:
        """The objects that are interchangeable in the initial state."""
        return symmetry(self.task, self.task.facts_of(self.task.init))

    @cached_property
    def plan_symmetry(self) -> Symmetry:
        """The objects interchangeable in initial state and goal; renaming them maps plans to plans."""
        return symmetry(self.task, self.task.facts_of(self.task.init), *goal_facts(self.task))

    @cached_property
    def index(self) -> dict[Atom, int]:
        """The index of each fact among the facts of the task."""
        return {fact: index for index, fact in enumerate(self.task.facts)}

    @cached_property
    def _fact_orbits(self) -> list[int]:
        """The mask of the orbit of each fact under ``symmetry``."""
        orbits: dict[Atom, int] = defaultdict(int)
        representatives = [self.symmetry.representative(fact) for fact in self.task.facts]
        for index, representative in enumerate(representatives):
            orbits[representative] |= 1 << index
        return [orbits[representative] for representative in representatives]

    @cached_property
    def _step_orbits(self) -> dict[Step, list[Step]]:
        """The actions of each orbit under ``symmetry``, by representative."""
        orbits: dict[Step, list[Step]] = defaultdict(list)
        for action in self.task.actions:
            orbits[self.symmetry.representative(action.step)].append(action.step)
        return orbits

    def orbit(self, kind: str, name: Atom) -> list[Atom]:
        """Return the facts (or actions, if ``kind`` is "action") symmetric to ``name``."""
        if kind == "action":
            return self._step_orbits[self.symmetry.representative(name)]
        return sorted(self.task.facts_of(self._fact_orbits[self.index[name]]))

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
        """Record facts that were true, steps that were applicable, and their orbits."""
        if not self.symmetry.classes:
            self.reached |= facts
            self.applied.update(steps)
            return
        for index in bits(facts & ~self.reached):
            self.reached |= self._fact_orbits[index]
        for step in steps:
            if step not in self.applied:
                self.applied.update(self._step_orbits[self.symmetry.representative(step)])

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
