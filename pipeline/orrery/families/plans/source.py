"""A state that plans are asked about: what is proven of it, its words, and all states it leads to."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from orrery.catalog import Entry
from orrery.families.plans.space import Chosen, Distances, Space, space_of
from orrery.families.questions.state_record import StateRecord
from orrery.families.questions.states import state_record
from orrery.language.names import NUMBERED
from orrery.language.renamed_domain import vocabulary_of
from orrery.language.words import Words
from orrery.model import Literal, Problem, Step, literals
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom
from orrery.planning.task import PlanningTask

PLAIN = "plain"
FEWEST, MOST = 2, 5  # facts of a goal that is drawn
GUESSED = 0.05  # so likely may a random walk meet a goal
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Source:
    """A state of a problem, under the names of a vocabulary.

    ``record`` has the state as initial state of its problem; ``row`` is that of the problem, with its split
    and configurations. ``max_states`` is the largest space that is searched. ``plain`` is the same state
    under the names of the domain, None where it is this one.
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
        """The name of the source, with which ids of rows begin."""
        record = self.record
        name = f"{record.problem_id}/{record.source}-{record.step}"
        return name if self.vocabulary == PLAIN else f"{name}/{self.vocabulary}"

    @property
    def task(self) -> PlanningTask:
        """The planning task from the state."""
        return self.record.task

    @property
    def problem(self) -> Problem:
        """The problem from the state on."""
        return self.record.problem

    @cached_property
    def space(self) -> Space | None:
        """All states within reach; None where they are too many, whatever they are called."""
        if self.plain is not None and self.plain.space is None:
            return None
        return space_of(self.task, self.max_states)

    @cached_property
    def distances(self) -> Distances | None:
        """The fewest actions from every state to the goal; None where states are too many."""
        if self.space is None:
            return None
        return self.space.distances(self.goal_states)

    @cached_property
    def goal_states(self) -> Chosen:
        """Which states of the space satisfy the goal.

        Raises:
            ValueError: states are too many.
        """
        if self.space is None:
            raise ValueError("the reachable states have not been enumerated")
        return self.space.satisfying(self.task.goal_positive, self.task.goal_negative)

    @cached_property
    def h_star(self) -> int | None:
        """The fewest actions to the goal; None where that is not known, or it is out of reach.

        States are searched only where it is not proven already.
        """
        if self.record.h_star is not None or self.distances is None:
            return self.record.h_star
        return int(self.distances[0]) if self.distances[0] >= 0 else None

    @cached_property
    def plan(self) -> tuple[Step, ...] | None:
        """A plan without steps that change nothing, a shortest one where that is known."""
        if self.record.plan is None:
            return None
        return tuple(action.step for action in self.record.effective_plan)

    def with_problem(self, problem: Problem) -> StateRecord:
        """Return the record of another problem on the same objects, one for all tasks that ask about it."""
        records = self.record.kept.setdefault(Source.with_problem, {})
        if problem not in records:
            records[problem] = replace(self.record, problem=problem, plan=None, h_star=None)
        return cast(StateRecord, records[problem])


def is_guessed(space: Space | None, state: int, goal: Chosen, length: int) -> bool:
    """Return whether a random walk meets the goal too often to ask for a plan of ``length`` steps.

    It may take twice as many steps and stops at the goal, which a reply cannot do that does not know when the
    goal holds.
    """
    return space is not None and space.walk_chance(state, goal, 2 * length) > GUESSED


def drawn_goal(source: Source, space: Space, rng: random.Random) -> frozenset[Literal] | None:
    """Return a goal that holds in a state drawn from all within reach, not in the source; None: not found.

    It has about as many facts as the problem's own goal, of the same predicates where the state has any.
    """
    kinds = {atom[0] for atom in source.problem.goal_facts}
    state = space.mask(rng.randrange(len(space)))
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
    """Return the initial state of a solved problem as a record that knows its plan and nothing else."""
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
        seed_path=problem["seed_path"],
    )


def source_of(entry: Entry, row: Row, seed: int, max_states: int) -> Source:
    """Return the source of a state, given as the row of its problem joined with that of the state.

    A row without ``state`` stands for the problem's own initial state and has the columns of its solution.
    """
    record = state_record(entry.domain, row) if "state" in row else initial_record(entry, row, row)
    record = replace(record, problem=replace(record.problem, name=neutral_name(record.problem)))
    return Source(entry, record, row, entry.words, PLAIN, seed, max_states)


def state_source(entry: Entry, row: Row, seed: int) -> Source:
    """Return the source of a decided state under the name of its problem; its states are not searched."""
    return Source(entry, state_record(entry.domain, row), row, entry.words, PLAIN, seed, max_states=0)


def neutral_name(problem: Problem) -> str:
    """Return a name of the problem that does not tell how it was arranged."""
    return f"{problem.domain}-problem"


def in_plain_names(source: Source, problem: Problem) -> Problem:
    """Return a problem in the names of the source's vocabulary as the domain has them."""
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
    record = StateRecord(
        domain=vocabulary.domain,
        problem=renamed.problem(source.problem),
        problem_id=source.record.problem_id,
        source=source.record.source,
        step=source.record.step,
        solvable=source.record.solvable,
        h_star=source.record.h_star,
        plan=None if source.record.plan is None else tuple(map(renamed.step, source.record.plan)),
        plan_optimal=source.record.plan_optimal,
        num_states=source.record.num_states,
        difficulty=source.record.difficulty,
        names=NUMBERED,
        seed_path=source.record.seed_path,
    )
    return replace(source, record=record, words=vocabulary.words, vocabulary=name, plain=source)
