"""Every way of spoiling an answer is seen, and answers as they were made pass."""

import copy
from dataclasses import replace
from functools import cache

import pytest

from orrery.checks.questions import check, check_origin, columns
from orrery.checks.questions.kinds import kind_checks
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.verdicts import UNDECIDED
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import parse_atom
from orrery.planning.exhaustive_python import reachable
from orrery.planning.grounding import ground

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


def changed(row, change):
    """A changed copy of the row; None where there is nothing to change."""
    copied = copy.deepcopy(row)
    try:
        change(copied)
    except IndexError:  # nothing to take away here
        return None
    return None if copied == row else copied


def of_kind(rows, kind, wanted=lambda row: True):
    return [row for row in rows[f"acp_{kind}_gen"] if wanted(row)]


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_answers_as_they_were_made_pass(rows, table):
    assert rows[table]
    for row in rows[table]:
        assert check(row, rechecked_of(row)) == []


def first(name):
    """Remove the first element of a list within the answer."""
    return lambda row: within(row, name).pop(0)


def within(row, name):
    return row[name] if name in row else row["answer"][name]


def twice(name):
    return lambda row: within(row, name).append(within(row, name)[-1])


def another(name, element):
    return lambda row: within(row, name).append(element)


def move(source, target):
    return lambda row: row["answer"][target].append(row["answer"][source].pop(0))


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("app", first("answer")),
        ("app", twice("answer")),
        ("app", another("answer", "(fly a b)")),
        ("app", lambda row: row.update(num_applicable_actions=row["num_applicable_actions"] + 1)),
        ("prog", first("pos")),
        ("prog", first("neg")),
        ("prog", twice("pos")),
        ("prog", another("pos", "(holding zz)")),
        ("prog", another("neg", "(holding zz)")),
        ("prog", lambda row: row.update(answer={"pos": row["answer"]["neg"], "neg": row["answer"]["pos"]})),
        ("prog", lambda row: row.update(question="What changes?")),
        ("reach", first("answer")),
        ("reach", first("answer_all")),
        ("reach", lambda row: (row["answer"].pop(0), row["answer_all"].pop(0))),
        ("reach", lambda row: row.update(answer=[], answer_all=[])),
        ("reach", twice("answer_all")),
        ("reach", another("answer_all", "zz zz")),
        ("land", first("yes")),
        ("land", first("no")),
        ("land", twice("yes")),
        ("land", twice("no")),
        ("land", another("yes", "(zz zz)")),
        ("land", another("no", "(zz zz)")),
        ("land", move("yes", "no")),
        ("land", move("no", "yes")),
        ("land", lambda row: row.update(h_star=row["h_star"] + 1)),
        ("app", lambda row: row.update(num_objects=row["num_objects"] + 1)),
    ],
)
def test_a_spoilt_answer_is_seen_in_every_domain(rows, kind, change):
    seen = set()
    for row in of_kind(rows, kind):
        if (spoilt := changed(row, change)) is not None:
            assert faults(spoilt), row["id"]
            seen.add(row["domain"])
    assert len(seen) >= 2


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


def test_stored_texts_of_facts_are_read_as_they_were_written():
    assert parse_atom("(on a b)") == ("on", "a", "b")


def test_a_fault_proven_of_all_together_is_not_lost_where_none_is_named(rows, monkeypatch):
    row = next(row for row in rows["acp_reach_gen"] if row["answer_all"])
    monkeypatch.setattr(RecheckedState, "none_can_hold", lambda *_: False)
    monkeypatch.setattr(RecheckedState, "can_hold", lambda *_: None)
    assert "one of those stored can be reached" in faults(row)
