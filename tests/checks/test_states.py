"""Decided states: every wrong cost, verdict or set of actions is seen."""

from dataclasses import replace

import pytest

from pipeline.checks import evidence, states
from pipeline.checks.open_matters import UNDECIDED
from pipeline.checks.states import DECIDED_LIMIT, PLAIN_LIMIT, check, check_decided
from pipeline.pddl.read import read_problem
from pipeline.pddl.write import parse_atom, write_atom
from pipeline.planners.exhaustive_python import reachable
from pipeline.planners.outcome import Answer, Outcome
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
    whole = [row for row in rows["states"] if (row["num_states"] or PLAIN_LIMIT) < PLAIN_LIMIT]
    solvable = [row for row in whole if row["h_star"] is not None and row["unreachable_actions"]]
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


def decided_faults(row):
    domain = entry(row["domain"]).domain
    return check_decided(domain, read_problem(row["problem_pddl"], domain), row, 20.0)


@pytest.mark.parametrize("limit", [DECIDED_LIMIT, 2], ids=["by a plain search", "by A*"])
def test_a_cost_called_optimal_is_proven_anew(rows, limit, monkeypatch):
    monkeypatch.setattr(states, "DECIDED_LIMIT", limit)
    optimal = [row for row in rows["problems"] if row["plan_optimal"]]
    for row in optimal[:: 1 if limit > 2 else 4]:
        assert decided_faults(row) == []
        for wrong in (row["plan_cost"] + 1, row["plan_cost"] - 1):
            assert decided_faults({**row, "plan_cost": wrong})


def test_an_unsolvable_problem_has_no_optimal_plan(rows):
    row = next(row for row in rows["problems"] if row["domain"] == "blocksworld" and row["plan_optimal"])
    text = row["problem_pddl"].replace("(:goal (and", "(:goal (and (on b1 b1)")
    assert any("there is none" in fault for fault in decided_faults({**row, "problem_pddl": text}))


def test_a_number_of_states_is_counted_anew(rows):
    for row in rows["problems"]:
        if row["num_states"] is not None:
            limit = DECIDED_LIMIT if row["plan_optimal"] else PLAIN_LIMIT
            assert decided_faults(row) == []
            assert decided_faults({**row, "num_states": min(row["num_states"], limit) - 1})
            more = decided_faults({**row, "num_states": row["num_states"] + 1})
            assert bool(more) == (row["num_states"] <= limit)


def test_what_several_checks_ask_is_asked_once(rows, monkeypatch):
    asked = []
    monkeypatch.setattr(
        evidence, "solve", lambda task, **_: asked.append(task) or Answer(Outcome.OUT_OF_TIME)
    )
    evidence._shortest.cache_clear()
    domain, problem = setting(rows["states"][0])
    for name in ("a", "b"):
        evidence.shortest(domain, replace(problem, name=name), 20.0)
    evidence.shortest(domain, replace(problem, goal=frozenset()), 20.0)
    evidence._shortest.cache_clear()
    assert len(asked) == 2


def test_the_size_is_that_of_the_state_and_not_of_its_problem(rows):
    """In visit-all what was visited stays so: from a later state fewer states are in reach."""
    later = [row for row in rows["states"] if row["domain"] == "visitall" and row["step"]]
    assert later
    for row in later:
        assert row["num_states"] == len(reachable(ground(*setting(row))).states)
    sizes = {row["problem_id"]: row["num_states"] for row in rows["states"] if not row["step"]}
    assert any(row["num_states"] < sizes[row["problem_id"]] for row in later)
