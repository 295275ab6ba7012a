"""Effects of an action against the lifted semantics."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product

import pytest

from orrery.families.drafts import BOOL, Rejected
from orrery.families.questions.claims import paired
from orrery.families.questions.context import context_of
from orrery.families.questions.distractors import turn_of
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.kinds import app, prog
from orrery.grading import grade
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_atom
from orrery.planning import execution
from tests.effort import by_day, slow, some
from tests.families.questions.asked_rows import ask_open, asked, steps_of
from tests.universe import applicable_steps

rows = partial(asked, prog.TASK)
ask = partial(ask_open, prog.TASK)


def named_step(row, item):
    """The step of a question: the only applicable one that it names."""
    steps = applicable_steps(item.domain, item.problem, item.problem.init)
    named = [step for step in steps if write_atom(step) in row["question"]]
    assert len(named) == 1
    return named[0]


def test_prefers_actions_with_an_effect(cases_made):
    idle = 0
    for case, row in rows(cases_made):
        item, state = case.item, case.item.problem.init
        steps = applicable_steps(item.domain, item.problem, state)
        idle += any(execution.progress(item.domain, state, step) == state for step in steps)
        if any(execution.progress(item.domain, state, step) != state for step in steps):
            assert row["answer"]["pos"] or row["answer"]["neg"]
    assert idle, "no state offers an action without effect: the test shows nothing"


def test_draws_every_changing_action_and_every_name_alike(cases_made):
    case = max(cases_made, key=lambda case: len({action.step[0] for action in case.item.applicable}))
    state, item, count = case.item.problem.init, case.item, 300
    steps = applicable_steps(item.domain, item.problem, state)
    changing = [step for step in steps if execution.progress(item.domain, state, step) != state]
    names = Counter(step[0] for step in changing)
    assert len(names) >= 3
    assert len(set(names.values())) > 1, "as many of each: the test shows nothing"
    answers_made = (ask(item, case.words, random.Random(seed)) for seed in range(count))
    steps_drawn = [named_step(row, item) for row in answers_made]
    assert set(steps_drawn) == set(changing)
    drawn = Counter(step[0] for step in steps_drawn)
    assert all(0.7 < drawn[name] * len(names) / count < 1.3 for name in names)


def test_fewer_or_more_effects_grade_wrong(cases_made):
    for case, row in rows(cases_made):
        all_atoms = {write_atom(fact) for fact in case.item.task.facts}
        for side, atom in product(("pos", "neg"), sorted(all_atoms)):
            changed = {**row["answer"], side: sorted({*row["answer"][side]} ^ {atom})}
            stated = {name: " ".join(facts) or "None" for name, facts in changed.items()}
            reply = f"ANSWER: pos: {stated['pos']} neg: {stated['neg']}"
            score = grade(reply, row)
            assert score.verdict == "wrong", (reply, row["answer"])
            assert score.parts[side] == 0
            assert score.parts["pos"] + score.parts["neg"] == 1


def test_what_holds_before_and_what_names_objects_of_the_action_is_measured(cases_made):
    """Claims may say what holds now, and what the action speaks of: that is evened out by these measures."""
    sides = Counter()
    for case in cases_made:
        if not case.item.applicable:
            continue
        offered = prog.offer(StateEvidence(case.item, case.rng), case.rng)
        named = {*offered.steps[0][1:]}
        for candidate in offered.candidates:
            before = sum(atom in case.item.problem.init for atom in candidate.atoms)
            shared = len(named & {name for atom in candidate.atoms for name in atom[1:]})
            assert dict(offered.measure(candidate))["facts that hold"] == before
            assert dict(offered.measure(candidate))["objects of the action"] == shared
            sides[candidate.holds, before > 0] += 1
    assert len(sides) == 4, "neither what holds nor what does not before is true and false"


@slow
def test_claims_that_may_stand_for_each_other_look_alike_and_have_as_many_facts_that_hold_before(cases_made):
    """Facts of the state last more often than others come about: counting them must not give the answer.

    Nor must the objects that the facts have in common: "b1 is clear, and b2 is on b1" contradicts itself.
    """
    alike = defaultdict(lambda: defaultdict(set))
    for place, case in enumerate(cases_made):
        with suppress(Rejected):
            context, turn = context_of(case.item, case.words), turn_of(0, (), place)
            evidence = StateEvidence(case.item, case.rng)
            for draft in prog.TASK.claims(prog.TASK, evidence, context, turn, case.rng)[BOOL]:
                row = draft.rows[0]
                facts = steps_of(json.loads(row["claim"])["facts"])
                before = sum(fact in case.item.problem.init for fact in facts)
                names = [name for fact in facts for name in fact[1:]]
                look = (before, *map(names.index, names))
                alike[place, draft.shifts[0]][row["answer"]].add(look)
    matched = [answers for answers in alike.values() if len(answers) == 2]
    assert all(len(set.union(*answers.values())) == 1 for answers in matched)
    assert {min(answers["yes"])[0] > 0 for answers in matched} == {True, False}


@by_day(1)
@pytest.mark.parametrize("equal_effects", [0, 1])
def test_claims_of_a_stream_have_three_facts_and_match_in_what_holds_before_or_in_the_effects(
    cases_made, monkeypatch, equal_effects
):
    monkeypatch.setattr(prog, "OF_EQUAL_EFFECTS", equal_effects)
    matched = 0
    for case in cases_made:
        evidence, before = StateEvidence(case.item, case.rng), case.item.problem.init
        for _ in range(some(40) if case.item.applicable else 0):
            offered = prog.fresh_offer(evidence, case.rng)
            after = execution.progress(case.item.domain, before, offered.steps[0])
            groups = defaultdict(list)
            for candidate in offered.candidates:
                assert len({*candidate.atoms}) == 3
                assert candidate.holds == after.issuperset(candidate.atoms)
                groups[paired(candidate)].append(candidate)
            for alike in groups.values():
                if len({candidate.holds for candidate in alike}) == 2:
                    facts = [set(candidate.atoms) for candidate in alike]
                    effects = {(len(of & (after - before)), len(of & (before - after))) for of in facts}
                    assert len(effects if equal_effects else {len(of & before) for of in facts}) == 1
                    matched += 1
    assert matched


DEAD_END = """(define (problem d) (:domain relay) (:objects r1 - captain)
  (:init (thanked r1 r1) (raining)) (:goal (at r1 home)))"""


def test_nothing_applicable(cases_made):
    case = next(case for case in cases_made if case.item.domain.name == "relay")
    domain = replace(case.item.domain, actions=tuple(a for a in case.item.domain.actions if a.name != "wait"))
    item = replace(case.item, domain=domain, problem=read_problem(DEAD_END, domain))
    assert ask(item, case.words, case.rng).reason == "no applicable action"
    row = ask_open(app.TASK, item, case.words, case.rng)
    assert row["answer"] == []
    assert grade("ANSWER: None", row).value == 1
