"""Sequences with one action that cannot be carried out, against execution from the schemas."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from orrery.families.questions.kinds import val
from orrery.families.questions.question_row import NotAsked, QuestionRow
from orrery.semantics import execution

ask = val.KIND.question


def steps_of(texts):
    return [tuple(text.strip("()").split()) for text in texts]


def rows(cases, seeds=6):
    made = [(case, ask(case.item, case.words, Random(seed))) for case in cases for seed in range(seeds)]
    found = [(case, row.columns()) for case, row in made if isinstance(row, QuestionRow)]
    assert len(found) >= 60, "too few questions to show anything"
    return found


def test_the_index_is_where_execution_first_fails(cases_made):
    for case, row in rows(cases_made):
        item = case.item
        verdict = execution.check_plan(item.domain, item.problem, steps_of(row["sequence"]))
        assert not verdict.valid
        assert verdict.failed_at == row["answer"], row["sequence"]
        assert " ".join(row["sequence"]) in row["question"]


def test_one_action_of_the_plan_gave_way_to_one_whose_statics_hold(cases_made):
    for case, row in rows(cases_made):
        item, sequence = case.item, steps_of(row["sequence"])
        differing = [i for i, (a, b) in enumerate(zip(item.plan, sequence, strict=True)) if a != b]
        assert differing == [row["answer"]]
        step = sequence[row["answer"]]
        assert not execution.mistyped(item.domain, item.problem, step)
        action = item.domain.action_named[step[0]]
        lasting = [p for p in action.preconditions if p.atom[0] not in item.domain.fluents]
        rest = replace(action, preconditions=frozenset(lasting))
        domain = replace(item.domain, actions=(rest,))
        assert execution.applicable(domain, item.problem.init, step)


def test_places_and_names_are_drawn_evenly(cases_made):
    case = max(cases_made, key=lambda case: len(case.item.plan or ()))
    length, count = len(case.item.plan), 600
    assert length >= 4
    made = [ask(case.item, case.words, Random(seed)).columns() for seed in range(count)]
    places = Counter(row["answer"] for row in made)
    assert set(places) == set(range(length))
    assert max(places.values()) < 1.4 * count / length
    assert min(places.values()) > 0.6 * count / length
    names = Counter(steps_of(row["sequence"])[row["answer"]][0] for row in made)
    assert len(names) == len(case.item.domain.actions)
    assert max(names.values()) < 0.6 * count


def test_not_asked_without_a_plan_of_fitting_length(cases_made, monkeypatch):
    case = next(case for case, _ in rows(cases_made))
    item, longest = case.item, len(case.item.plan)
    for changed, reason in (
        (replace(item, plan=None), "no plan is known"),
        (replace(item, solvable=None, plan=None), "no plan is known"),
        (replace(item, solvable=False, plan=None), "unsolvable"),
        (replace(item, problem=replace(item.problem, goal=frozenset()), plan=()), "the goal holds already"),
    ):
        assert ask(changed, case.words, case.rng) == NotAsked(reason)
    monkeypatch.setattr(val, "MOST", longest)
    assert isinstance(ask(item, case.words, case.rng), QuestionRow)
    monkeypatch.setattr(val, "MOST", longest - 1)
    assert isinstance(ask(item, case.words, case.rng), NotAsked)
