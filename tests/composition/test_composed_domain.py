"""Composed domains as domains of the catalog: words, problems with their shortest plans, closures of goals.

The tests of every domain look at their wordings and texts.
"""

import random

import pytest

from orrery.catalog import entry_of
from orrery.composition.compose import compose, number_of
from orrery.model import UsageError
from tests.composition.compositions import by_day
from tests.composition.set_search import ground_actions, layers
from tests.every_domain import COMPOSED, ROOT, entry

EVERY_COMPOSED = pytest.mark.parametrize("name", by_day(COMPOSED, 1))
MOST = 30_000


def goal_states(domain, problem):
    """The number of steps to the nearest goal state, and all reachable goal states; None above the limit."""
    goal = {literal.atom for literal in problem.goal}
    changing = {atom[0] for action in domain.actions for atom in action.add | action.delete}
    fluent = frozenset(fact for fact in problem.init if fact[0] in changing)
    reached = list(layers(list(ground_actions(domain, problem)), fluent, MOST))
    if reached[-1] is None:
        return None
    met = [[state for state in layer if goal <= state] for layer in reached]
    return next(steps for steps, states in enumerate(met) if states), [
        one for states in met for one in states
    ]


@pytest.mark.slow
@EVERY_COMPOSED
def test_problems_have_plans_and_the_closure_of_their_goals_is_that_of_all_goal_states(name):
    here, looked_at = entry(name), 0
    for seed in range(3):
        problem = here.make(here.tasks[0], "easy", random.Random(seed)).problem
        searched = goal_states(here.domain, problem)
        if searched is not None:
            looked_at += 1
            cost, states = searched
            assert cost > 1
            assert here.closure_rule(problem) == frozenset.intersection(*states)
    assert looked_at or name == "composed-6"


@EVERY_COMPOSED
def test_all_problems_of_a_domain_are_in_its_split(name):
    here = entry(name)
    split = compose(ROOT, 20261121, number_of(name)).split
    assert getattr(here.description.split, split) == 1


@pytest.mark.parametrize("name", ["composed-x", "composed-017", "composed-1-2", "ferry"])
def test_other_names_have_no_number(name):
    assert number_of(name) is None
    assert number_of("composed-17") == 17


def test_a_number_that_gives_no_domain_is_refused():
    nothing = entry_of(ROOT, "composed-0")
    with pytest.raises(UsageError, match=r"domain 'composed-0': is not composed: .* \(try another number"):
        nothing.make(nothing.tasks[0], "easy", random.Random(0))
