"""Unreachable actions of the universe: complete, and told from all other actions by what the row stores."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from orrery.families.drafts import Rejected
from orrery.families.questions.kinds import areach
from tests.families.questions.asked_rows import ask_open, asked

rows = partial(asked, areach.TASK, least=25)
ask = partial(ask_open, areach.TASK)


def test_not_asked_where_actions_are_open(cases_made):
    case, _ = next(pair for pair in rows(cases_made) if pair[0].item.unreachable_actions)
    fewer = dict(list(case.item.unreachable_actions.items())[1:])
    for changed in (
        replace(case.item, reachable_actions=None),
        replace(case.item, reachable_actions=None, unreachable_actions=None),
        replace(case.item, unreachable_actions=fewer),
        replace(case.item, unreachable_actions=None),
    ):
        assert isinstance(ask(changed, case.words, case.rng), Rejected)
