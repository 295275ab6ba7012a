"""Problems drawn by the generators, and states solved within a budget of states.

No planner with a time limit is called, because the items must not depend on the load of the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeAlias

from orrery.catalog import Entry, entry_of
from orrery.config import Size
from orrery.families.drafts import Rejected
from orrery.families.questions.schemas import QUESTIONS
from orrery.families.questions.states import state_row
from orrery.model import ConfigurationPair, Domain, Problem, Row
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_problem
from orrery.planning.decide import decide_by_exhaustion
from orrery.planning.exhaustive import StateSpace, explore
from orrery.planning.grounding import ground
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.plans import FoundPlan, own_plan
from orrery.planning.states import AskedState, asked_states
from orrery.planning.task import PlanningTask
from orrery.planning.universe import most_steps
from orrery.problems.candidates import draw_candidate
from orrery.problems.problem_keys import goal_free_key
from orrery.problems.quotas import Draw, split_of
from orrery.seeds import digest, stream

Sources: TypeAlias = tuple[str, ...]

INITIAL: Sources = ("initial",)
ANY: Sources = ("initial", "plan", "walk", "walk")  # same frequencies as in the dataset
MOST_STEPS = 20_000  # larger problems are not grounded, which would take more than 0.2 seconds
NOT_FIRST = 1  # number of a draw; the first one of a task is read back, which doubles its time


@dataclass(frozen=True)
class Wanted:
    """The problems to draw in a domain: tasks, difficulty and split (empty: any).

    Problems of the tasks ``held_out`` belong to the test split. ``size`` determines the splits of the others.
    """

    root: Path
    domain: str
    tasks: tuple[ConfigurationPair, ...]
    difficulty: str
    size: Size
    held_out: frozenset[ConfigurationPair] = frozenset()
    split: str = ""

    @property
    def entry(self) -> Entry:
        """The domain. Each process looks it up again, because generators cannot be pickled."""
        return entry_of(self.root, self.domain)


def fresh_problem(wanted: Wanted, spot: Spot) -> Row:
    """Draw a problem; return it as a row of the table of generated problems.

    Raises:
        Rejected: the draw gives no problem, or one of another split.
    """
    entry = wanted.entry
    task = spot.rng("task").choice(wanted.tasks)
    candidate = draw_candidate(entry, Draw(entry.name, wanted.difficulty, task, NOT_FIRST), spot.root_seed)
    if candidate.record is None:
        raise Rejected(candidate.reason)
    is_held_out = task in wanted.held_out
    split = "test" if is_held_out else split_of(entry, wanted.size, candidate.record.loose_key)
    if wanted.split not in ("", split):
        raise Rejected("a problem of another split")
    row = candidate.row(split, spot.number)
    objects = parse_problem(row["problem_pddl"]).objects
    columns = {
        "problem_id": spot.problem_id,
        "names": entry.name_pools.source_of([typed.name for typed in objects]),
        "seen": "",
        "seed_path": "/".join(map(str, spot.path)),
    }
    return row | columns


def planned(entry: Entry, row: Row, max_states: int) -> FoundPlan:
    """Return a plan by the domain's own planner, or otherwise a shortest plan by exhaustive search."""
    problem = read_problem(row["problem_pddl"], entry.domain, row["problem_id"])
    if (own := own_plan(entry.domain, entry.planner, problem)) is not None:
        return FoundPlan(PlannerResult(PlannerOutcome.SOLVED, own))
    task, space = _explored(entry.domain, problem, max_states)
    plan = space.proven_plan()
    outcome = PlannerOutcome.SOLVED_OPTIMALLY if plan else PlannerOutcome.UNSOLVABLE_PROVEN
    return FoundPlan(PlannerResult(outcome, plan), task, len(space))


def decided_state(wanted: Wanted, row: Row, spot: Spot, max_states: int, sources: Sources) -> Row:
    """Return a state of a problem, from one of the sources, with all proven results.

    The result joins the row of the problem and the row of the state.

    Raises:
        Rejected: the state is too large, or its table does not tell the goal, and the state without a goal is
            of another split.
    """
    entry = wanted.entry
    problem = read_problem(row["problem_pddl"], entry.domain, row["problem_id"])
    state = _drawn_state(entry.domain, problem, spot, max_states, sources)
    if _splits_without_goal(wanted, spot.table):
        key = goal_free_key(entry.domain, problem, state.state)
        if not key or split_of(entry, wanted.size, key) != wanted.split:
            raise Rejected("without its goal, a state of another split")
    exploration = _explored(entry.domain, replace(problem, init=state.state), max_states)
    return {**row, **state_row(row["problem_id"], 0, state, decide_by_exhaustion(*exploration))}


def _splits_without_goal(wanted: Wanted, table: str) -> bool:
    """Return whether states of a domain are also divided among the splits by their keys without a goal."""
    tells_goal = table not in QUESTIONS or QUESTIONS[table].task.tells_goal
    return bool(wanted.split) and not tells_goal and not wanted.held_out.issuperset(wanted.entry.tasks)


def _drawn_state(
    domain: Domain, problem: Problem, spot: Spot, max_states: int, sources: Sources
) -> AskedState:
    """Return a state for a question; the initial state if the drawn source has no other."""
    initial = AskedState("initial", 0, problem.init)
    source = spot.rng("source").choice(sources)
    if source == "initial":
        return initial
    plan = None
    if source == "plan":  # the state space is needed only for a plan
        task, space = _explored(domain, problem, max_states)
        plan = space.proven_plan()
    else:
        task = _grounded(domain, problem)
    return next(asked_states(task, plan, None, 1, spot.rng("state")), initial)


def _explored(domain: Domain, problem: Problem, max_states: int) -> tuple[PlanningTask, StateSpace]:
    """Return the task of a problem and its state space, if the state space is small enough."""
    task = _grounded(domain, problem)
    space = explore(task, limit=max_states)
    if not space.complete:
        raise Rejected(f"more than {max_states} states")
    return task, space


def _grounded(domain: Domain, problem: Problem) -> PlanningTask:
    if most_steps(domain, problem) > MOST_STEPS:
        raise Rejected("too many possible actions")
    return ground(domain, problem)


def tasks_of(entry: Entry, kind: str | None) -> Sequence[ConfigurationPair]:
    """Return the generator tasks of a domain with the given name; None means all."""
    return [task for task in entry.tasks if kind in (None, task.name)]


FRESH = "fresh"
BYTES = 8


class Spot(NamedTuple):
    """The address of one try for an item: item ``number`` of a table, try ``attempt``, in a domain.

    A try may draw several problems; ``draw`` counts those after the first. All random streams are derived
    from a hash of these fields. So an item is the same in any process, regardless of earlier draws.
    """

    seed: int
    table: str
    domain: str
    number: int
    attempt: int
    draw: int = 0

    @property
    def path(self) -> tuple[object, ...]:
        """The path of its random streams."""
        first = (FRESH, self.seed, self.table, self.domain, self.number, self.attempt)
        return (*first, self.draw) if self.draw else first

    @property
    def root_seed(self) -> int:
        """A separate root seed, for functions that derive streams from a root seed."""
        return int.from_bytes(digest(*self.path)[:BYTES])

    @property
    def problem_id(self) -> str:
        """The id of its problem, which no published problem has."""
        suffix = f".{self.attempt}.{self.draw}" if self.draw else f".{self.attempt}" if self.attempt else ""
        return f"{self.domain}/{FRESH}-{self.seed}/{self.table}-{self.number:06d}{suffix}"

    def rng(self, *names: object) -> Random:
        """Return the random stream for ``names``."""
        return stream(self.seed, *self.path, *names)

    def rng_of_item(self, *names: object) -> Random:
        """Return a stream shared by all attempts, for choices independent of the successful attempt."""
        return stream(self.seed, FRESH, self.table, self.number, *names)
