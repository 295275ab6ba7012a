"""Unreachable actions of the universe: complete, and told from all other actions by what the row stores."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from itertools import product

from orrery.families.drafts import Rejected
from orrery.families.questions.kinds import areach
from orrery.grading import grade
from orrery.planning.universe import ground_steps
from tests.families.questions.asked_rows import ask_open, asked
from tests.universe import actions, relaxed

rows = partial(asked, areach.TASK, least=25)
ask = partial(ask_open, areach.TASK)


def text(steps):
    return [f"({' '.join(step)})" for step in sorted(steps)]


def test_the_answer_is_what_brute_force_never_applies(cases_made):
    sides, needs = set(), set()
    for case, row in rows(cases_made):
        all_actions = actions(case.item.domain, case.item.problem)
        never = all_actions - case.item.reachable_actions
        assert row["answer"] == text(never)
        assert row["num_unreachable"] == len(never)
        assert row["chance"] == round(len(never) / len(all_actions), 6)
        fewer = "reachable" if len(all_actions - never) < len(never) else "unreachable"
        assert row["answer_all_is"] == fewer
        assert row["answer_all"] == text(never if fewer == "unreachable" else all_actions - never)
        assert len(json.loads(row["proofs"])["answer"]) == len(never)
        _, done = relaxed(case.item.domain, case.item.problem)
        assert row["answer_needs"] == ("none" if not never else "search" if never <= done else "relaxation")
        sides.add(fewer)
        needs.add(row["answer_needs"])
    assert sides == {"reachable", "unreachable"}
    assert "relaxation" in needs


def test_what_the_row_stores_tells_the_universe_from_other_actions(cases_made):
    outside = 0
    for case, row in rows(cases_made):
        all_actions = actions(case.item.domain, case.item.problem)
        names = [typed.name for typed in (*case.item.problem.objects, *case.item.domain.constants)]
        free = {
            (action.name, *arguments)
            for action in case.item.domain.actions
            for arguments in product(names, repeat=len(action.parameters))
            if len(action.parameters) < 4
        }
        for step in free | set(ground_steps(case.item.domain, case.item.problem)):
            score = grade(f"ANSWER: ({' '.join(step)})", row)
            assert ("is no action of the problem" in score.detail) == (step not in all_actions), (step, score)
            assert score.verdict == (
                "right" if step in all_actions - case.item.reachable_actions else "wrong"
            )
            outside += step not in all_actions
    assert outside > 100


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
