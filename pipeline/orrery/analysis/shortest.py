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
from orrery.planners.outcome import PlannerOutcome
from orrery.planners.refutation import refuted
from orrery.semantics.progression import applicable
from orrery.semantics.task import GroundAction

QUICK = 20  # the first guided search has this part of the budget
ORBIT_SUCCESSORS = 2_000_000  # of a search up to symmetry; it takes a microsecond and more for each

Split: TypeAlias = tuple[dict[Step, Proof], dict[Step, Proof]]


@dataclass(frozen=True, slots=True)
class Shortest:
    """The solvability of a task, the best plan known, and the optimal first actions known.

    ``whole``: all optimal first actions are in ``first``.
    """

    solvable: bool | None
    plan: Plan | None = None
    first: frozenset[Step] = frozenset()
    whole: bool = False

    @property
    def settled(self) -> bool:
        """Whether nothing is left to find out."""
        return self.whole or self.solvable is False

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """The order of results: the higher, the more is known."""
        return self.settled, bool(self.plan and self.plan.optimal), len(self.first)


def shortest(evidence: TaskEvidence, known: Plan | None) -> Shortest:
    """Search for a shortest plan within the budget; ``known`` is a valid plan, if one is known already."""
    best = Shortest(None)
    attempts = [_by_exhaustion, _quickly, _by_orbits, _at_length]
    if known is None:
        attempts.insert(1, _by_refutation)
    for attempt in attempts:
        best = max(best, attempt(evidence), key=lambda found: found.rank)
        if best.settled:
            return best
    return best if best.plan else _any(evidence, known)


def split(evidence: TaskEvidence, found: Shortest) -> Split:
    """Split the applicable actions into optimal first actions and others; record those left open.

    Both are empty where there is no plan.
    """
    if found.solvable is False:
        return {}, {}
    proof = (found.plan and found.plan.optimal) or Proof.WITNESS
    names = [action.step for action in applicable(evidence.task, evidence.task.init)]
    rest = [step for step in names if step not in found.first]
    if not found.whole:
        evidence.undecided += [undecided("next", step) for step in rest]
    return dict.fromkeys(found.first, proof), dict.fromkeys(rest if found.whole else (), proof)


def _by_exhaustion(evidence: TaskEvidence) -> Shortest:
    """Use the exhaustive search: the first goal state of breadth-first search is a nearest one."""
    plan = evidence.space.proven_plan()
    if plan is None:
        return Shortest(None)
    found = _by_distances(evidence, evidence.space)
    return found if found.whole else Shortest(True, plan)


def _by_refutation(evidence: TaskEvidence) -> Shortest:
    return Shortest(False if refuted(evidence.task) else None)


def _by_orbits(evidence: TaskEvidence) -> Shortest:
    """Search exhaustively, visiting one state of each orbit; fewer where many actions are applicable."""
    if not evidence.goal_symmetry.classes:
        return Shortest(None)
    width = len(applicable(evidence.task, evidence.task.init)) or 1
    limit = min(evidence.space.limit, max(1, ORBIT_SUCCESSORS // width))
    space = evidence.goal_explorer.explore(limit=limit, linked=True)
    if space.complete and not space.goal.any():
        return Shortest(False)
    return _by_distances(evidence, space)


def _by_distances(evidence: TaskEvidence, space: StateSpace) -> Shortest:
    """Read plan and first actions off the distances of a space that reaches a nearest goal state."""
    distances = space.nearest_distances()
    if distances is None:
        return Shortest(None)
    start = space.explorer.classes.form(evidence.task.init)
    first = frozenset(start.real(action.step) for action, _ in _nearer(space, distances, start))
    return Shortest(
        True, Plan(tuple(_followed(space, distances, start)), PLANNER, Proof.EXHAUSTION), first, True
    )


def _followed(space: StateSpace, distances: Indices, form: Form) -> Iterator[Step]:
    """Yield the steps of a shortest plan, followed from normal form to normal form."""
    for _ in range(int(distances[0])):
        action, after = next(_nearer(space, distances, form))
        yield form.real(action.step)
        form = after


def _nearer(space: StateSpace, distances: Indices, form: Form) -> Iterator[tuple[GroundAction, Form]]:
    """Yield the actions from a state to states one nearer to the goal, with those states."""
    left = distances[space.index_of(form.mask)]
    for action in applicable(space.task, form.mask):
        after = space.explorer.classes.after(form, action)
        index = space.index_of(after.mask)
        if index >= 0 and 0 <= distances[index] == left - 1:
            yield action, after


def _quickly(evidence: TaskEvidence) -> Shortest:
    return _guided(evidence, evidence.work // QUICK)


def _at_length(evidence: TaskEvidence) -> Shortest:
    return _guided(evidence, evidence.work)


def _guided(evidence: TaskEvidence, work: int) -> Shortest:
    found = evidence.guided.nearest(work)
    if not found.decided:
        return Shortest(None)
    return Shortest(found.plan is not None, found.plan, found.first, found.whole)


def _any(evidence: TaskEvidence, known: Plan | None) -> Shortest:
    """Return the plan known already, or a planner's."""
    if known is not None:
        return Shortest(True, known)
    answer = evidence.ask(evidence.task)
    if answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN:
        return Shortest(False)
    return Shortest(True if answer.plan else None, answer.plan)
