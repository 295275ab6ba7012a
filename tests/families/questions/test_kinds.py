"""Answers against brute force, and what is not asked."""

from __future__ import annotations

import pytest

from orrery.families.questions.kinds import question_kinds
from orrery.grading import GRADERS as GRADED
from orrery.grading import grade
from orrery.pddl.read import read_domain, read_problem
from tests.families.questions.asked_rows import ask_open, asked
from tests.tables import PUBLISHED

KINDS = question_kinds()


def test_kinds_are_found_in_the_folder():
    assert {"app", "land", "prog", "reach"} <= set(KINDS)
    groups = {kind.group_of(form) for kind in KINDS.values() for form in kind.formats}
    assert groups <= set(GRADED), "every group made is graded"
    assert all(kind.name == name for name, kind in KINDS.items())


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_columns_are_those_of_the_table_and_the_same_again(cases_made, kind):
    schema = PUBLISHED[f"acp_{kind}_gen"]
    for case, row in asked(KINDS[kind], cases_made):
        assert list(row) == sorted(row, key=list(row).index)
        assert set(row) >= set(schema.names) - {"answer_all"}
        assert ask_open(KINDS[kind], case.item, case.words, case.rng) == row
        problem = read_problem(row["PDDL_problem"], read_domain(row["PDDL_domain"]))
        assert problem.init == case.item.problem.init


def rendered(kind, row):
    """A reply that gives the stored answer."""
    if kind == "app":
        return "ANSWER: " + (", ".join(row["answer"]) or "None")
    if kind == "prog":
        sides = {side: " ".join(row["answer"][side]) or "None" for side in ("pos", "neg")}
        return f"ANSWER: pos: {sides['pos']} neg: {sides['neg']}"
    right = row["answer"]["yes"] if kind == "land" else row["answer_all"]
    return "ANSWER: " + (right[0] if right else "None")


@pytest.mark.parametrize("kind", sorted(set(KINDS) & {"app", "prog", "land", "reach"}))
def test_the_stored_answer_grades_right(cases_made, kind):
    for _, row in asked(KINDS[kind], cases_made):
        score = grade(rendered(kind, row), row)
        assert (score.value, score.verdict) == (1, "right"), score
