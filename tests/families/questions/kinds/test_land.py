"""Landmarks: every candidate once, each with a proof."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

from orrery.families.drafts import Rejected
from orrery.families.questions.kinds import land
from orrery.grading import grade
from tests.families.questions.asked_rows import ask_open, asked

rows = partial(asked, land.TASK)
ask = partial(ask_open, land.TASK)


def test_stores_every_candidate_once(cases_made):
    for case, row in rows(cases_made):
        item = case.item
        stated = [tuple(fact.strip("()").split()) for side in ("yes", "no") for fact in row["answer"][side]]
        assert len(stated) == len(set(stated))
        assert not set(stated) & (item.problem.init | item.problem.goal_facts)
        proofs = json.loads(row["proofs"])
        assert {side: len(proofs[side]) for side in proofs} == {
            s: len(row["answer"][s]) for s in row["answer"]
        }


def test_needs_a_plan_and_every_candidate(cases_made):
    case = next(c for c, row in rows(cases_made) if c.item.not_landmarks)
    item = case.item
    fewer = dict(list(item.not_landmarks.items())[1:])
    for changed in (
        replace(item, landmarks=None),
        replace(item, not_landmarks=None),
        replace(item, not_landmarks=fewer),
        replace(item, solvable=None),
        replace(item, solvable=False),
        replace(item, problem=replace(item.problem, goal=frozenset())),
    ):
        assert isinstance(ask(changed, case.words, case.rng), Rejected)


def test_facts_that_are_no_answer_grade_wrong(cases_made):
    for case, row in rows(cases_made):
        trivial = [f"({' '.join(fact)})" for fact in case.item.problem.init | case.item.problem.goal_facts]
        for fact in [*row["answer"]["no"], *trivial]:
            assert grade(f"ANSWER: {fact}", row).verdict == "wrong"
        no_answer = grade("ANSWER: None", row)
        assert no_answer.verdict == ("wrong" if row["answer"]["yes"] else "right")
