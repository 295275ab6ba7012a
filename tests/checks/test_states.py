"""Decided states: every wrong cost, verdict or set of actions is seen."""

from dataclasses import replace

import pytest

from orrery.checks import rechecked_state
from orrery.checks.reachability import Pairs
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.states import check, check_decided, label_faults, published_faults
from orrery.checks.verdicts import UNDECIDED
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom, write_atom
from orrery.planning.exhaustive_python import reachable
from orrery.planning.grounding import ground
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from tests.effort import by_day, slow
from tests.every_domain import entry
from tests.universe import applicable_steps

LIMIT = 5_000


def faults(row):
    faults_read = check(RecheckedState(*domain_and_problem(row), 20.0, 200.0), row)
    return [message for message in faults_read if not message.startswith(UNDECIDED)]


def domain_and_problem(row):
    domain = entry(row["domain"]).domain
    problem = read_problem(row["problem_pddl"], domain)
    return domain, replace(problem, init=frozenset(map(parse_atom, row["state"])))


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
        lambda row: {"reachable_actions": row["reachable_actions"][1:]},
        lambda row: {"reachable_actions": [*row["reachable_actions"], row["unreachable_actions"][0]]},
        lambda row: {"num_steps": row["num_steps"] + 1},
        lambda row: {"num_unreachable_actions": row["num_unreachable_actions"] - 1},
        lambda row: {"plan": row["plan"][1:]},
    ],
)
def test_a_spoilt_state_is_seen(rows, change):
    whole = [row for row in rows["solved_states"] if (row["num_states"] or LIMIT) < LIMIT]
    solvable = [row for row in whole if row["h_star"] is not None and row["unreachable_actions"]]
    for row in solvable[::3]:
        assert faults({**row, **change(row)}), row["problem_id"]


def hopeless(row):
    """The problem of blocksworld with a goal besides its own that nothing reaches."""
    block = read_problem(row["problem_pddl"], entry("blocksworld").domain).objects[0].name
    return row["problem_pddl"].replace("(:goal (and", f"(:goal (and (on {block} {block})")


def applicable(row):
    domain, problem = domain_and_problem(row)
    return write_atom(applicable_steps(domain, problem, problem.init)[0])


def test_an_unsolvable_state_called_solvable_is_seen(rows):
    row = next(row for row in rows["solved_states"] if row["domain"] == "blocksworld")
    text = hopeless(row)
    assert faults({**row, "problem_pddl": text, "solvable": True})
    no_plan = {**row, "problem_pddl": text, "plan": [], "plan_optimal": False}
    assert faults({**no_plan, "solvable": False, "h_star": 3})
    assert faults({**no_plan, "solvable": False, "h_star": None}) == []


def decided_faults(row, limit=LIMIT):
    domain = entry(row["domain"]).domain
    problem = read_problem(row["problem_pddl"], domain)
    return check_decided(RecheckedState(domain, problem, 20.0, 200.0, most=limit), row)


@slow
@pytest.mark.parametrize("limit", [LIMIT, 2], ids=["by a plain search", "by A*"])
def test_a_cost_called_optimal_is_proven_anew(rows, limit):
    optimal = [row for row in rows["problems"] if row["plan_optimal"]]
    for row in optimal[:: 1 if limit > 2 else 4]:
        assert decided_faults(row, limit) == []
        for wrong in (row["plan_cost"] + 1, row["plan_cost"] - 1):
            assert decided_faults({**row, "plan_cost": wrong}, limit)


def test_an_unsolvable_problem_has_no_optimal_plan(rows):
    row = next(row for row in rows["problems"] if row["domain"] == "blocksworld" and row["plan_optimal"])
    text = hopeless(row)
    assert any("stated solvable" in fault for fault in decided_faults({**row, "problem_pddl": text}))


def test_a_number_of_states_is_counted_anew(rows):
    for row in rows["problems"]:
        if row["num_states"] is not None:
            assert decided_faults(row) == []
            assert decided_faults({**row, "num_states": min(row["num_states"], LIMIT) - 1})
            faults_read = decided_faults({**row, "num_states": row["num_states"] + 1})
            assert bool(faults_read) == (row["num_states"] <= LIMIT)


def test_what_several_checks_ask_is_asked_once(rows, monkeypatch):
    calls = []
    monkeypatch.setattr(
        rechecked_state,
        "solve",
        lambda task, **_: calls.append(task) or PlannerResult(PlannerOutcome.OUT_OF_TIME),
    )
    monkeypatch.setattr(Pairs, "exclude", lambda *_: False)
    row = next(row for row in rows["solved_states"] if row["h_star"])
    state = RecheckedState(*domain_and_problem(row), 20.0, 200.0, plain=False)
    for _ in range(2):
        assert state.h_star is None
        assert state.solvable is None
        assert state.can_hold(rechecked_state.Condition(1 << 0, 1 << 0)) is None
    assert len(calls) == 4  # by A*, by LAMA, and for the condition by both


def test_the_size_is_that_of_the_state_and_not_of_its_problem(rows):
    """In visit-all what was visited stays so: from a later state fewer states are in reach."""
    later = [row for row in rows["solved_states"] if row["domain"] == "visitall" and row["step"]]
    assert later
    for row in later:
        assert row["num_states"] == len(reachable(ground(*domain_and_problem(row))).states)
    sizes = {row["problem_id"]: row["num_states"] for row in rows["solved_states"] if not row["step"]}
    assert any(row["num_states"] < sizes[row["problem_id"]] for row in later)


def published_faults_of(row):
    domain = entry(row["domain"]).domain
    state = RecheckedState(domain, read_problem(row["problem_pddl"], domain), 20.0, 200.0)
    found = [*published_faults(state, row), *label_faults(state, row)]
    return [message for message in found if not message.startswith(UNDECIDED)]


def test_published_states_are_those_of_which_everything_is_decided(rows):
    solved = [row for row in rows["solved_states"] if not row["undecided"] and row["unreachable_listed"]]
    names = {f"{row['problem_id']}/{row['source']}-{row['step']}/state" for row in solved}
    assert {row["id"] for row in rows["states"]} == names
    assert len({row["domain"] for row in rows["states"]}) > 1


def moved(row, source, target):
    """The row with the first element of a column in another one, and labels that fit in number."""
    first, *others = row[source]
    proofs = {"landmarks": {"landmark_proofs": row["landmark_proofs"][1:]}}
    return {source: others, target: sorted([*row[target], first]), **proofs.get(source, {})}


# Beside those of `tests/stages/test_damage.py`.
SPOILT_STATES = {
    "another proof of h*": ("h_star", lambda row: {"h_star_proof": "astar"}),
    "a landmark among the others": ("landmarks", lambda row: moved(row, "landmarks", "not_landmarks")),
    "no landmark among the landmarks": (
        "not_landmarks",
        lambda row: {
            **moved(row, "not_landmarks", "landmarks"),
            "landmark_proofs": ["exhaustion", *row["landmark_proofs"]],
        },
    ),
    "another label of a landmark": (
        "landmarks",
        lambda row: {"landmark_proofs": ["h2", *row["landmark_proofs"][1:]]},
    ),
    "another label of a fact": (
        "unreachable_facts",
        lambda row: {"unreachable_fact_proofs": ["h2", *row["unreachable_fact_proofs"][1:]]},
    ),
    "an applicable action": (
        "plan",
        lambda row: {
            "unreachable_actions": sorted([*row["unreachable_actions"], row["plan"][0]]),
            "unreachable_action_proofs": ["exhaustion", *row["unreachable_action_proofs"]],
        },
    ),
    "another label of an action": (
        "unreachable_actions",
        lambda row: {"unreachable_action_proofs": ["witness", *row["unreachable_action_proofs"][1:]]},
    ),
}


@by_day(3)
@pytest.mark.parametrize("damage", SPOILT_STATES)
def test_a_spoilt_published_state_is_seen(rows, damage):
    column, change = SPOILT_STATES[damage]
    usable = [row for row in rows["states"] if row[column] and (row["num_states"] or LIMIT) < LIMIT]
    assert usable
    for row in usable[::5]:
        assert published_faults_of({**row, **change(row)}), row["id"]
