"""Landmarks: every candidate once, each with a proof."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from orrery.families.drafts import Rejected
from orrery.families.questions.kinds import land
from tests.families.questions.asked_rows import ask_open, asked

rows = partial(asked, land.TASK)
ask = partial(ask_open, land.TASK)


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
