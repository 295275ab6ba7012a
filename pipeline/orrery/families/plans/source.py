"""A state for questions on plans: its proven values, its words, and its reachable states."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from orrery.catalog import Entry
from orrery.families.drafts import Rejected
from orrery.families.plans.space import Chosen, Distances, Space, space_of
from orrery.families.questions.state_record import StateRecord
from orrery.families.questions.states import state_record
from orrery.language.names import NUMBERED
from orrery.language.renamed_domain import vocabulary_of
from orrery.language.words import Words
from orrery.model import Literal, Problem, Row, Step, literals
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom
from orrery.planning.task import PlanningTask
from orrery.problems.horizon import BY_PLAN, Horizon, fewest_steps

PLAIN = "plain"
FEWEST, MOST = 2, 5  # number of facts in a drawn goal
GUESSED = 0.05  # maximum probability that a random walk reaches a goal


# Results on a state that name facts or actions, or count them.
NAMED_RESULTS = (
    "landmarks", "not_landmarks", "unreachable_facts", "optimal_first_actions", "not_optimal_first_actions",
    "reachable_actions", "unreachable_actions", "num_steps", "num_unreachable_actions",
)  # fmt: skip


@dataclass(frozen=True)
class Source:
    """A state of a problem, under the names of a vocabulary.

    ``record`` has the state as initial state of its problem. ``row`` is the row of the problem, with its
    split and configurations. ``max_states`` is the size limit of the searched state space. ``plain`` is the
    same state under the names of the domain; None if this source has those names.
    """

    entry: Entry
    record: StateRecord
    row: Row
    words: Words
    vocabulary: str
    seed: int
    max_states: int
    plain: Source | None = None

    @property
    def name(self) -> str:
        """The name of the source, used as prefix of the ids of rows."""
        record = self.record
        name = f"{record.problem_id}/{record.source}-{record.step}"
        return name if self.vocabulary == PLAIN else f"{name}/{self.vocabulary}"

    @property
    def task(self) -> PlanningTask:
        """The planning task with this state as initial state."""
        return self.record.task

    @property
    def problem(self) -> Problem:
        """The problem with this state as initial state."""
        return self.record.problem

    @property
    def is_long(self) -> bool:
        """Whether the problem was drawn for its long plans; its states are not searched."""
        return self.max_states == 0

    @property
    def is_searched(self) -> bool:
        """Whether a search decided the length of a shortest plan."""
        return self.record.h_star is not None or self.space is not None

    @cached_property
    def space(self) -> Space | None:
        """All reachable states; None if there are too many. It does not depend on names."""
        if self.is_long:
            return None
        if self.plain is not None and self.plain.space is None:
            return None
        return space_of(self.task, self.max_states)

    @cached_property
    def distances(self) -> Distances | None:
        """The minimum number of actions from every state to the goal; None if there are too many states."""
        if self.space is None:
            return None
        return self.space.distances(self.goal_states)

    @cached_property
    def goal_states(self) -> Chosen:
        """A mask of the states in the space that satisfy the goal.

        Raises:
            ValueError: there are too many states.
        """
        if self.space is None:
            raise ValueError("the reachable states have not been enumerated")
        return self.space.found.goal

    @cached_property
    def h_star(self) -> int | None:
        """The minimum number of actions to the goal; None if it is unknown, or the goal is unreachable.

        States are searched only if the number is not proven already. If there are too many, a lower bound
        proves it that is the length of a plan.
        """
        if self.record.h_star is not None:
            return self.record.h_star
        if self.distances is None:
            return self.horizon.h_star if self.horizon else None
        return int(self.distances[0]) if self.distances[0] >= 0 else None

    @property
    def horizon(self) -> Horizon | None:
        """Bounds on the length of a shortest plan that need no search; None if no plan is known."""
        return None if self.plan is None else self.bounds(self.problem, len(self.plan))

    def bounds(self, problem: Problem, length: int) -> Horizon:
        """Return bounds on the length of a shortest plan of a problem with a plan of ``length`` steps.

        They do not depend on names.
        """
        if self.plain is not None:
            return self.plain.bounds(in_plain_names(self, problem), length)
        record = self.record if problem == self.problem else self.with_problem(problem)
        fewest = record.kept.once(
            "fewest steps", lambda: fewest_steps(self.entry, record.problem, lambda: record.task)
        )
        return Horizon(fewest[0], length, fewest[1], BY_PLAN)

    @cached_property
    def plan(self) -> tuple[Step, ...] | None:
        """A plan without steps that change nothing; a shortest one if it is known."""
        if self.record.plan is None:
            return None
        return tuple(action.step for action in self.record.effective_plan)

    def with_problem(self, problem: Problem) -> StateRecord:
        """Return the record of another problem on the same objects, shared by all tasks on it."""
        records = self.record.kept.setdefault(Source.with_problem, {})
        if problem not in records:
            records[problem] = replace(self.record, problem=problem, plan=None, h_star=None)
        return cast(StateRecord, records[problem])


def searched(source: Source, fewest: int, too_short: str) -> tuple[Space, Distances]:
    """Return all reachable states, with their distances to the goal.

    Raises:
        Rejected: there are too many states or no plan, or a shortest plan has less than ``fewest`` steps; the
            reason is then ``too_short``.
    """
    space, distances = source.space, source.distances
    if space is None or distances is None:
        raise Rejected("too_many_states")
    if distances[0] < fewest:
        raise Rejected(too_short if distances[0] >= 0 else "no_plan_known")
    return space, distances


def is_guessed(space: Space | None, state: int, goal: Chosen, length: int) -> bool:
    """Return whether a random walk reaches the goal too often for a question on a plan of ``length`` steps.

    The walk may take twice as many steps and stops at the goal. A reply cannot do so without knowing when the
    goal holds.
    """
    chances = space.walk_chances(state, goal, 2 * length) if space is not None else ()
    return any(chance > GUESSED for chance in chances)


def drawn_goal(source: Source, space: Space, rng: random.Random) -> frozenset[Literal] | None:
    """Return a goal that holds in a random reachable state, but not in the source; None if none was found.

    It has about as many facts as the problem's own goal, of the same predicates if the state has facts of
    them.
    """
    kinds = {atom[0] for atom in source.problem.goal_facts}
    state = space.found.mask(rng.randrange(len(space)))
    facts = sorted(space.task.facts_of(state))
    goal_facts = [fact for fact in facts if fact[0] in kinds] or facts
    fewest, most = (
        min(FEWEST, len(goal_facts)),
        min(MOST, max(FEWEST, len(source.problem.goal)), len(goal_facts)),
    )
    if not goal_facts:
        return None
    chosen = rng.sample(goal_facts, rng.randint(fewest, max(fewest, most)))
    if all(space.task.bit[fact] & space.task.init for fact in chosen):
        return None
    return literals(chosen)


def initial_record(entry: Entry, problem: Row, solution: Row) -> StateRecord:
    """Return the initial state of a solved problem as a record with its plan and no other results."""
    steps = tuple(map(parse_atom, solution["plan"]))
    return StateRecord(
        domain=entry.domain,
        problem=read_problem(problem["problem_pddl"], entry.domain, problem["problem_id"]),
        problem_id=problem["problem_id"],
        solvable=solution["solvable"],
        h_star=len(steps) if solution["optimal"] else None,
        plan=steps if solution["plan_cost"] is not None else None,
        plan_optimal=solution["optimal"],
        num_states=solution["num_states"],
        difficulty=problem["difficulty"],
        names=problem["names"],
        seen=problem["seen"],
        seed_path=problem["seed_path"],
    )


def source_of(entry: Entry, row: Row, seed: int, max_states: int) -> Source:
    """Return the source of a state, given as the row of its problem joined with that of the state.

    A row without ``state`` means the initial state of the problem, with the columns of its solution.
    """
    record = state_record(entry.domain, row) if "state" in row else initial_record(entry, row, row)
    record = replace(record, problem=replace(record.problem, name=neutral_name(record.problem)))
    return Source(entry, record, row, entry.words, PLAIN, seed, max_states)


def state_source(entry: Entry, row: Row, seed: int) -> Source:
    """Return the source of a decided state under the name of its problem; its states are not searched."""
    return Source(entry, state_record(entry.domain, row), row, entry.words, PLAIN, seed, max_states=0)


def neutral_name(problem: Problem) -> str:
    """Return a name of the problem that does not reveal its configurations."""
    return f"{problem.domain}-problem"


def in_plain_names(source: Source, problem: Problem) -> Problem:
    """Return a problem in the names of the source's vocabulary renamed to the names of the domain."""
    if source.vocabulary == PLAIN:
        return problem
    plain = source.entry.domain
    vocabulary = vocabulary_of(plain, source.vocabulary, source.words.templates, source.seed)
    inverse = vocabulary.tables.inverse()
    unchanged = {typed.name: typed.name for typed in problem.objects}
    order = {name: place for place, name in enumerate(unchanged)}
    tables = inverse._replace(objects={**unchanged, **inverse.objects})
    return tables.problem(problem, problem.name, plain.name, order)


def in_vocabulary(source: Source, name: str, templates: Path) -> Source:
    """Return the source under the names of an obfuscated vocabulary."""
    vocabulary = vocabulary_of(source.entry.domain, name, templates, source.seed)
    renamed = vocabulary.of(source.problem)
    unnamed: dict[str, Any] = dict.fromkeys(NAMED_RESULTS)
    record = replace(
        source.record,
        domain=vocabulary.domain,
        problem=renamed.problem(source.problem),
        plan=None if source.record.plan is None else tuple(map(renamed.tables.step, source.record.plan)),
        names=NUMBERED,
        **unnamed,
    )
    return replace(source, record=record, words=vocabulary.words, vocabulary=name, plain=source)
