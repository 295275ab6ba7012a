"""Find a shortest plan of a large task and its optimal first actions, by the first search that succeeds.

Use, in this order: the unfinished exhaustive search, if it met the goal; cheap proofs that there is no plan,
unless one is known; a guided search on a small budget; an exhaustive search up to symmetry; the guided
search, continued on the whole budget. Failing that, find any plan and leave the first actions open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from orrery.analysis.decided import undecided
from orrery.analysis.evidence import TaskEvidence
from orrery.model import Plan, Proof, Step
from orrery.planners.exhaustive import StateSpace
from orrery.planners.exhaustive_kernel import Indices
from orrery.planners.exhaustive_python import PLANNER
from orrery.planners.orbits import Form
from orrery.planners.refutation import refuted
from orrery.semantics.progression import applicable
from orrery.semantics.task import GroundAction

QUICK = 20  # the first guided search has this part of the budget
ORBIT_SUCCESSORS = 2_000_000  # of a search up to symmetry; it takes a microsecond and more for each

Split: TypeAlias = tuple[dict[Step, Proof], dict[Step, Proof]]


@dataclass(frozen=True, slots=True)
class ShortestPlan:
    """The solvability of a task, the best plan known, and the first actions of shortest plans.

    ``complete``: no other applicable action begins a shortest plan.
    """

    solvable: bool | None
    plan: Plan | None = None
    first_actions: frozenset[Step] = frozenset()
    complete: bool = False

    @property
    def decided(self) -> bool:
        """Whether nothing is open: all first actions are known, or that there is no plan."""
        return self.complete or self.solvable is False

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """The order of results: the higher, the more is known."""
        return self.decided, bool(self.plan and self.plan.optimal), len(self.first_actions)


def find_shortest(evidence: TaskEvidence, known_plan: Plan | None) -> ShortestPlan:
    """Search for a shortest plan within the budget; ``known_plan`` is a valid plan, or None."""
    best = ShortestPlan(None)
    searches = [_by_exhaustion, _by_quick_guided_search, _by_orbits, _by_guided_search]
    if known_plan is None:
        searches.insert(1, _by_refutation)
    for search in searches:
        best = max(best, search(evidence), key=lambda shortest: shortest.rank)
        if best.decided:
            return best
    return best if best.plan else find_any_plan(evidence, known_plan)


def find_any_plan(evidence: TaskEvidence, known_plan: Plan | None) -> ShortestPlan:
    """Return the plan that is known already, or one of a satisficing planner; first actions stay open."""
    if known_plan is not None:
        return ShortestPlan(True, known_plan)
    answer = evidence.call_planner(evidence.task)
    return ShortestPlan(answer.solvable, answer.plan)


def first_actions_in(space: StateSpace) -> frozenset[Step] | None:
    """Return the actions that begin a shortest plan; None if the states of the space do not show them all."""
    distances = space.nearest_distances()
    if distances is None:
        return None
    start = space.explorer.classes.form(space.task.init)
    return frozenset(start.real(action.step) for action, _ in _nearer(space, distances, start))


def split_first_actions(evidence: TaskEvidence, shortest: ShortestPlan) -> Split:
    """Split the applicable actions into first actions of shortest plans and the others; record open ones.

    Both are empty if there is no plan.
    """
    if shortest.solvable is False:
        return {}, {}
    proof = (shortest.plan and shortest.plan.optimal) or Proof.WITNESS
    steps = [action.step for action in applicable(evidence.task, evidence.task.init)]
    remaining = [step for step in steps if step not in shortest.first_actions]
    if not shortest.complete:
        evidence.undecided += [undecided("next", step) for step in remaining]
    not_first = dict.fromkeys(remaining if shortest.complete else (), proof)
    return dict.fromkeys(shortest.first_actions, proof), not_first


def _by_exhaustion(evidence: TaskEvidence) -> ShortestPlan:
    """Use the exhaustive search: the first goal state of breadth-first search is a nearest one."""
    plan = evidence.space.proven_plan()
    if plan is None:
        return ShortestPlan(None)
    shortest = _by_distances(evidence.space)
    return shortest if shortest.complete else ShortestPlan(True, plan)


def _by_refutation(evidence: TaskEvidence) -> ShortestPlan:
    return ShortestPlan(False if refuted(evidence.task) else None)


def _by_orbits(evidence: TaskEvidence) -> ShortestPlan:
    """Search exhaustively, visiting one state of each orbit; fewer if many actions are applicable."""
    if not evidence.goal_symmetry.classes:
        return ShortestPlan(None)
    width = len(applicable(evidence.task, evidence.task.init)) or 1
    limit = min(evidence.space.limit, max(1, ORBIT_SUCCESSORS // width))
    space = evidence.goal_explorer.explore(limit=limit, linked=True)
    if space.complete and not space.goal.any():
        return ShortestPlan(False)
    return _by_distances(space)


def _by_distances(space: StateSpace) -> ShortestPlan:
    """Read plan and first actions off the distances of a space that reaches a nearest goal state."""
    distances, first_actions = space.nearest_distances(), first_actions_in(space)
    if distances is None or first_actions is None:
        return ShortestPlan(None)
    plan = Plan(tuple(_follow(space, distances)), PLANNER, Proof.EXHAUSTION)
    return ShortestPlan(True, plan, first_actions, complete=True)


def _follow(space: StateSpace, distances: Indices) -> Iterator[Step]:
    """Yield the steps of a shortest plan, followed from normal form to normal form."""
    form = space.explorer.classes.form(space.task.init)
    for _ in range(int(distances[0])):
        action, successor = next(_nearer(space, distances, form))
        yield form.real(action.step)
        form = successor


def _nearer(space: StateSpace, distances: Indices, form: Form) -> Iterator[tuple[GroundAction, Form]]:
    """Yield the actions from a state to states one nearer to the goal, with those states."""
    distance = distances[space.index_of(form.mask)]
    for action in applicable(space.task, form.mask):
        successor = space.explorer.classes.after(form, action)
        index = space.index_of(successor.mask)
        if index >= 0 and 0 <= distances[index] == distance - 1:
            yield action, successor


def _by_quick_guided_search(evidence: TaskEvidence) -> ShortestPlan:
    return _guided(evidence, evidence.work // QUICK)


def _by_guided_search(evidence: TaskEvidence) -> ShortestPlan:
    return _guided(evidence, evidence.work)


def _guided(evidence: TaskEvidence, work: int) -> ShortestPlan:
    result = evidence.guided.nearest(work)
    if not result.decided:
        return ShortestPlan(None)
    return ShortestPlan(result.plan is not None, result.plan, result.first, result.whole)
