"""Hill-climbing against plain search: what it reaches can be reached, and is reached by its steps."""

import numpy as np
import pytest

from orrery.planners import climbing_kernel as kernel
from orrery.planners.climbing import Climber, Targets, climbed, wanted
from orrery.planners.exhaustive import Explorer
from orrery.planners.exhaustive_python import reachable
from orrery.planners.relaxed import Relaxation
from orrery.semantics.grounding import ground
from orrery.semantics.progression import is_applicable, is_plan, run
from orrery.semantics.task import bits
from tests.analysis.small_tasks import object_task, random_task
from tests.every_domain import CATALOG, easy_problems, entry
from tests.planners.plain_search import optimal_cost
from tests.planners.random_tasks import task_of
from tests.planners.test_guided import masks_task

TASKS = [*map(random_task, range(30)), *map(masks_task, range(30)), *map(object_task, range(15))]
SETS, PLENTY = 12, 10_000_000


def named(task):
    return task.problem.name


def conditions(task):
    """What actions need, the goal, and single facts."""
    sets = [task.goal_positive, *(a.positive for a in task.actions), *(1 << f for f in range(4))]
    return [facts for facts in dict.fromkeys(sets) if facts >> len(task.facts) == 0][:SETS]


def layers(task, mask):
    """The layer in which the relaxation reaches each fact, by repeating all actions."""
    found, depth, grown = dict.fromkeys(bits(mask), 0), 0, True
    while grown:
        depth, before = depth + 1, set(found)
        for action in task.actions:
            if before.issuperset(bits(action.positive)):
                for fact in bits(action.add):
                    found.setdefault(fact, depth)
        grown = len(found) > len(before)
    return found


@pytest.mark.parametrize("task", TASKS, ids=named)
def test_a_relaxed_plan_is_there_where_the_relaxation_reaches_all_and_not_shorter_than_the_layers(task):
    relaxation = Relaxation(Explorer(task))
    truth, row, work = (
        layers(task, task.init),
        relaxation.explorer.row(task.init),
        kernel.layers(relaxation.lists),
    )
    for facts in conditions(task):
        asked = wanted(facts)
        kernel.reach(relaxation.lists, row, asked, work)
        size, first = kernel.relaxed_plan(relaxation.lists, asked, work)
        if all(fact in truth for fact in bits(facts)):
            deepest = max((truth[fact] for fact in bits(facts)), default=0)
            assert deepest <= size <= len(task.actions)
            assert (first > 0) == (size > 0)
            assert {truth[int(fact)] for fact in work.queue[:first]} <= {1}
        else:
            assert size == kernel.FAR
        assert not work.marked.any()
        assert not work.chosen.any()


@pytest.mark.parametrize("task", TASKS, ids=named)
def test_steps_lead_to_what_is_said_to_be_reached_and_all_that_is_seen_can_be(task):
    states = reachable(task).states
    held = {fact for state in states for fact in bits(state)}
    climber = Climber(Relaxation(Explorer(task)), PLENTY)
    seen, applied = 0, np.zeros(len(task.actions), bool)
    for facts in conditions(task):
        reached = climber.climb(wanted(facts))
        masks = run(task, climber.steps)
        assert masks is not None
        assert reached == (masks[-1] & facts == facts)
        more, actions = climber.news()
        assert not more & seen
        assert not (actions & applied).any()
        seen, applied = seen | more, applied | actions
    assert held.issuperset(bits(seen))
    for action, yes in zip(task.actions, applied, strict=True):
        assert not yes or any(is_applicable(state, action) for state in states)


@pytest.mark.parametrize("task", TASKS[:60], ids=named)
def test_the_nearest_condition_is_the_first_of_those_with_the_least_sum_of_layers(task):
    climber, truth = Climber(Relaxation(Explorer(task)), PLENTY), layers(task, task.init)
    some = conditions(task)
    sums = [
        sum(truth[fact] for fact in bits(facts)) if all(fact in truth for fact in bits(facts)) else None
        for facts in some
    ]
    possible = [each for each in sums if each is not None]
    found = climber.nearest(Targets(some))
    assert found == (sums.index(min(possible)) if possible else None)


@pytest.mark.parametrize("task", TASKS[:60], ids=named)
def test_a_target_that_waits_no_more_is_as_if_it_were_not_there(task):
    some = conditions(task)
    targets = Targets(some)
    targets.waiting[::2] = False
    place = Climber(Relaxation(Explorer(task)), PLENTY).nearest(targets)
    among = Climber(Relaxation(Explorer(task)), PLENTY).nearest(Targets(some[1::2]))
    assert place == (None if among is None else 2 * among + 1)


def test_nothing_is_nearest_among_none():
    assert Climber(Relaxation(Explorer(TASKS[0])), PLENTY).nearest(Targets([])) is None


def test_most_of_what_a_small_task_can_reach_is_reached():
    there, missed = 0, 0
    for task in TASKS:
        states = reachable(task).states
        for facts in conditions(task):
            if any(state & facts == facts for state in states):
                there += 1
                missed += not Climber(Relaxation(Explorer(task)), PLENTY).climb(wanted(facts))
    assert there > 300
    assert missed < there / 10


def test_a_restart_goes_back_to_where_it_started():
    x, y, z = 1, 2, 4
    task = task_of(3, [(x, 0, y, x), (x, 0, z, x)], x, y)
    climber = Climber(Relaxation(Explorer(task)), PLENTY)
    assert climber.climb(wanted(y))
    assert climber.steps == [("a000",)]
    assert climber.nearest(Targets([z])) is None
    assert not climber.climb(wanted(z))
    climber.restart()
    assert climber.steps == []
    assert climber.climb(wanted(z))
    assert climber.steps == [("a001",)]


def test_a_plan_is_a_plan_and_none_is_found_where_there_is_none():
    found = 0
    for task in TASKS:
        plan, cost = climbed(Relaxation(Explorer(task)), PLENTY), optimal_cost(task)
        assert plan is None or (is_plan(task, plan.steps) and len(plan.steps) >= cost)
        found += plan is not None
    assert found > 20


def test_easy_problems_of_most_domains_are_solved():
    tasks = [ground(entry(name).domain, next(iter(easy_problems(name, 1)))) for name in CATALOG.names]
    plans = [climbed(Relaxation(Explorer(task)), PLENTY) for task in tasks]
    assert sum(plan is not None for plan in plans) > len(tasks) / 2


def test_no_step_begins_once_the_budget_is_spent():
    for task in TASKS[:30]:
        spent = []
        for budget in (0, 20, 200, PLENTY):
            climber = Climber(Relaxation(Explorer(task)), budget)
            climber.climb(wanted(task.goal_positive))
            spent.append(climber.spent)
            assert budget or not climber.steps
        assert spent == sorted(spent)
