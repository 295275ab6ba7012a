"""Answers against brute force, and what is not asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orrery.families.drafts import Rejected
from orrery.families.questions.kinds import app, just, question_kinds, val
from orrery.grading import GRADERS as GRADED
from orrery.pddl.read import read_domain, read_problem
from tests.families.questions.asked_rows import ask_open, asked
from tests.tables import PUBLISHED

KINDS = question_kinds()


def test_kinds_are_found_in_the_folder():
    assert {"app", "land", "prog", "reach"} <= set(KINDS)
    groups = {kind.group_of(form) for kind in KINDS.values() for form in kind.formats}
    assert groups <= set(GRADED), "every group made is graded"
    assert all(kind.name == name for name, kind in KINDS.items())


@pytest.mark.by_day(3)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_columns_are_those_of_the_table_and_the_same_again(cases_made, kind):
    schema = PUBLISHED[f"acp_{kind}_gen"]
    for case, row in asked(KINDS[kind], cases_made):
        assert set(row) >= set(schema.names) - {"answer_all"}
        assert ask_open(KINDS[kind], case.item, case.words, case.rng) == row
        problem = read_problem(row["PDDL_problem"], read_domain(row["PDDL_domain"]))
        assert problem.init == case.item.problem.init


def one_fewer(name):
    """A change of a state: one fact or action of a decided set is missing."""
    return lambda item: {name: dict(list(getattr(item, name).items())[1:])}


def unknown(*names):
    return lambda item: dict.fromkeys(names)


def goal_holds(item):
    return {"problem": replace(item.problem, goal=frozenset()), "plan": ()}


NO_PLAN = (unknown("solvable", "plan"), lambda item: {"solvable": False, "plan": None}, goal_holds)
NOT_DECIDED = {
    "areach": (
        unknown("reachable_actions"), unknown("reachable_actions", "unreachable_actions"),
        unknown("unreachable_actions"), one_fewer("unreachable_actions"),
    ),
    "just": (unknown("plan"), *NO_PLAN),
    "land": (unknown("landmarks"), unknown("not_landmarks"), one_fewer("not_landmarks"), *NO_PLAN),
    "nexta": (
        unknown("optimal_first_actions"), unknown("not_optimal_first_actions"), unknown("h_star"),
        one_fewer("not_optimal_first_actions"), *NO_PLAN,
    ),
    "reach": (unknown("unreachable_facts"),),
    "val": (unknown("plan"), *NO_PLAN),
}  # fmt: skip


@pytest.mark.parametrize("kind", NOT_DECIDED)
def test_what_is_not_decided_is_not_asked(cases_made, kind):
    decided = [case for case, _ in asked(KINDS[kind], cases_made, least=5)]
    sets = ("not_landmarks", "not_optimal_first_actions", "unreachable_actions")
    case = next(case for case in decided if all(getattr(case.item, name) for name in sets))
    for change in NOT_DECIDED[kind]:
        changed = replace(case.item, **change(case.item))
        assert isinstance(ask_open(KINDS[kind], changed, case.words, case.rng), Rejected)


@pytest.mark.parametrize(("kind", "size"), [(app, "applicable"), (just, "plan"), (val, "plan")])
def test_long_answers_and_plans_are_not_asked_for(cases_made, monkeypatch, kind, size):
    case = next(case for case, _ in asked(kind.TASK, cases_made) if len(getattr(case.item, size)) > 2)
    if kind is val:
        monkeypatch.setattr(val, "USUAL", (1,))
    for longest, kept in ((len(getattr(case.item, size)), True), (len(getattr(case.item, size)) - 1, False)):
        monkeypatch.setattr(kind, "MOST", longest)
        assert isinstance(ask_open(kind.TASK, case.item, case.words, case.rng), dict) == kept
