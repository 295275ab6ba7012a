"""Prepared execution says of every plan what the definition and the other two routes say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.semantics.execution import check_plan
from orrery.semantics.prepared import Executor
from tests.effort import examples
from tests.pddl.random_pddl import tasks
from tests.semantics.test_execution import DOMAIN, PLAN, PROBLEM, some_plans


def test_a_valid_plan_with_a_constant_an_equality_and_a_negative_precondition():
    executor = Executor(DOMAIN)
    assert executor.is_plan(PROBLEM, PLAN)
    assert not executor.is_plan(PROBLEM, PLAN[:-1])
    assert not executor.is_plan(PROBLEM, [*PLAN[:2], ("wash", "a"), PLAN[2]])


@pytest.mark.parametrize(
    "step",
    [
        (),
        ("fly", "a"),
        ("wash",),
        ("wash", "a", "a"),
        ("wash", "home"),
        ("wash", "b"),
        ("drive", "a", "home", "home"),
    ],
    ids=str,
)
def test_what_is_no_step_of_the_problem_is_no_plan(step):
    assert not Executor(DOMAIN).is_plan(PROBLEM, [step, *PLAN])
    assert not check_plan(DOMAIN, PROBLEM, [step, *PLAN]).valid


@examples(200)
@given(st.data(), tasks(lively=True))
def test_it_agrees_with_lifted_execution_on_sound_and_damaged_plans(data, task):
    domain, problem = task
    executor = Executor(domain)
    for _ in range(3):
        steps = some_plans(data.draw, domain, problem)
        assert executor.is_plan(problem, steps) == check_plan(domain, problem, steps).valid
