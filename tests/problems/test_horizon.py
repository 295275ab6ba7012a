"""Bounds on the length of a shortest plan contain the length that a search of all states finds."""

import pytest

from orrery.model import Plan
from orrery.planning.exhaustive import explore
from orrery.planning.grounding import Grounder
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.plans import FoundPlan
from orrery.problems import horizon
from orrery.problems.horizon import Horizon, horizon_of, shortest_length
from orrery.problems.solutions import solution_row
from tests.every_domain import CATALOG, easy_problems, entry


def solved(task, *, by_search):
    """The row of a problem with a shortest plan, which a search proves or does not."""
    plan = explore(task, limit=100_000).proven_plan()
    known = plan if by_search else plan and Plan(plan.steps, "domain")
    outcome = PlannerOutcome.SOLVED if plan else PlannerOutcome.UNSOLVABLE_PROVEN
    return solution_row("a/test/000000", FoundPlan(PlannerResult(outcome, known), task))


@pytest.mark.parametrize("name", CATALOG.names)
def test_bounds_contain_the_length_of_a_shortest_plan(name):
    grounder = Grounder(entry(name).domain)
    for problem in easy_problems(name, 4):
        task = grounder.ground(problem)
        row, by_plan = solved(task, by_search=True), solved(task, by_search=False)
        searched = horizon_of(entry(name), grounder, problem, row)
        counted = horizon_of(entry(name), grounder, problem, by_plan)
        if row["plan_cost"] is None:
            assert searched is counted is None
            continue
        assert shortest_length(searched) == row["plan_cost"] == counted["upper"]
        assert counted["lower"] <= row["plan_cost"]
        assert (searched["upper_proof"], counted["upper_proof"]) == ("search", "plan")
        assert shortest_length(counted) in {None, row["plan_cost"]}


def test_no_lower_bound_is_stated_that_is_not_known(monkeypatch):
    grounder, (problem,) = Grounder(entry("satellite").domain), easy_problems("satellite", 1)
    row = solved(grounder.ground(problem), by_search=False)
    assert Horizon(**horizon_of(entry("satellite"), grounder, problem, row)).lower_proof == "landmarks"
    monkeypatch.setattr(horizon, "MOST_STEPS", 0)
    assert horizon_of(entry("satellite"), grounder, problem, row) is not None  # it was grounded to solve it
    assert horizon_of(entry("satellite"), grounder, problem, {**row, "num_facts": None}) is None
