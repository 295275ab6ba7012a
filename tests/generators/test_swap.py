"""Swap: plans where there are any, and roles that nobody has, or agents without a role, out of reach."""

import random
from itertools import product

import pytest

from orrery.model import Problem, literals
from tests.every_domain import entry
from tests.generators.brute_force import every_task, generate, reached, solvable

PLACE = entry("swap")
GENERATOR = PLACE.generator
TASK = {task.name: task for task in GENERATOR.TASKS}


def test_plans_are_found_iff_there_are_any():
    for (task, level), seed in product(every_task(PLACE), range(12)):
        parameters, generated = generate(PLACE, task, level, seed)
        problem, steps = generated.problem, PLACE.planner(generated.problem)
        assert steps is not None or task.init == "uneven"
        assert level != "easy" or solvable(PLACE, problem) == (steps is not None)
        assert len(problem.init) == min(parameters["agents"], parameters["roles"])


def test_goals_that_contradict_themselves_have_no_plan():
    problem = generate(PLACE, TASK["bijection-to-all"], "easy", 0)[1].problem
    first, second, *_ = sorted({fact[1] for fact in problem.init})
    role = min(fact[2] for fact in problem.init)
    for goal in ([("assigned", first, role), ("assigned", second, role)], [("assigned", role, first)]):
        wrong = Problem("p", "swap", problem.objects, problem.init, literals(goal))
        assert PLACE.planner(wrong) is None


@pytest.mark.parametrize(("agents", "roles"), [(4, 4), (5, 3), (3, 5)])
def test_roles_and_agents_that_are_left_over_stay_so(agents, roles):
    name = "bijection-to-some" if agents == roles else "uneven-to-some"
    sizes = {"agents": agents, "roles": roles}
    problem = GENERATOR.build(TASK[name], sizes, random.Random(agents)).problem
    has = [fact[1:] for fact in problem.init]
    assert reached(PLACE, problem) == {("assigned", agent, role) for agent, _ in has for _, role in has}
