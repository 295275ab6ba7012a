"""Unreachable facts: all of them, and the first as published sets have them."""

from __future__ import annotations

import re
from functools import partial
from itertools import groupby

import pytest

from orrery.families.questions.context import WORDINGS
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.kinds import areach, reach
from orrery.language.words import macros_of
from orrery.planning.execution import types_of_objects
from tests.families.questions.asked_rows import ask_open, asked

rows = partial(asked, reach.TASK)
ask = partial(ask_open, reach.TASK)


def test_stores_the_published_form_and_all(cases_made, monkeypatch):
    monkeypatch.setattr(reach, "PUBLISHED_MOST", 2)
    capped = 0
    for case, row in rows(cases_made):
        assert row["answer_all"] == [" ".join(fact) for fact in sorted(case.item.unreachable_facts)]
        assert row["answer"] == row["answer_all"][:2]
        capped += len(row["answer_all"]) > 2
    assert capped


@pytest.mark.parametrize("kind", [reach, areach])
def test_claims_that_stand_in_for_each_other_name_objects_of_the_same_types(cases_made, kind):
    """A fact on what nothing moves is false in every state: beside it, any other would be seen to be true."""
    seen = 0
    for case in cases_made:
        types = types_of_objects(case.item.domain, case.item.problem)
        offered = kind.offer(StateEvidence(case.item, case.rng), case.rng).candidates
        alike = groupby(sorted(offered, key=lambda typed: repr(typed.features)), lambda typed: typed.features)
        for group in (list(group) for _, group in alike):
            types_claimed = {
                tuple(types[name] for atom in typed.atoms for name in atom[1:]) for typed in group
            }
            assert len(types_claimed) == 1
            seen += len({typed.holds for typed in group}) == 2
    assert seen


def test_a_single_fact_is_not_asked_about_as_if_it_had_parts(cases_made):
    templates = cases_made[0].words.templates
    macros = macros_of(templates, "questions/reach")
    for variant in range(WORDINGS):
        question = str(macros.question_bool(variant, "the robot is in room a", ""))
        assert "the robot is in room a" in question
        assert not re.search("all of it|in all its parts|each of them", question)


def test_no_goal_is_a_condition_of_the_future(cases_made):
    """ "The task is done when you will find ..." is no English; wordings of facts may say "you will find"."""
    assert ' when "' not in (cases_made[0].words.templates / "questions" / "context.j2").read_text("utf-8")
