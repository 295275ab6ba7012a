"""Answers against brute force, and what is not asked."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from orrery.families.questions import NotAsked, QuestionRow, app, land, prog, question_kinds, reach
from orrery.grading import KINDS, grade
from orrery.pddl.read import read_domain, read_problem
from orrery.semantics import execution
from tests.tables import PUBLISHED

MODULES = question_kinds()


def rows(cases, kind):
    made = [(case, kind.make(case.item, case.words, case.rng)) for case in cases]
    found = [(case, row) for case, row in made if isinstance(row, QuestionRow)]
    assert len(found) >= len(cases) // 3, "too few questions to tell anything"
    return found


def test_kinds_are_found_in_the_folder():
    assert {"app", "land", "prog", "reach"} <= set(MODULES)
    assert all(module.GROUP in KINDS for module in MODULES.values()), "every group made is graded"


def test_app_lists_what_brute_force_over_the_types_finds(cases_made):
    for case, row in rows(cases_made, app):
        item = case.item
        steps = execution.applicable_steps(item.domain, item.problem, item.problem.init)
        assert row.answer == [f"({' '.join(step)})" for step in sorted(steps)]


def test_app_is_not_asked_where_the_list_is_long(cases_made, monkeypatch):
    case = next(case for case in cases_made if len(case.item.applicable) > 1)
    monkeypatch.setattr(app, "MOST", len(case.item.applicable))
    assert isinstance(app.make(case.item, case.words, case.rng), QuestionRow)
    monkeypatch.setattr(app, "MOST", len(case.item.applicable) - 1)
    assert isinstance(app.make(case.item, case.words, case.rng), NotAsked)


def named_step(row, item):
    """The step of a question: the only applicable one that it names."""
    steps = execution.applicable_steps(item.domain, item.problem, item.problem.init)
    named = [step for step in steps if f"({' '.join(step)})" in row.texts.question]
    assert len(named) == 1
    return named[0]


def test_prog_is_the_difference_of_two_states(cases_made):
    for case, row in rows(cases_made, prog):
        before = case.item.problem.init
        after = execution.progress(case.item.domain, before, named_step(row, case.item))
        assert row.answer["pos"] == sorted(f"({' '.join(fact)})" for fact in after - before)
        assert row.answer["neg"] == sorted(f"({' '.join(fact)})" for fact in before - after)


def test_prog_prefers_actions_with_an_effect(cases_made):
    idle = 0
    for case, row in rows(cases_made, prog):
        item, state = case.item, case.item.problem.init
        steps = execution.applicable_steps(item.domain, item.problem, state)
        idle += any(execution.progress(item.domain, state, step) == state for step in steps)
        if any(execution.progress(item.domain, state, step) != state for step in steps):
            assert row.answer["pos"] or row.answer["neg"]
    assert idle, "no state offers an action without effect: the test shows nothing"


def test_prog_draws_every_action(cases_made):
    case = max(cases_made, key=lambda case: len(case.item.applicable))
    drawn = {
        named_step(prog.make(case.item, case.words, random.Random(seed)), case.item) for seed in range(200)
    }
    state = case.item.problem.init
    changing = {
        step
        for step in execution.applicable_steps(case.item.domain, case.item.problem, state)
        if execution.progress(case.item.domain, state, step) != state
    }
    assert drawn == changing


def test_prog_draws_every_name_alike(cases_made):
    case = max(cases_made, key=lambda case: len({action.step[0] for action in case.item.applicable}))
    state, item, count = case.item.problem.init, case.item, 300
    steps = execution.applicable_steps(item.domain, item.problem, state)
    names = Counter(step[0] for step in steps if execution.progress(item.domain, state, step) != state)
    assert len(names) >= 3
    assert len(set(names.values())) > 1, "as many of each: the test shows nothing"
    made = (prog.make(item, case.words, random.Random(seed)) for seed in range(count))
    drawn = Counter(named_step(row, item)[0] for row in made)
    assert all(0.7 < drawn[name] * len(names) / count < 1.3 for name in names)


DEAD_END = """(define (problem d) (:domain relay) (:objects r1 - captain)
  (:init (thanked r1 r1) (raining)) (:goal (at r1 home)))"""


def test_nothing_applicable(cases_made):
    case = next(case for case in cases_made if case.item.domain.name == "relay")
    domain = replace(case.item.domain, actions=tuple(a for a in case.item.domain.actions if a.name != "wait"))
    item = replace(case.item, domain=domain, problem=read_problem(DEAD_END, domain))
    assert prog.make(item, case.words, case.rng) == NotAsked("no applicable action")
    row = app.make(item, case.words, case.rng)
    assert row.answer == []
    assert grade("ANSWER: None", row.columns()).value == 1


def test_land_stores_every_candidate_once(cases_made):
    for case, row in rows(cases_made, land):
        item = case.item
        told = [tuple(fact.strip("()").split()) for side in ("yes", "no") for fact in row.answer[side]]
        assert len(told) == len(set(told))
        assert not set(told) & (item.problem.init | item.problem.goal_facts)
        proofs = json.loads(row.columns()["proofs"])
        assert {side: len(proofs[side]) for side in proofs} == {s: len(row.answer[s]) for s in row.answer}


def test_land_needs_a_plan_and_every_candidate(cases_made):
    case = next(c for c, row in rows(cases_made, land) if c.item.not_landmarks)
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
        assert isinstance(land.make(changed, case.words, case.rng), NotAsked)


def test_reach_stores_the_published_form_and_all(cases_made, monkeypatch):
    monkeypatch.setattr(reach, "PUBLISHED_MOST", 2)
    capped = 0
    for case, row in rows(cases_made, reach):
        columns = row.columns()
        assert columns["answer_all"] == [" ".join(fact) for fact in sorted(case.item.unreachable)]
        assert columns["answer"] == columns["answer_all"][:2]
        capped += len(columns["answer_all"]) > 2
        for fact in columns["answer_all"]:
            assert grade(f"ANSWER: ({fact})", columns).value == 1
    assert capped


def test_reach_is_not_asked_where_facts_are_open(cases_made):
    case = cases_made[0]
    assert isinstance(reach.make(replace(case.item, unreachable=None), case.words, case.rng), NotAsked)


@pytest.mark.parametrize("kind", sorted(MODULES))
def test_columns_are_those_of_the_table_and_the_same_again(cases_made, kind):
    schema = PUBLISHED[f"acp_{kind}_gen"]
    for case, row in rows(cases_made, MODULES[kind]):
        columns = row.columns()
        assert list(columns) == sorted(columns, key=list(columns).index)
        assert set(columns) >= set(schema.names) - {"answer_all"}
        assert MODULES[kind].make(case.item, case.words, case.rng).columns() == columns
        problem = read_problem(columns["PDDL_problem"], read_domain(columns["PDDL_domain"]))
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


@pytest.mark.parametrize("kind", sorted(set(MODULES) & {"app", "prog", "land", "reach"}))
def test_the_stored_answer_grades_right(cases_made, kind):
    for _, row in rows(cases_made, MODULES[kind]):
        score = grade(rendered(kind, row.columns()), row.columns())
        assert (score.value, score.verdict) == (1, "right"), score


def test_fewer_or_more_actions_grade_wrong(cases_made):
    for case, row in rows(cases_made, app):
        columns = row.columns()
        wrong = [action for action in case.item.task.actions if action not in case.item.applicable]
        for left_out in columns["answer"]:
            kept = [action for action in columns["answer"] if action != left_out]
            assert grade("ANSWER: " + (", ".join(kept) or "None"), columns).verdict == "wrong"
        for action in wrong:
            more = [*columns["answer"], f"({' '.join(action.step)})"]
            assert grade("ANSWER: " + ", ".join(more), columns).verdict == "wrong"


def test_fewer_or_more_effects_grade_wrong(cases_made):
    for case, row in rows(cases_made, prog):
        columns = row.columns()
        others = {f"({' '.join(fact)})" for fact in case.item.task.facts}
        for side, other in product(("pos", "neg"), sorted(others)):
            changed = {**columns["answer"], side: sorted({*columns["answer"][side]} ^ {other})}
            reply = rendered("prog", {"answer": changed})
            score = grade(reply, columns)
            assert score.verdict == "wrong", (reply, columns["answer"])
            assert score.parts[side] == 0
            assert sum(score.parts.values()) == 1


def test_facts_that_are_no_answer_grade_wrong(cases_made):
    for case, row in rows(cases_made, land):
        columns = row.columns()
        trivial = [f"({' '.join(fact)})" for fact in case.item.problem.init | case.item.problem.goal_facts]
        for fact in [*columns["answer"]["no"], *trivial]:
            assert grade(f"ANSWER: {fact}", columns).verdict == "wrong"
        none = grade("ANSWER: None", columns)
        assert none.verdict == ("wrong" if columns["answer"]["yes"] else "right")
