"""Problems of a composed domain, each with a proven shortest plan or a proof that it has none.

Instances are explored exhaustively. Goals are conjunctions of facts that hold in some distant state. They are
chosen so that every action is needed: some problem has no plan without it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from orrery.composition.compose import Composition, NotComposed, law_values
from orrery.composition.instances import draw_instance, goal_templates, matches, objects_by_type
from orrery.generator_kit import shuffled
from orrery.model import Atom, Domain, Problem, Step, TypedName, literals
from orrery.pddl.write import write_atom
from orrery.planning.exhaustive import StateSpace, explore, row_of
from orrery.planning.grounding import ground
from orrery.planning.task import PlanningTask

INSTANCES, SMALLEST = 4, 2  # the first ones have the fewest objects of each type
MOST_STATES = 40_000  # of an instance
MOST_STATES_OF_FIRST = 150_000  # of the first instance, if the others are not deep enough
INSTANCES_DRAWN = 10  # until there are enough with many states
FEW_STATES = 300
LAW_STATES = 20_000  # in which state laws are checked, the nearest to the initial state
GOALS_DRAWN = 30  # per instance
MOST_GOAL_FACTS = 4
STATES_COMPARED = 3  # states with the first fact of a goal, of which the most distant one gives the others
FEWEST_SOLVABLE, MOST_SOLVABLE = 4, 8
LONG, LONGEST = 8, 15  # steps of the shortest plan
FEWEST_LONG = 3
SHORTEST = 3
WALKS = 100
WALK_FACTOR = 2  # steps of a walk, as a multiple of the shortest plan
MOST_WALKS_AT_GOAL = 5
REMOVALS_TRIED = 40  # of static facts, for a problem without a plan


@dataclass(frozen=True)
class ComposedProblem:
    """A problem in the names of the mechanics, with a shortest plan; without one it is proven unsolvable."""

    problem: Problem
    plan: tuple[Step, ...] | None


@dataclass(frozen=True)
class _GoalCandidate:
    """A goal in an explored instance: its facts as a mask, the length of a shortest plan, needed actions."""

    instance: int
    goal: int
    cost: int
    plan: tuple[Step, ...]
    needed: frozenset[str]


@dataclass(frozen=True)
class Instance:
    """Objects and initial state with all reachable states."""

    domain: Domain
    objects: tuple[TypedName, ...]
    init: frozenset[Atom]
    limit: int = MOST_STATES

    @cached_property
    def task(self) -> PlanningTask:
        """The ground task without a goal."""
        return ground(
            self.domain, Problem("instance", self.domain.name, self.objects, self.init, frozenset())
        )

    @cached_property
    def space(self) -> StateSpace:
        """The reachable states, at most ``limit``."""
        return explore(self.task, limit=self.limit)

    @cached_property
    def relaxed_without(self) -> dict[str, int]:
        """The facts that the delete relaxation reaches without each action."""
        return {action.name: _relaxed(_without(self.task, action.name)) for action in self.domain.actions}

    @cached_property
    def _explored_without(self) -> dict[str, StateSpace]:
        return {}

    def needs(self, action: str, goal: int) -> bool:
        """Return whether exploration proves that a goal is out of reach without an action."""
        explored = self._explored_without
        if action not in explored:
            explored[action] = explore(_without(self.task, action), limit=self.limit)
        return explored[action].complete and not explored[action].satisfying(goal, 0).any()

    def problem(self, name: str, goal: Iterable[Atom]) -> Problem:
        """Return the problem of a goal."""
        return Problem(name, self.domain.name, self.objects, self.init, literals(goal))


def _without(task: PlanningTask, action: str) -> PlanningTask:
    return replace(task, actions=tuple(one for one in task.actions if one.step[0] != action))


def _relaxed(task: PlanningTask) -> int:
    """Return the facts that are reached if actions delete nothing."""
    reached, before = task.init, -1
    while reached != before:
        before = reached
        for action in task.actions:
            if action.positive & ~reached == 0:
                reached |= action.add
    return reached


def draw_problems(composition: Composition, rng: random.Random) -> list[ComposedProblem]:
    """Return the problems of a composition: the last has no plan, the others proven shortest plans.

    Raises:
        NotComposed: the composition breaks a rule for problems.
    """
    domain = composition.plain_domain
    instances = _instances(composition, rng)
    _check_laws(composition, instances)
    candidates = [
        candidate
        for number, instance in enumerate(instances)
        for candidate in _candidates(composition, number, instance, rng)
    ]
    chosen = _chosen(domain, candidates, instances, rng)
    _check_predicates(domain, chosen, instances)
    unsolvable = _unsolvable(instances, candidates, rng)
    problems = [
        ComposedProblem(_problem(instances, candidate, f"p{number}"), candidate.plan)
        for number, candidate in enumerate(chosen, 1)
    ]
    return [*problems, ComposedProblem(replace(unsolvable, name=f"p{len(problems) + 1}"), None)]


def draw_problem(
    composition: Composition, rng: random.Random, *, smallest: bool, steps: int, states: int
) -> Problem:
    """Return a problem in the names of the theme, whose shortest plan has about ``steps`` steps.

    ``smallest``: with as few objects of each type as the mechanics allow, as the later attempts are.
    ``states`` limits the reachable states; if all instances that are drawn have more, the goal of the last
    ones is among the nearest states.

    Raises:
        NotComposed: no instance that is drawn has a distant goal.
    """
    for attempt in range(2 * INSTANCES_DRAWN):
        is_small = smallest or 2 * attempt >= INSTANCES_DRAWN
        objects, init = draw_instance(composition, rng, smallest=is_small)
        instance = Instance(composition.plain_domain, objects, init, states)
        fits = instance.space.complete or attempt >= INSTANCES_DRAWN
        goals = _candidates(composition, 0, instance, rng) if fits else ()
        nearest = min(goals, key=lambda one: (abs(one.cost - steps), one.goal), default=None)
        if nearest is not None:
            plain = _problem([instance], nearest, "p")
            return composition.tables.problem(plain, plain.name, plain.domain)
    raise NotComposed("no instance has a distant goal")


def goal_closure(domain: Domain, problem: Problem) -> frozenset[Atom] | None:
    """Return the fluent facts that hold in all reachable goal states; None above the limit of states."""
    task = ground(domain, problem)
    space = explore(task, limit=MOST_STATES)
    shared = space.goal_intersection() if space.complete else None
    return None if shared is None else task.facts_of(shared[0])


def _instances(composition: Composition, rng: random.Random) -> list[Instance]:
    """Return instances with many reachable states, the first ones with few objects.

    Raises:
        NotComposed: nearly all instances that are drawn have few states.
    """
    instances: list[Instance] = []
    for _ in range(INSTANCES_DRAWN):
        smallest = len(instances) < SMALLEST
        instance = Instance(composition.plain_domain, *draw_instance(composition, rng, smallest=smallest))
        if len(instance.space) >= FEW_STATES:
            instances.append(instance)
        if len(instances) == INSTANCES:
            break
    if len(instances) < SMALLEST:
        raise NotComposed("instances have few reachable states")
    if all(instance.space.depth.max() < LONGEST for instance in instances):
        instances[0] = replace(instances[0], limit=MOST_STATES_OF_FIRST)
    return instances


def _problem(instances: Sequence[Instance], candidate: _GoalCandidate, name: str) -> Problem:
    instance = instances[candidate.instance]
    return instance.problem(name, instance.task.facts_of(candidate.goal))


def _candidates(
    composition: Composition, number: int, instance: Instance, rng: random.Random
) -> Iterator[_GoalCandidate]:
    """Yield goals of an instance: each fact in turn, with others that hold in one distant state."""
    space, task = instance.space, instance.task
    eligible = _goal_facts(composition, instance)
    reached = space.reached_facts() & ~task.init
    leads = shuffled((fact for fact in eligible if reached >> fact & 1), rng)
    drawn: set[int] = set()
    for place in range(GOALS_DRAWN if leads else 0):
        lead = leads[place % len(leads)]
        states = np.flatnonzero(space.satisfying(1 << lead, 0))
        distant = max(int(states[rng.randrange(len(states))]) for _ in range(STATES_COMPARED))
        true = space.mask(distant)
        others = [fact for fact in eligible if true >> fact & 1 and fact != lead]
        size = rng.randint(0, min(MOST_GOAL_FACTS - 1, len(others)))
        goal = sum(1 << fact for fact in (lead, *rng.sample(others, size)))
        if goal in drawn:
            continue
        drawn.add(goal)
        first = int(space.satisfying(goal, 0).argmax())
        cost = int(space.depth[first])  # exact, since states are found breadth first
        if cost >= SHORTEST:
            needed = frozenset(name for name, facts in instance.relaxed_without.items() if goal & ~facts)
            yield _GoalCandidate(number, goal, cost, tuple(space.plan_to(first)), needed)


def _goal_facts(composition: Composition, instance: Instance) -> list[int]:
    """Return the indices of the facts that goals may ask for."""
    own: dict[str, list[str]] = {}
    for name, types in instance.objects:
        own.setdefault(types[0], []).append(name)
    objects = objects_by_type(instance.domain, own)
    templates = goal_templates(composition)
    task = instance.task
    return [
        number
        for number, fact in enumerate(task.facts)
        if any(matches(fact, template, objects) for template in templates)
    ]


def _walks_at_goal(space: StateSpace, goal: int, steps: int, rng: random.Random) -> int:
    """Return how many of ``WALKS`` random walks of ``steps`` steps visit a goal state."""
    actions, wanted = space.actions, row_of(goal, space.states.shape[1])
    numbers = np.random.default_rng(rng.getrandbits(64))
    states, met = np.repeat(space.states[:1], WALKS, axis=0), np.zeros(WALKS, np.bool_)
    for _ in range(steps):
        applicable = ((states[:, None, :] & actions.positive) == actions.positive).all(axis=2)
        chosen = (numbers.random(applicable.shape) * applicable).argmax(axis=1)
        moves = applicable[np.arange(WALKS), chosen, None]
        states = np.where(moves, states & actions.keep[chosen] | actions.add[chosen], states)
        met |= ((states & wanted) == wanted).all(axis=1)
    return int(met.sum())


def _chosen(
    domain: Domain, candidates: Sequence[_GoalCandidate], instances: Sequence[Instance], rng: random.Random
) -> list[_GoalCandidate]:
    """Return few goals that together need every action, have long enough plans, and withstand random walks.

    Raises:
        NotComposed: there are none.
    """
    pool = sorted(candidates, key=lambda one: (-one.cost, one.instance, one.goal))
    choice = _Choice(instances, rng)
    if not choice.add_first(one for one in pool if one.cost >= LONGEST):
        raise NotComposed(f"no shortest plan of {LONGEST} steps")
    open_actions = {action.name for action in domain.actions}
    while open_actions := open_actions - choice.needed:
        useful = sorted(pool, key=lambda one: -len(one.needed & open_actions))
        if choice.add_first(one for one in useful if one.needed & open_actions):
            continue
        action = min(open_actions)
        if not choice.add_first(
            (one for one in pool if instances[one.instance].needs(action, one.goal)), action
        ):
            raise NotComposed("an action is not needed", action)
    while choice.number_long < FEWEST_LONG or len(choice.chosen) < FEWEST_SOLVABLE:
        least = LONG if choice.number_long < FEWEST_LONG else SHORTEST
        if not choice.add_first(one for one in shuffled(pool, rng) if one.cost >= least):
            raise NotComposed(f"fewer than {FEWEST_LONG} shortest plans of {LONG} steps")
    if len(choice.chosen) > MOST_SOLVABLE:
        raise NotComposed("too many problems for all actions")
    return sorted(choice.chosen, key=lambda one: (one.cost, one.instance, one.goal))


class _Choice:
    """The chosen goals, and the actions that they need."""

    def __init__(self, instances: Sequence[Instance], rng: random.Random) -> None:
        self._instances, self._rng = instances, rng
        self._easy: set[_GoalCandidate] = set()
        self.chosen: list[_GoalCandidate] = []
        self.needed: set[str] = set()

    @property
    def number_long(self) -> int:
        """The number of goals with long shortest plans."""
        return sum(one.cost >= LONG for one in self.chosen)

    def add_first(self, candidates: Iterable[_GoalCandidate], action: str = "") -> bool:
        """Add the first new goal that random walks rarely meet; ``action`` is known to be needed for it."""
        for candidate in candidates:
            if candidate in self.chosen or candidate in self._easy:
                if candidate in self.chosen and action:
                    self.needed.add(action)
                    return True
                continue
            space = self._instances[candidate.instance].space
            walks = _walks_at_goal(space, candidate.goal, WALK_FACTOR * candidate.cost, self._rng)
            if walks > MOST_WALKS_AT_GOAL:
                self._easy.add(candidate)
                continue
            self.chosen.append(candidate)
            self.needed |= {*candidate.needed, *([action] if action else [])}
            return True
        return False


def _check_laws(composition: Composition, instances: Sequence[Instance]) -> None:
    """Raise NotComposed if some reachable state has two facts of which a mechanic allows at most one."""
    for instance in instances:
        for law in composition.laws:
            for group in _groups(instance.task.facts, law):
                mask = sum(1 << number for number in group)
                words = instance.space.states[:LAW_STATES] & row_of(mask, instance.space.states.shape[1])
                if (np.bitwise_count(words).sum(axis=1) > 1).any():
                    raise NotComposed("a state law is broken", write_atom(law[0]))


def _groups(facts: Sequence[Atom], law: Sequence[Atom]) -> list[list[int]]:
    """Return the indices of the facts of a law, grouped by the values of the variables that atoms share."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, fact in enumerate(facts):
        values = law_values(law, fact)
        if values is not None:
            groups.setdefault(values, []).append(number)
    return list(groups.values())


def _check_predicates(
    domain: Domain, chosen: Sequence[_GoalCandidate], instances: Sequence[Instance]
) -> None:
    """Raise NotComposed unless every predicate is in a condition or goal, and every fluent one changes."""
    conditions = {literal.atom[0] for action in domain.actions for literal in action.preconditions}
    goals = {fact[0] for one in chosen for fact in instances[one.instance].task.facts_of(one.goal)}
    if idle := {predicate.name for predicate in domain.predicates} - conditions - goals:
        raise NotComposed("a predicate is in no condition or goal", min(idle))
    changing: set[str] = set()
    for instance in (instances[number] for number in sorted({one.instance for one in chosen})):
        every = instance.space.intersection(0, 0)
        if every is not None:
            changing |= {fact[0] for fact in instance.task.facts_of(every[1] & ~every[0])}
    if constant := domain.fluents - changing:
        raise NotComposed("a predicate is constant", min(constant))


def _unsolvable(
    instances: Sequence[Instance], candidates: Sequence[_GoalCandidate], rng: random.Random
) -> Problem:
    """Return a problem whose goal is out of reach because one static fact of a solvable problem is gone.

    Without a fluent fact the initial state itself would be odd, for example with the agent nowhere.

    Raises:
        NotComposed: none of the removals that are tried has this result.
    """
    fluents = instances[0].domain.fluents
    for _ in range(REMOVALS_TRIED):
        candidate = rng.choice(candidates)
        instance = instances[candidate.instance]
        statics = sorted(fact for fact in instance.init if fact[0] not in fluents)
        if not statics:
            continue
        fact = rng.choice(statics)
        goal = instance.task.facts_of(candidate.goal)
        changed = replace(instance, init=instance.init - {fact})
        problem = changed.problem("p", goal)
        if _is_unsolvable(ground(changed.domain, problem)):
            return problem
    raise NotComposed("no problem without a plan")


def _is_unsolvable(task: PlanningTask) -> bool:
    """Return whether the delete relaxation or exhaustion proves that there is no plan."""
    if task.goal_positive & ~_relaxed(task):
        return True
    space = explore(task, limit=MOST_STATES)
    return space.complete and not bool(space.goal.any())
