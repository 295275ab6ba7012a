"""Plans: the domain's own planner is believed only as far as its plan holds."""

import pytest

from pipeline.facts.plans import find_plan
from pipeline.model import OrreryError
from pipeline.planners.outcome import Outcome
from pipeline.semantics.grounding import ground
from tests.every_domain import easy_problems, entry


@pytest.fixture(scope="module")
def task():
    return ground(entry("blocksworld").domain, easy_problems("blocksworld", 4)[3])


@pytest.fixture(scope="module")
def plan(task):
    return entry("blocksworld").planner(task.problem)


def test_a_valid_plan_of_the_domain_is_taken(task, plan):
    answer = find_plan(task, lambda _: plan)
    assert (answer.outcome, answer.plan.steps, answer.plan.planner) == (Outcome.SOLVED, tuple(plan), "domain")
    assert answer.plan.optimal is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda plan: plan[:-1],
        lambda plan: plan[1:],
        lambda plan: [*plan, ("fly", "b1")],
        lambda plan: [],
    ],
    ids=["cut short", "begun late", "unknown action", "empty"],
)
def test_an_invalid_plan_of_the_domain_names_its_generator(task, plan, spoil):
    with pytest.raises(OrreryError, match=r"generators/blocksworld\.py: plan: returned an invalid plan"):
        find_plan(task, lambda _: spoil(plan))


def test_what_the_domain_does_not_solve_goes_to_fast_downward(task):
    for planner in (None, lambda _: None):
        answer = find_plan(task, planner)
        assert answer.outcome is Outcome.SOLVED
        assert answer.plan.planner.startswith("fast-downward")
