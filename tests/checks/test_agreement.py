"""Texts and questions that contradict the row of their problem are seen."""

from types import SimpleNamespace

import pytest

from orrery.checks.agreement import check
from orrery.checks.text_to_pddl import _agrees
from tests.tables import MODELLING, PLANS, PUBLISHED


def problems_of(rows):
    return {row["id"]: row for row in rows["problems"]}


def problem_of(row):
    return row.get("problem_id") or row["id"].rpartition("/")[0]


# Rows of the plan tables and of states are about problems of their own: what they share is for other checks.
OTHERS = {*MODELLING, *PLANS, "problems", "states"}


@pytest.mark.parametrize("table", sorted(PUBLISHED.keys() - OTHERS))
def test_rows_as_they_were_made_agree_with_their_problem(rows, table):
    for row in rows[table]:
        assert check(row, problems_of(rows)[problem_of(row)]) == []


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("text_to_pddl", "plan"),
        ("text_to_pddl", "plan_optimal"),
        ("text_to_pddl", "strict_key"),
        ("text_to_pddl", "difficulty"),
        ("acp_app_gen", "PDDL_domain"),
        ("acp_app_gen", "seed_path"),
        ("acp_app_gen", "seen"),
        ("text_to_pddl", "seen"),
        ("acp_land_gen", "domain"),
    ],
)
def test_a_column_that_differs_is_named(rows, table, column):
    row = rows[table][0]
    spoilt = {**row, column: "something else"}
    assert check(spoilt, problems_of(rows)[problem_of(row)]) == [f"{column} is not that of its problem"]


def test_a_number_of_landmarks_is_that_of_the_initial_state(rows):
    listed = {
        row["problem_id"]: len(row["landmarks"]) for row in rows["states"] if row["state_source"] == "initial"
    }
    texts = (row for row in rows["text_to_pddl"] if row["vocabulary"] == "plain")
    row = next(row for row in texts if row["problem_id"] in listed)
    checked, number = SimpleNamespace(row=problems_of(rows)[row["problem_id"]]), listed[row["problem_id"]]
    assert _agrees(checked, row, number) == []
    assert _agrees(checked, row, None)
    for wrong in (None, number + 1):
        assert _agrees(checked, {**row, "num_landmarks": wrong}, number)
