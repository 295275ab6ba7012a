"""Collect witnesses in a task too large to enumerate, within a budget.

A witness for one fact or action is a witness for its whole orbit under interchangeable objects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from orrery.model import Atom, Plan, Step
from orrery.planners.exhaustive import Explorer, StateSpace
from orrery.planners.fast_downward import solve
from orrery.planners.guided import GuidedSearch
from orrery.planners.outcome import Answer, PlannerOutcome
from orrery.planners.relaxed import Relaxation, Walker
from orrery.semantics.progression import run
from orrery.semantics.symmetry import Symmetry, goal_facts, symmetry
from orrery.semantics.task import PlanningTask, bits, union

PATIENCE = 3  # so many planner calls of a state may run into their limit


@dataclass
class TaskEvidence:
    """Witnesses and budget of one state of a problem.

    ``reached`` is the mask of facts seen to hold, ``applied`` the actions seen applicable. ``calls`` planner
    calls of ``seconds`` each are left, ``failures`` of those made decided nothing; ``work`` limits a guided
    search (see ``planners.guided``). ``plans`` has, for each plan, the mask of the facts that hold along it.
    """

    task: PlanningTask
    space: StateSpace
    calls: int
    seconds: float
    work: int
    reached: int = 0
    applied: set[Step] = field(default_factory=set)
    plans: list[int] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    failures: int = 0

    def __post_init__(self) -> None:
        """Record what the unfinished search has seen."""
        self.see(self.space)

    @property
    def explorer(self) -> Explorer:
        """The arrays of the task."""
        return self.space.explorer

    @cached_property
    def relaxation(self) -> Relaxation:
        """The relaxations of the task."""
        return Relaxation(self.explorer)

    @cached_property
    def symmetry(self) -> Symmetry:
        """The interchangeable objects with regard to the initial state."""
        return symmetry(self.task, self.task.facts_of(self.task.init))

    @cached_property
    def goal_symmetry(self) -> Symmetry:
        """The interchangeable objects with regard to the goal alone."""
        return symmetry(self.task, *goal_facts(self.task))

    @cached_property
    def goal_explorer(self) -> Explorer:
        """The task laid out to visit one state of each orbit of the goal's symmetry."""
        return Explorer(self.task, self.goal_symmetry)

    @cached_property
    def guided(self) -> GuidedSearch:
        """The guided search, which goes on where it was left."""
        return GuidedSearch(self.goal_explorer, self.relaxation)

    @cached_property
    def plan_symmetry(self) -> Symmetry:
        """The interchangeable objects with regard to both: renaming them maps plans to plans."""
        return symmetry(self.task, self.task.facts_of(self.task.init), *goal_facts(self.task))

    @cached_property
    def index(self) -> dict[Atom, int]:
        """Each fact's place among those of the task."""
        return {fact: index for index, fact in enumerate(self.task.facts)}

    @cached_property
    def _fact_orbits(self) -> list[int]:
        """For every fact the mask of its orbit, the initial state being fixed."""
        orbits: dict[Atom, int] = defaultdict(int)
        names = [self.symmetry.representative(fact) for fact in self.task.facts]
        for index, name in enumerate(names):
            orbits[name] |= 1 << index
        return [orbits[name] for name in names]

    @cached_property
    def _step_orbits(self) -> dict[Atom, list[Step]]:
        """The actions of each orbit, under the step that represents it."""
        found: dict[Atom, list[Step]] = defaultdict(list)
        for action in self.task.actions:
            found[self.symmetry.representative(action.step)].append(action.step)
        return found

    def orbit(self, what: str, name: Atom) -> list[Atom]:
        """Return the orbit of a fact or action: those symmetric to ``name``."""
        if what == "action":
            return self._step_orbits[self.symmetry.representative(name)]
        return sorted(self.task.facts_of(self._fact_orbits[self.index[name]]))

    def see(self, space: StateSpace) -> None:
        """Record what the states of an exhaustive search show; its symmetries must fix the initial state."""
        self._enter(space.reached_facts(), space.applied_actions())

    def walk(self, walker: Walker, number: int) -> None:
        """Record what ``number`` random walks reach."""
        self._enter(*walker.walk(number))

    def witness(self, steps: Sequence[Step]) -> int:
        """Record the states along ``steps`` from the initial state; return the facts that held in them."""
        masks = run(self.task, steps) or [self.task.init]
        self._enter(union(masks), self.relaxation.applied_in(masks))
        return union(masks)

    def _enter(self, facts: int, applied: NDArray[np.bool_]) -> None:
        """Record facts that held, actions (by flags) that were applicable, and their orbits."""
        steps = [self.task.actions[index].step for index in np.flatnonzero(applied)]
        if not self.symmetry.classes:
            self.reached |= facts
            self.applied.update(steps)
            return
        for index in bits(facts & ~self.reached):
            self.reached |= self._fact_orbits[index]
        for step in steps:
            if step not in self.applied:
                self.applied.update(self._step_orbits[self.symmetry.representative(step)])

    def ask(self, task: PlanningTask, *, forbidden: Atom | None = None) -> Answer:
        """Call the planner once; INCOMPLETE where the budget is spent."""
        if self.calls <= 0 or self.failures >= PATIENCE:
            return Answer(PlannerOutcome.INCOMPLETE, detail="no planner calls left")
        self.calls -= 1
        answer = solve(task, forbidden=forbidden, seconds=self.seconds)
        self.failures += not answer.outcome.decided
        return answer

    def keep(self, plan: Plan) -> int:
        """Record a plan of the task; return the facts that held along it."""
        met = self.witness(plan.steps)
        self.plans.append(met)
        return met

    def real_steps(self, steps: Sequence[Step]) -> list[Step]:
        """Return the steps of a plan of an extended task that belong to the original task."""
        return [step for step in steps if step in self.task.action_of]
