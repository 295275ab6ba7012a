"""Every way of spoiling an answer is seen, and answers as they were made pass."""

from dataclasses import replace
from functools import cache

import pytest

from orrery.checks.questions import check, check_origin, columns
from orrery.checks.questions.kinds import kind_checks
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.verdicts import MALFORMED, UNDECIDED
from orrery.pddl.read import read_domain, read_problem
from orrery.planning.exhaustive_python import reachable
from orrery.planning.grounding import ground
from tests.checks.questions.spoilt_rows import changes, moved

TABLES = [f"acp_{name}_{form}" for name, check in kind_checks().by_name.items() for form in check.groups]


@cache
def rechecked(domain, problem):
    """One recheck for all rows of a state, spoilt ones too: what they share is found once."""
    read = columns.read({"PDDL_domain": domain, "PDDL_problem": problem, "id": "a row"})
    return RecheckedState(*read, 20.0, 200.0)


def rechecked_of(row):
    return rechecked(row["PDDL_domain"], row["PDDL_problem"])


def faults(row, rechecked=None):
    found = check(row, rechecked or rechecked_of(row))
    return [message for message in found if not message.startswith(UNDECIDED)]


def is_seen(row):
    """Whether a check finds a fault, or cannot read the row, which validation names as well."""
    try:
        return bool(faults(row))
    except MALFORMED:
        return True


def of_kind(rows, kind, wanted=lambda row: True):
    return [row for row in rows[f"acp_{kind}_gen"] if wanted(row)]


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_answers_as_they_were_made_pass(rows, table):
    assert rows[table]
    for row in rows[table]:
        assert check(row, rechecked_of(row)) == []


@pytest.mark.parametrize("kind", kind_checks().by_name)
def test_a_spoilt_answer_is_seen_in_every_domain(rows, kind):
    seen = set()
    for row in of_kind(rows, kind):
        for path, spoilt in changes(row):
            assert is_seen(spoilt), (row["id"], path)
            seen.add(row["domain"])
    assert len(seen) >= 2


@pytest.mark.parametrize(
    ("kind", "source", "target"), [("prog", "pos", "neg"), ("land", "yes", "no"), ("land", "no", "yes")]
)
def test_a_part_of_an_answer_on_the_wrong_side_is_seen_in_every_domain(rows, kind, source, target):
    spoilt = [row for row in (moved(row, source, target) for row in of_kind(rows, kind)) if row]
    assert len({row["domain"] for row in spoilt}) >= 2
    assert all(map(faults, spoilt))


def test_a_fact_that_can_be_reached_is_seen_among_the_unreachable(rows):
    for row in of_kind(rows, "reach")[::4]:
        task = ground_of(row)
        reached = " ".join(min(task.facts_of(reachable(task).states[-1])))
        stored = [*row["answer_all"], reached]
        assert f"({reached}) can be reached" in faults({**row, "answer_all": stored, "answer": stored[:50]})


def ground_of(row):
    domain = read_domain(row["PDDL_domain"])
    return ground(domain, read_problem(row["PDDL_problem"], domain))


def test_another_state_than_the_one_named_is_seen(rows):
    states = {(s["problem_id"], s["source"], s["step"]): s for s in rows["states"]}
    for row in of_kind(rows, "app"):
        state = states[row["problem_id"], row["state_source"], row["state_step"]]
        own = columns.read(row)[1]
        origin = replace(own, init=frozenset())
        assert check_origin(row, own, origin, state) == []
        assert check_origin(row, own, origin, None)
        assert check_origin({**row, "h_star": (row["h_star"] or 0) + 1}, own, origin, state)
        assert check_origin({**row, "num_states": (row["num_states"] or 0) + 1}, own, origin, state)
        assert check_origin(row, own, origin, {**state, "state": state["state"][1:]})
        assert check_origin(row, own, origin, {**state, "state": [*state["state"], "(zz)"]})
        assert check_origin(row, own, replace(origin, goal=frozenset()), state)
        assert check_origin(row, own, replace(origin, objects=own.objects[1:]), state)


def test_a_fault_proven_of_all_together_is_not_lost_where_none_is_named(rows, monkeypatch):
    row = next(row for row in rows["acp_reach_gen"] if row["answer_all"])
    monkeypatch.setattr(RecheckedState, "none_can_hold", lambda *_: False)
    monkeypatch.setattr(RecheckedState, "can_hold", lambda *_: None)
    assert "one of those stored can be reached" in faults(row)
