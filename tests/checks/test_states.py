"""Decided states: every wrong cost, verdict or set of actions is seen."""

from dataclasses import replace

import pytest

from pipeline.checks.open_matters import UNDECIDED
from pipeline.checks.states import PLAIN_LIMIT, check, check_optimal, check_size
from pipeline.pddl.read import read_problem
from pipeline.pddl.write import parse_atom, write_atom
from pipeline.planners.exhaustive_python import reachable
from pipeline.semantics.execution import applicable_steps
from pipeline.semantics.grounding import ground
from tests.every_domain import entry


def faults(row):
    domain, problem = setting(row)
    found = check(domain, problem, row, 20.0)
    return [message for message in found if not message.startswith(UNDECIDED)]


def setting(row):
    domain = entry(row["domain"]).domain
    problem = read_problem(row["problem_pddl"], domain)
    return domain, replace(problem, init=frozenset(map(parse_atom, row["state"])))


def test_states_as_they_were_decided_pass(rows):
    assert {row["domain"] for row in rows["states"]} == {row["domain"] for row in rows["problems"]}
    for row in rows["states"]:
        assert faults(row) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda row: {"h_star": row["h_star"] + 1},
        lambda row: {"h_star": row["h_star"] - 1},
        lambda row: {"solvable": False, "h_star": None},
        lambda row: {"num_states": row["num_states"] + 1},
        lambda row: {"num_states": row["num_states"] - 1},
        lambda row: {"unreachable_actions": row["unreachable_actions"][1:]},
        lambda row: {"unreachable_actions": []},
        lambda row: {"unreachable_actions": [*row["unreachable_actions"], applicable(row)]},
    ],
)
def test_a_spoilt_state_is_seen(rows, change):
    solvable = [row for row in rows["states"] if row["h_star"] is not None and row["unreachable_actions"]]
    for row in solvable[::3]:
        assert faults({**row, **change(row)}), row["problem_id"]


def applicable(row):
    domain, problem = setting(row)
    return write_atom(applicable_steps(domain, problem, problem.init)[0])


def test_an_unsolvable_state_called_solvable_is_seen(rows):
    row = next(row for row in rows["states"] if row["domain"] == "blocksworld")
    text = row["problem_pddl"].replace("(:goal (and", "(:goal (and (on b1 b1)")
    assert faults({**row, "problem_pddl": text, "solvable": True})
    assert faults({**row, "problem_pddl": text, "solvable": False, "h_star": 3})
    assert faults({**row, "problem_pddl": text, "solvable": False, "h_star": None}) == []


def test_a_cost_called_optimal_is_proven_anew(rows):
    optimal = [row for row in rows["problems"] if row["plan_optimal"]]
    for row in optimal:
        domain = entry(row["domain"]).domain
        problem = read_problem(row["problem_pddl"], domain)
        assert check_optimal(domain, problem, row["plan_cost"], 20.0) == []
        assert check_optimal(domain, problem, row["plan_cost"] + 1, 20.0)


def test_a_number_of_states_is_counted_anew(rows):
    for row in rows["problems"]:
        domain = entry(row["domain"]).domain
        problem = read_problem(row["problem_pddl"], domain)
        if row["num_states"] is not None:
            assert check_size(domain, problem, row["num_states"]) == []
            few = min(row["num_states"], PLAIN_LIMIT)
            assert check_size(domain, problem, few - 1)
            assert bool(check_size(domain, problem, row["num_states"] + 1)) == (
                row["num_states"] <= PLAIN_LIMIT
            )


def test_the_size_is_that_of_the_state_and_not_of_its_problem(rows):
    """In visit-all what was visited stays so: from a later state fewer states are in reach."""
    later = [row for row in rows["states"] if row["domain"] == "visitall" and row["step"]]
    assert later
    for row in later:
        assert row["num_states"] == len(reachable(ground(*setting(row))).states)
    sizes = {row["problem_id"]: row["num_states"] for row in rows["states"] if not row["step"]}
    assert any(row["num_states"] < sizes[row["problem_id"]] for row in later)
