"""Unreachable actions: complete, or complete by their complement, with enough types to recognise nonsense."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

from orrery.families.questions.kinds import areach
from orrery.families.questions.question_row import NotAsked, QuestionRow
from orrery.semantics.universe import ground_steps


def rows(cases):
    found = [(case, areach.KIND.question(case.item, case.words, case.rng)) for case in cases]
    assert all(isinstance(row, QuestionRow) for _, row in found)
    return [(case, row.columns()) for case, row in found]


def text(steps):
    return [f"({' '.join(step)})" for step in sorted(steps)]


def test_the_answer_is_what_brute_force_never_applies(cases_made):
    sides = set()
    for case, row in rows(cases_made):
        every = set(ground_steps(case.item.domain, case.item.problem))
        never = every - case.item.reachable_actions
        assert row["answer"] == text(never)
        assert row["num_unreachable"] == len(never)
        fewer = "reachable" if len(every - never) < len(never) else "unreachable"
        assert row["answer_all_is"] == fewer
        assert row["answer_all"] == text(never if fewer == "unreachable" else every - never)
        assert len(json.loads(row["proofs"])["answer"]) == len(never)
        sides.add(fewer)
    assert sides == {"reachable", "unreachable"}


def test_where_they_are_too_many_some_are_shown_and_the_fewer_kept(cases_made, monkeypatch):
    monkeypatch.setattr(areach, "SHOWN", 1)
    seen = set()
    for case in cases_made:
        item = replace(case.item, unreachable_actions=None)
        made = areach.KIND.question(item, case.words, case.rng)
        if isinstance(made, NotAsked):
            seen.add("not asked")
            continue
        row, whole = made.columns(), areach.KIND.question(case.item, case.words, case.rng).columns()
        assert len(row["answer"]) == 1
        assert set(row["answer"]) < set(whole["answer"]) or row["answer"] == whole["answer"]
        for name in ("answer_all", "answer_all_is", "num_unreachable", "typing"):
            assert row[name] == whole[name]
        seen.add(row["answer_all_is"])
    assert {"reachable", "unreachable"} <= seen


def test_the_typing_gives_every_well_typed_action(cases_made):
    for case, row in rows(cases_made):
        typing = json.loads(row["typing"])
        found = set()
        for name, places in typing["actions"].items():
            fitting = [sorted({o for kind in kinds for o in typing["objects"][kind]}) for kinds in places]
            found |= {(name, *arguments) for arguments in product(*fitting)}
        assert found == set(ground_steps(case.item.domain, case.item.problem))


def test_not_asked_where_actions_are_open(cases_made):
    case = cases_made[0]
    fewer = dict(list(case.item.unreachable_actions.items())[1:])
    for changed in (
        replace(case.item, reachable_actions=None),
        replace(case.item, reachable_actions=None, unreachable_actions=None),
        replace(case.item, unreachable_actions=fewer),
    ):
        assert isinstance(areach.KIND.question(changed, case.words, case.rng), NotAsked)
