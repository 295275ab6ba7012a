"""A row as traces need it: its problem for steps and conditions, and its planning task for proofs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import heappop, heappush

from orrery.grading.problem import GradedProblem, read_problem
from orrery.grading.row import Literal
from orrery.grading.symbols import pddl_texts
from orrery.model import Row, Step
from orrery.planning.task import PlanningTask, applicable, progress
from orrery.traces.closure import RelaxedClosure, task_of

STATES = 4_000  # limit of a search for a way
WEIGHT = 3


class NoTrace(Exception):
    """A row has no trace; the message says why."""


@dataclass(frozen=True, eq=False)
class Case:
    """A problem, as its row tells it."""

    problem: GradedProblem
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
    return _case(*pddl_texts(row))


@lru_cache(maxsize=4)
def _case(domain: str, problem: str) -> Case:
    return Case(read_problem(domain, problem), domain, problem)


def answer(text: str) -> str:
    """Return the last line of a trace."""
    return f"ANSWER: {text}"


def way_to(
    task: PlanningTask, positive: int, negative: int, excluded: Collection[Step] = (), weight: int = WEIGHT
) -> list[Step] | None:
    """Return steps to a state with the facts ``positive`` and without ``negative``; None if none is found.

    The search is best-first with a small limit.

    Args:
        task: the planning task.
        positive: the facts that are to hold, as a mask.
        negative: the facts that are not to hold.
        excluded: actions that are not done.
        weight: of a literal that does not hold yet, in steps; 0 gives shortest ways.
    """
    reached: dict[int, tuple[int, Step]] = {task.init: (task.init, ())}

    def missing(state: int) -> int:
        return (positive & ~state).bit_count() + (negative & state).bit_count()

    queue = [(weight * missing(task.init), 0, 0, task.init)]
    while queue:
        _, depth, _, state = heappop(queue)
        if not missing(state):
            return _steps(reached, state)
        for action in applicable(task, state):
            if action.step in excluded:
                continue
            successor = progress(state, action)
            if successor not in reached and len(reached) < STATES:
                reached[successor] = state, action.step
                rank = depth + 1 + weight * missing(successor)
                heappush(queue, (rank, depth + 1, len(reached), successor))
    return None


def _steps(reached: dict[int, tuple[int, Step]], state: int) -> list[Step]:
    """Return the steps to a state, from the state before and the step of each."""
    steps = []
    while reached[state][1]:
        state, step = reached[state]
        steps.append(step)
    return steps[::-1]
