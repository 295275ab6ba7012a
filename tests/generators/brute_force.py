"""What the tests of generators share: problems of tasks, their state spaces, and closures by plain search."""

import random
from collections import Counter
from dataclasses import replace
from itertools import product

from orrery.model import literals
from orrery.planning.execution import check_plan
from orrery.planning.exhaustive import explore
from orrery.planning.exhaustive_python import reachable
from orrery.planning.grounding import ground
from tests.every_domain import entry


def explored(place, problem, limit=200_000):
    """All reachable states; fails the calling test where there are more than ``limit``."""
    space = explore(ground(place.domain, problem), limit=limit)
    assert space.complete
    return space


def solvable(place, problem):
    """Whether some reachable state satisfies the goal."""
    return bool(explored(place, problem).goal.any())


def reached(place, problem):
    """The facts that hold in some reachable state."""
    space = explored(place, problem)
    return frozenset(space.task.facts_of(space.reached_facts()))


def some_states(space, step):
    """The fluent facts of every ``step``-th state."""
    return [space.task.facts_of(space.mask(index)) for index in range(0, len(space), step)]


def exact(place, problems, *, everywhere=True):
    """Hold closure rule and planner against exhaustive search; count the problems that each of them settles.

    Unless they are exact ``everywhere``, they may leave a problem to the search; a plan must be valid always.
    """
    settled = Counter[str]()
    for problem in problems:
        task = ground(place.domain, problem)
        space = reachable(task)
        assert space.complete, problem
        always = space.goal_intersection()
        expected = always and frozenset(f for f in task.facts_of(always[0]) if f[0] in place.domain.fluents)
        if place.closure_rule:
            rule = place.closure_rule(problem)
            assert rule in (expected, None), problem
            settled["left" if rule is None and expected is not None else "closed"] += expected is not None
        if place.planner:
            steps = place.planner(problem)
            assert steps is None or expected is not None, problem
            assert steps is None or check_plan(place.domain, problem, steps).valid, problem
            settled["left" if steps is None and expected is not None else "planned"] += expected is not None
    assert not (everywhere and settled["left"])
    return settled


def exact_goals(place, start, goals, begun=1):
    """Hold closure rule and planner against all reachable states, for each goal from the first states.

    Counts the goals by outcome, and the facts that they imply by predicate.
    """
    task, outcomes = ground(place.domain, start), Counter[str]()
    statics = frozenset(fact for fact in start.init if fact[0] not in place.domain.fluents)
    reached = [task.facts_of(mask) | statics for mask in reachable(task).states]
    for goal in map(frozenset, goals):
        ends = [state for state in reached if goal <= state]
        expected = frozenset.intersection(*ends) - statics if ends else None
        for init in reached[:begun]:
            problem = replace(start, init=init, goal=literals(goal))
            assert place.closure_rule(problem) == expected, problem
            steps = place.planner(problem)
            assert (steps is None) == (expected is None), problem
            assert steps is None or check_plan(place.domain, problem, steps).valid, problem
        outcomes["solved" if ends else "unsolvable"] += 1
        outcomes.update({fact[0] for fact in (expected or goal) - goal})
    return outcomes


def generate(place, task, difficulty, seed):
    rng = random.Random(seed)
    parameters = place.generator.draw(task, place.description.difficulties[difficulty], rng)
    return parameters, place.generator.build(task, parameters, rng)


def task_of(name, init, goal):
    return next(task for task in entry(name).tasks if (task.init, task.goal) == (init, goal))


def build(name, init, goal, parameters, seed=0):
    return entry(name).generator.build(task_of(name, init, goal), parameters, random.Random(seed))


def made(name, seeds, levels=("easy", "medium", "hard")):
    """Parameters and problems of all tasks of a domain."""
    return [generate(entry(name), *drawn) for drawn in product(entry(name).tasks, levels, seeds)]


def named(problem, *kinds):
    """The objects of some types, sorted."""
    return sorted(typed.name for typed in problem.objects if {*kinds} & {*typed.types})


def arguments_of(problem, predicate, place=1):
    """An argument of each initial fact of a predicate, sorted."""
    return sorted(fact[place] for fact in problem.init if fact[0] == predicate)


def every_task(place):
    return ((task, level) for task in place.generator.TASKS for level in place.description.difficulties)
