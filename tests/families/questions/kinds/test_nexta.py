"""Actions that bring the goal closer, against a breadth-first search from every successor."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from orrery.families.drafts import Rejected
from orrery.families.questions.kinds import nexta
from tests.families.questions.asked_rows import ask_open, asked

rows = partial(asked, nexta.TASK, least=8)
ask = partial(ask_open, nexta.TASK)


def test_not_asked_unless_solvable_and_decided(cases_made):
    case = next(case for case, row in rows(cases_made) if row["answer"]["no"])
    item = case.item
    for changed in (
        replace(item, solvable=None),
        replace(item, solvable=False),
        replace(item, optimal_first_actions=None),
        replace(item, not_optimal_first_actions=None),
        replace(item, not_optimal_first_actions=dict(list(item.not_optimal_first_actions.items())[1:])),
        replace(item, h_star=None),
        replace(item, problem=replace(item.problem, goal=frozenset())),
    ):
        assert isinstance(ask(changed, case.words, case.rng), Rejected)
