"""A row as traces need it: its problem for steps and conditions, and its planning task for proofs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from orrery.grading.pddl import GradedProblem
from orrery.grading.row import needed_value, value
from orrery.grading.symbols import problem_of
from orrery.grading.traces.grounded import GroundedProblem, Literal
from orrery.grading.traces.lines import literals_of
from orrery.model import Row, Step
from orrery.planning.task import PlanningTask
from orrery.traces.closure import RelaxedClosure, task_of
from orrery.traces.search import way_to


class NoTrace(Exception):
    """A row has no trace; the message says why."""


@dataclass(frozen=True, eq=False)
class Case:
    """A problem, as its row tells it."""

    world: GroundedProblem
    domain_pddl: str
    problem_pddl: str

    @cached_property
    def task(self) -> PlanningTask:
        """The planning task."""
        return task_of(self.domain_pddl, self.problem_pddl)

    @cached_property
    def closure(self) -> RelaxedClosure:
        """What may hold in reachable states."""
        return RelaxedClosure(self.task)

    def way_to(self, literals: Iterable[Literal], without: Literal | None = None) -> list[Step]:
        """Return steps to a state with these literals, on which the fact ``without`` never holds.

        Raises:
            NoTrace: a search with a small limit finds none.
        """
        positive = negative = 0
        for atom, is_positive in literals:
            bit = self.task.bit.get(atom, 0)
            if not bit and (atom in self.task.statics or atom[0] == "=") != is_positive:
                raise NoTrace("it never holds, and the delete relaxation and h2 do not show it")
            positive, negative = (positive | bit, negative) if is_positive else (positive, negative | bit)
        avoided = self.task.bit.get(without[0], 0) if without else 0
        excluded = {action.step for action in self.task.actions if action.add & avoided}
        steps = way_to(self.task, positive, negative, excluded)
        if steps is None:
            raise NoTrace("a small search finds no way")
        return steps

    def shortest_plan(self, length: int) -> list[Step] | None:
        """Return a plan with this number of steps; None if a small breadth-first search finds none."""
        task = self.task
        steps = way_to(task, task.goal_positive, task.goal_negative, weight=0)
        return steps if steps is not None and len(steps) == length else None


def case_of(row: Row) -> Case:
    """Return the case of a row; consecutive rows on one problem share it."""
    domain, problem = (
        value(row, f"{part}_pddl") or needed_value(row, f"PDDL_{part}") for part in ("domain", "problem")
    )
    return _case(problem_of(row), domain, problem)


@lru_cache(maxsize=4)
def _case(graded: GradedProblem, domain: str, problem: str) -> Case:
    return Case(GroundedProblem(graded), domain, problem)


def literals_in(texts: Iterable[str]) -> list[Literal]:
    """Return the literals of some texts."""
    return [literal for text in texts for literal in literals_of(str(text).lower())]


def answer(text: str) -> str:
    """Return the last line of a trace."""
    return f"ANSWER: {text}"
