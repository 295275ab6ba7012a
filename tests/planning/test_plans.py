"""Plans: the domain's own planner is believed only as far as its plan holds; what is small is explored."""

from dataclasses import replace

import pytest

from orrery.model import Literal, OrreryError, Proof
from orrery.planning import plans
from orrery.planning.execution import PlanVerdict
from orrery.planning.exhaustive_python import reachable
from orrery.planning.grounding import Grounder
from orrery.planning.outcome import PlannerOutcome
from orrery.planning.plans import Solver
from orrery.planning.task import is_plan
from tests.every_domain import CATALOG, easy_problems, entry
from tests.planning.plain_search import optimal_cost


@pytest.fixture(scope="module")
def problem():
    return easy_problems("blocksworld", 4)[3]


@pytest.fixture(scope="module")
def plan(problem):
    return entry("blocksworld").planner(problem)


def solver(planner, name="blocksworld", **limits):
    return Solver(Grounder(entry(name).domain), planner, **limits)


def test_a_valid_plan_of_the_domain_is_taken_without_grounding(problem, plan, monkeypatch):
    monkeypatch.setattr(plans, "MOST_STEPS", 0)
    monkeypatch.setattr(Grounder, "ground", None)
    plan_found = solver(lambda _: plan).find(problem)
    answer = plan_found.answer
    assert (answer.outcome, answer.plan.steps, answer.plan.planner) == (
        PlannerOutcome.SOLVED,
        tuple(plan),
        "domain",
    )
    assert answer.plan.optimal is None
    assert (plan_found.task, plan_found.num_states) == (None, None)


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
def test_an_invalid_plan_of_the_domain_names_its_generator(problem, plan, spoil):
    with pytest.raises(OrreryError, match=r"generators/blocksworld\.py: plan: returned an invalid plan"):
        solver(lambda _: spoil(plan)).find(problem)


@pytest.mark.parametrize("most_steps", [0, 500], ids=["not grounded to be counted", "grounded"])
def test_what_the_domain_does_not_solve_goes_to_fast_downward(problem, monkeypatch, most_steps):
    monkeypatch.setattr(plans, "MOST_STEPS", most_steps)
    for planner in (None, lambda _: None):
        plan_found = solver(planner, max_states=1).find(problem)
        assert plan_found.answer.outcome is PlannerOutcome.SOLVED
        assert plan_found.answer.plan.planner.startswith("fast-downward")
        assert is_plan(plan_found.task, plan_found.answer.plan.steps)


@pytest.mark.parametrize("name", CATALOG.names)
def test_few_states_give_the_shortest_plan_and_their_number(name):
    place = entry(name)
    explored = 0
    for problem in easy_problems(name, 12):
        plan_found = solver(place.planner, name).find(problem)
        if plan_found.num_states is not None:
            explored += 1
            assert plan_found.num_states == len(reachable(plan_found.task).states)
            cost, answer = optimal_cost(plan_found.task), plan_found.answer
            if cost is None:
                assert (answer.outcome, answer.plan) == (PlannerOutcome.UNSOLVABLE_PROVEN, None)
                continue
            assert answer.outcome is PlannerOutcome.SOLVED_OPTIMALLY
            assert answer.plan.optimal is Proof.EXHAUSTION
            assert len(answer.plan.steps) == cost
            assert is_plan(plan_found.task, answer.plan.steps)
    assert explored


@pytest.fixture(scope="module")
def impossible():
    """A problem in which a block is to stand on itself."""
    problem = min(easy_problems("blocksworld", 40), key=lambda problem: len(problem.objects))
    block = problem.objects[0].name
    return replace(problem, goal=problem.goal | {Literal(("on", block, block))})


def test_a_problem_without_a_plan_is_proven_so(impossible):
    for planner in (None, entry("blocksworld").planner):
        plan_found = solver(planner).find(impossible)
        assert plan_found.answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN
        assert plan_found.num_states == len(reachable(plan_found.task).states)


def test_a_plan_for_a_problem_that_the_states_refute_is_refused(impossible, plan, monkeypatch):
    """Execution and search contradict each other: one of them is wrong, and nothing is published."""
    monkeypatch.setattr(plans, "check_plan", lambda *_: PlanVerdict(True))
    with pytest.raises(OrreryError, match="returned a plan for the unsolvable problem"):
        solver(lambda _: plan).find(impossible)
