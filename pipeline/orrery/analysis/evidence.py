"""Collect witnesses in a task too large to enumerate, within a budget.

A witness for one fact or action is a witness for its whole orbit under interchangeable objects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from orrery.analysis.earlier import Earlier, followed
from orrery.model import Atom, Plan, Step
from orrery.planners.climbing import Climber
from orrery.planners.exhaustive import Explorer, StateSpace
from orrery.planners.fast_downward import solve
from orrery.planners.guided import GuidedSearch
from orrery.planners.outcome import Answer, PlannerOutcome
from orrery.planners.projections import holding_in_goal
from orrery.planners.relaxed import Relaxation, Walker
from orrery.semantics.progression import is_plan, run
from orrery.semantics.symmetry import Symmetry, goal_facts, symmetry
from orrery.semantics.task import PlanningTask, bits, union

RETRACED = "retraced"
PATIENCE = 3  # so many planner calls may run into their limit; those of the state before count, all but one


@dataclass
class TaskEvidence:
    """Witnesses and budget of one state of a problem.

    ``reached`` is the mask of facts seen to hold, ``applied`` the actions seen applicable. ``calls`` planner
    calls of ``seconds`` each are left, ``failures`` of those made, here or for the state before, decided
    nothing; ``work`` limits a guided search (see ``planners.guided``). ``before`` is what is decided of a
    state from which the task's is reached, ``in_goal`` what ``holds_in_goal`` found. ``runs`` are the
    witnesses found, ``kept`` those of them that are plans, ``plans`` the facts that hold along each of these.
    """

    task: PlanningTask
    space: StateSpace
    calls: int
    seconds: float
    work: int
    before: Earlier | None = None
    reached: int = 0
    applied: set[Step] = field(default_factory=set)
    runs: list[tuple[Step, ...]] = field(default_factory=list)
    kept: list[tuple[Step, ...]] = field(default_factory=list)
    plans: list[int] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    failures: int = 0
    in_goal: frozenset[Atom] | None = None

    def __post_init__(self) -> None:
        """Take over what the unfinished search has seen, and what is known of the state before."""
        if self.before is not None:
            self.failures = min(self.before.decided.failures, PATIENCE - 1)
            self.in_goal = self.before.decided.in_goal  # what can be reached from here, could be from there
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

    def holds_in_goal(self, fact: Atom) -> bool:
        """Return whether projections show that a fact holds in every goal state that can be reached."""
        if self.in_goal is None:
            self.in_goal = self.task.facts_of(holding_in_goal(self.task, self.relaxation.pairs))
        return fact in self.in_goal

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

    def climbed(self, climber: Climber) -> None:
        """Record what the states show that were met in climbing since this was done last."""
        self._enter(*climber.news())

    def witness(self, steps: Sequence[Step]) -> int:
        """Record the states along ``steps`` from the initial state; return the facts that held in them."""
        masks = run(self.task, steps) or [self.task.init]
        self._enter(union(masks), self.relaxation.applied_in(masks))
        self.runs.append(tuple(steps))
        return union(masks)

    def _enter(self, facts: int, applied: NDArray[np.bool_]) -> None:
        """Record facts that held, actions (by flags) that were applicable, and their orbits."""
        self._enter_all(facts, [self.task.actions[index].step for index in np.flatnonzero(applied)])

    def _enter_all(self, facts: int, steps: Iterable[Step]) -> None:
        """Record facts that held, actions that were applicable, and their orbits."""
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
        self.kept.append(plan.steps)
        self.plans.append(met)
        return met

    @cached_property
    def _back(self) -> list[Step]:
        """The steps that undo the way from the state decided before."""
        return self.before.back(self.task) if self.before else []

    @cached_property
    def can_return(self) -> bool:
        """Whether the way from the state decided before can be taken back, whole."""
        return self.before is not None and self.before.returns(self.task, self._back)

    def retrace(self) -> None:
        """Record what runs from the state decided before show from here, the way to here taken back first.

        Where that is undone whole, all is reached that was reached from there.
        """
        if self.before is None:
            return
        if self.can_return:
            self.witness(self._back)
            seen = [self.task.action_of[step] for step in self.before.decided.reachable_actions]
            self._enter_all(union(action.add for action in seen), [action.step for action in seen])
            return
        for steps in self.before.decided.runs:
            self.witness(followed(self.task, self._back, steps))

    def replan(self) -> None:
        """Keep the plans from here that those from the state decided before make."""
        for plan in self.retraced():
            self.keep(plan)

    def retraced(self) -> Iterator[Plan]:
        """Yield plans from here that follow those from the state decided before, after going back or not."""
        for steps in self.before.decided.plans if self.before else ():
            for back in ([], self._back) if self._back else ([],):
                found = followed(self.task, back, steps)
                if is_plan(self.task, found):
                    yield Plan(tuple(found), RETRACED)

    def real_steps(self, steps: Sequence[Step]) -> list[Step]:
        """Return the steps of a plan of an extended task that belong to the original task."""
        return [step for step in steps if step in self.task.action_of]
