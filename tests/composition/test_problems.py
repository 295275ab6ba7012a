"""Problems of composed domains against breadth-first search over sets of facts."""

from functools import cache

import pytest

from orrery.pddl.write import parse_atom
from tests.composition.compositions import every_composition, kept
from tests.composition.set_search import OPEN, fewest_steps, ground_actions
from tests.effort import by_day, slow

MOST_STATES, LARGER = 2_500, 20_000  # beyond them a cost stays open


@cache
def actions_of(index, name):
    here = kept(index)
    problem = next(problem for row, problem in here.problems() if row["name"] == name)
    return list(ground_actions(here.domain, problem))


@cache
def _cost(index, name, without):
    problem = next(problem for row, problem in kept(index).problems() if row["name"] == name)
    actions = [one for one in actions_of(index, name) if one.step[0] != without]
    return fewest_steps(actions, problem, MOST_STATES)


def cost(index, row, without=""):
    """The fewest steps that search finds, with all actions or without one."""
    return _cost(index, row["name"], without)


@by_day(1)
@every_composition
def test_plans_reach_their_goals(index):
    here = kept(index)
    for row, problem in here.problems():
        state = set(problem.init)
        by_step = {action.step: action for action in actions_of(index, row["name"])}
        for step in map(parse_atom, row["plan"]):
            action = by_step[step]
            assert action.needs <= state
            state = (state - action.delete) | action.add
        reached = {literal.atom for literal in problem.goal} <= state
        assert reached == row["solvable"]
        assert row["optimal_cost"] == (len(row["plan"]) if row["solvable"] else None)


@every_composition
def test_the_numbers_and_lengths_are_as_promised(index):
    rows = kept(index).row["problems"]
    lengths = [row["optimal_cost"] for row in rows if row["solvable"]]
    assert len(rows) >= 5
    assert [row["solvable"] for row in rows].count(False) == 1
    assert sum(length >= 8 for length in lengths) >= 3
    assert max(lengths) >= 15
    assert min(lengths) >= 3
    assert [row["name"] for row in rows] == [f"p{number}" for number in range(1, len(rows) + 1)]


@every_composition
def test_costs_are_shortest_and_unsolvable_problems_have_no_plan(index):
    for row in kept(index).row["problems"]:
        assert cost(index, row) in (row["optimal_cost"], OPEN), row["name"]


@slow
@pytest.mark.parametrize("index", range(6))
def test_larger_searches_agree_and_decide_some(index):
    here = kept(index)
    costs = {
        row["name"]: fewest_steps(actions_of(index, row["name"]), problem, LARGER)
        for row, problem in here.problems()
    }
    assert all(costs[row["name"]] in (row["optimal_cost"], OPEN) for row in here.row["problems"])
    assert None in costs.values()


@slow
def test_search_decides_many_costs():
    decided = [cost(index, row) != OPEN for index in range(15) for row in kept(index).row["problems"]]
    assert sum(decided) > len(decided) / 3


@slow
@every_composition
def test_every_action_is_needed(index):
    here = kept(index)
    solvable = [row for row in here.row["problems"] if row["solvable"]]
    needed = {
        action.name: {cost(index, row, action.name) for row in solvable} for action in here.domain.actions
    }
    assert [name for name, costs in needed.items() if not costs & {None, OPEN}] == []
    assert sum(None in costs for costs in needed.values()) > len(needed) / 2


@every_composition
def test_goals_are_not_met_at_first_and_differ(index):
    problems = [problem for _, problem in kept(index).problems()]
    assert all(not problem.satisfied(problem.init) for problem in problems)
    assert len({(problem.objects, problem.init, problem.goal) for problem in problems}) == len(problems)
