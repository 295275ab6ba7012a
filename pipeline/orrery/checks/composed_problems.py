"""Check the problems of a composed domain: proven costs, problems without a plan, and that all is needed.

Problems with the same objects and initial state share one breadth-first search. Fast Downward decides what is
beyond its limit.
"""

from __future__ import annotations

import random
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import groupby
from operator import or_

from orrery.checks.breadth_first_search import MOST_STATES, SearchedStates, StateGraph, explore, search_states
from orrery.checks.relaxation import faults_of, relaxation, relaxed_facts
from orrery.checks.verdicts import undecided
from orrery.model import Action, Atom, Domain, Literal, Problem, Row
from orrery.pddl.read import read_problem
from orrery.planning.fast_downward import OPTIMAL, solve
from orrery.planning.grounding import ground
from orrery.planning.task import GroundAction, PlanningTask
from orrery.seeds import stream

FEWEST_PROBLEMS = 5
LONG, FEWEST_LONG = 8, 3  # steps of a shortest plan, and the least number of such plans
LONGEST = 15  # steps that one shortest plan has at least
MOST_TESTS = 100_000_000  # so that the number of states alone limits a search
WALKS, WALK_FACTOR = 100, 2
# The rows promise at most 5 of 100 walks, counted once. A goal that a walk meets with probability 0.15 passes
# that count once in 600 times, and is met by more than 25 of 100 other walks once in 300 times.
MOST_WALKS_AT_GOAL = 25


@dataclass(frozen=True, eq=False)
class ComposedInstance:
    """Problems of one domain with the same objects and initial state."""

    domain: Domain
    problems: Sequence[Problem]
    most: int = MOST_STATES

    @cached_property
    def task(self) -> PlanningTask:
        """The ground task, whose goal is that of no problem in particular: all goal facts are facts of it."""
        goals = frozenset[Literal]().union(*(problem.goal for problem in self.problems))
        return ground(self.domain, replace(self.problems[0], goal=goals))

    def without(self, action: str) -> SearchedStates:
        """Return the states that are reached without an action."""
        actions = _without(self.task, action)
        return search_states(self.task.init, actions, self.most, MOST_TESTS)

    def goal(self, problem: Problem) -> int:
        """Return the mask of a goal's facts; facts that hold always are left out."""
        bit = self.task.bit
        facts = [literal.atom for literal in problem.goal]
        return reduce(or_, (bit[fact] for fact in facts if fact in bit), 0)

    def searched(self, problem: Problem) -> StateGraph:
        """Return the states that are reached, with the goal of a problem."""
        task = replace(self.task, goal_positive=self.goal(problem), goal_negative=0)
        return explore(task, self.most, MOST_TESTS)

    def walks_at_goal(self, problem: Problem, steps: int, rng: random.Random) -> int:
        """Return how many of ``WALKS`` random walks of ``steps`` steps meet the goal."""
        goal = self.goal(problem)
        return sum(goal == goal & state for state in (self._walk(goal, steps, rng) for _ in range(WALKS)))

    def _walk(self, goal: int, steps: int, rng: random.Random) -> int:
        """Return the last state of a walk that ends early at a goal state."""
        state = self.task.init
        for _ in range(steps):
            if state & goal == goal:
                break
            if not (applicable := [action for action in self.task.actions if action.positive & ~state == 0]):
                break
            action = rng.choice(applicable)
            state = state & ~action.delete | action.add
        return state


def composed_problem_faults(
    domain: Domain, row: Row, seed: int, seconds: float, most: int = MOST_STATES
) -> Iterator[str]:
    """Yield the faults of the problems of a row, whose plans are valid."""
    columns = {problem["name"]: problem for problem in row["problems"]}
    problems = {name: read_problem(problem["pddl"], domain, name) for name, problem in columns.items()}
    yield from _number_faults(row["problems"], problems)
    instances = instances_of(domain, list(problems.values()), most)
    for instance in instances:
        yield from faults_of(instance.task, relaxation(domain, instance.task.problem))
        for problem in instance.problems:
            yield from _cost_faults(instance, problem, columns[problem.name], seconds)
            rng = stream(seed, "composed walks", row["domain"], problem.name)
            yield from _walk_faults(instance, problem, columns[problem.name], rng)
    solvable = {name for name, problem in columns.items() if problem["solvable"]}
    yield from _unneeded_actions(domain, instances, solvable)
    yield from _idle_predicates(domain, list(problems.values()))


def instances_of(
    domain: Domain, problems: Sequence[Problem], most: int = MOST_STATES
) -> list[ComposedInstance]:
    """Return the problems grouped by objects and initial state."""

    def start(problem: Problem) -> tuple[tuple[str, ...], list[Atom]]:
        return tuple(f"{name} {types}" for name, types in problem.objects), sorted(problem.init)

    groups = groupby(sorted(problems, key=start), key=start)
    return [ComposedInstance(domain, list(group), most) for _, group in groups]


def _number_faults(rows: Sequence[Row], problems: Mapping[str, Problem]) -> Iterator[str]:
    """Yield where there are too few problems, of a length, without a plan, or different ones."""
    starts = {(problem.objects, problem.init, problem.goal) for problem in problems.values()}
    if len(rows) < FEWEST_PROBLEMS or len(starts) < len(rows):
        yield f"has {len(rows)} problems, {len(starts)} different ones; {FEWEST_PROBLEMS} are needed"
    if all(problem["solvable"] for problem in rows):
        yield "has no problem without a plan"
    lengths = [len(problem["plan"]) for problem in rows]
    if sum(length >= LONG for length in lengths) < FEWEST_LONG or max(lengths, default=0) < LONGEST:
        yield f"has plans of {sorted(lengths)} steps: too few long ones"
    for name, problem in problems.items():
        if not problem.goal or problem.satisfied(problem.init):
            yield f"{name}: the goal holds initially"


def _cost_faults(instance: ComposedInstance, problem: Problem, columns: Row, seconds: float) -> Iterator[str]:
    """Yield where a shortest plan has another length than stated."""
    graph = instance.searched(problem)
    cost = graph.cost
    if cost is None and not graph.complete:
        answer = solve(ground(instance.domain, problem), planner=OPTIMAL, seconds=seconds)
        if not answer.outcome.decided:
            yield undecided(f"how long the shortest plan of {problem.name} is: {answer.outcome}")
            return
        cost = len(answer.plan.steps) if answer.plan else None
    if (cost is not None) is not columns["solvable"]:
        yield f"{problem.name}: solvable is {columns['solvable']}, its shortest plan has {cost} steps"
    elif columns["optimal_cost"] != cost:
        yield f"{problem.name}: optimal_cost is {columns['optimal_cost']}, should be {cost}"


def _walk_faults(
    instance: ComposedInstance, problem: Problem, columns: Row, rng: random.Random
) -> Iterator[str]:
    if not columns["solvable"]:
        return
    number = instance.walks_at_goal(problem, WALK_FACTOR * len(columns["plan"]), rng)
    if number > MOST_WALKS_AT_GOAL:
        yield f"{problem.name}: {number} of {WALKS} random walks meet the goal"


def _unneeded_actions(
    domain: Domain, instances: Sequence[ComposedInstance], solvable: Container[str]
) -> Iterator[str]:
    """Yield the actions without which every problem that has a plan still has one."""
    problems_with_plan = [
        (instance, [problem for problem in instance.problems if problem.name in solvable])
        for instance in instances
    ]
    for action in domain.actions:
        if any(
            _relaxation_needs(instance, problems, action.name) for instance, problems in problems_with_plan
        ):
            continue
        needs = set[bool | None]()
        for instance, problems in problems_with_plan:
            if True not in needs:
                needs.add(_search_needs(instance, problems, action))
        if None in needs and True not in needs:
            yield undecided(f"whether a problem needs the action {action.name}")
        elif True not in needs:
            yield f"no problem needs the action {action.name}"


def _relaxation_needs(instance: ComposedInstance, problems: Sequence[Problem], name: str) -> bool:
    """Return whether some goal is out of reach without an action even if nothing ever becomes false."""
    reached = relaxed_facts(instance.task.init, _without(instance.task, name))
    return any(instance.goal(problem) & ~reached for problem in problems)


def _search_needs(instance: ComposedInstance, problems: Sequence[Problem], action: Action) -> bool | None:
    """Return whether some goal is out of reach without an action; None: not decided within the limit."""
    if not problems:
        return False
    search = instance.without(action.name)
    goals = [instance.goal(problem) for problem in problems]
    met = [any(state & goal == goal for state in search.states) for goal in goals]
    if all(met):
        return False
    return True if search.complete else None


def _without(task: PlanningTask, action: str) -> list[GroundAction]:
    return [ground_action for ground_action in task.actions if ground_action.step[0] != action]


def _idle_predicates(domain: Domain, problems: Iterable[Problem]) -> Iterator[str]:
    """Yield the predicates that are in no condition and no goal."""
    conditions = {literal.atom[0] for action in domain.actions for literal in action.preconditions}
    goals = {literal.atom[0] for problem in problems for literal in problem.goal}
    for predicate in sorted({predicate.name for predicate in domain.predicates} - conditions - goals):
        yield f"the predicate {predicate} is in no condition and no goal"
