"""A* with LM-cut against plain search: costs, first steps, dead ends, and what a budget lets through."""

import random

import pytest

from orrery.planners.exhaustive import Explorer
from orrery.planners.guided import GuidedSearch, nearest
from orrery.planners.relaxed import Relaxation
from orrery.semantics.progression import applicable, is_plan, progress
from orrery.semantics.symmetry import goal_facts, symmetry
from tests.analysis.small_tasks import random_task
from tests.planners.plain_search import optimal_cost
from tests.planners.random_tasks import task_of

PLENTY = 10_000_000


def guided(task, *, work=PLENTY, symmetric=True):
    explorer = Explorer(task, symmetry(task, *goal_facts(task))) if symmetric else Explorer(task)
    return nearest(explorer, Relaxation(explorer), work=work)


def masks_task(seed):
    """A random task of masks with more facts than a word has bits, and goals of both signs."""
    rng = random.Random(seed)
    some = lambda least, most: sum(1 << 13 * f for f in rng.sample(range(6), rng.randint(least, most)))  # noqa: E731
    drawn = [(some(0, 2), some(0, 1), some(1, 2), some(0, 2)) for _ in range(rng.randint(1, 12))]
    return task_of(70, drawn, some(0, 2), some(1, 3), some(0, rng.randint(0, 1)))


def check(task, found):
    cost = optimal_cost(task)
    assert found.decided
    assert (found.plan is None) == (cost is None)
    if cost is None:
        return
    assert len(found.plan.steps) == cost
    assert is_plan(task, found.plan.steps)
    assert found.whole
    assert found.first == {
        action.step
        for action in applicable(task, task.init)
        if cost and optimal_cost(task, init=progress(task.init, action)) == cost - 1
    }


@pytest.mark.parametrize("seed", range(60))
def test_costs_and_first_steps_are_those_of_plain_search(seed):
    for task in (random_task(seed), masks_task(seed)):
        check(task, guided(task))


def test_the_random_tasks_are_of_all_kinds():
    costs = [optimal_cost(masks_task(seed)) for seed in range(60)]
    assert None in costs
    assert 0 in costs
    assert max(cost or 0 for cost in costs) >= 3


@pytest.mark.parametrize("work", [0, 20, 60])
def test_what_a_budget_lets_through_is_true(work):
    whole = set()
    for seed in range(40):
        task = masks_task(seed)
        found, best = guided(task, work=work), guided(task)
        whole.add(found.whole)
        if found.decided:
            assert (found.plan is None) == (best.plan is None)
        if found.plan is not None:
            assert len(found.plan.steps) == len(best.plan.steps)
            assert found.first <= best.first
            assert not found.whole or found.first == best.first
    assert whole == {True, False}


def test_a_search_goes_on_where_it_stopped():
    stopped = 0
    for seed in range(40):
        task = masks_task(seed)
        explorer = Explorer(task, symmetry(task, *goal_facts(task)))
        relaxation = Relaxation(explorer)
        search = GuidedSearch(explorer, relaxation)
        for work in (0, 20, 60, PLENTY):
            before, fresh = search.spent, GuidedSearch(explorer, relaxation)
            assert search.nearest(work) == fresh.nearest(work)
            assert search.spent == fresh.spent
            stopped += 0 < before < search.spent
    assert stopped > 20
