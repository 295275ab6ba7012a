"""Sequences with one action that cannot be carried out, against execution from the schemas."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from random import Random
from statistics import median
from string import Formatter

import pytest

from orrery.families.questions.context import context_of
from orrery.families.questions.kinds import val
from orrery.families.questions.sequences import USUAL
from orrery.planning import execution
from orrery.planning.universe import ground_steps
from tests.effort import slow
from tests.every_domain import entry
from tests.families.questions.asked_rows import ASKED, ask_open, asked, every_domain_with_questions, steps_of

rows = partial(asked, val.TASK, seeds=6, least=60)
ask = partial(ask_open, val.TASK)


@slow
def test_one_action_of_a_plan_gave_way_to_one_whose_statics_hold(cases_made):
    for case, row in rows(cases_made)[::3]:
        item, sequence = case.item, steps_of(row["sequence"])
        place = row["answer"]
        steps = ground_steps(item.domain, item.problem)
        plans = ([*sequence[:place], step, *sequence[place + 1 :]] for step in steps)
        assert any(execution.check_plan(item.domain, item.problem, plan).valid for plan in plans)
        step = sequence[place]
        assert not execution.mistyped(item.domain, item.problem, step)
        action = item.domain.action_named[step[0]]
        lasting = [p for p in action.preconditions if p.atom[0] not in item.domain.fluents]
        lasting_action = replace(action, preconditions=frozenset(lasting))
        domain = replace(item.domain, actions=(lasting_action,))
        assert execution.applicable(domain, item.problem.init, step)


@slow
def test_places_and_names_are_drawn_evenly(cases_made):
    case = max(cases_made, key=lambda case: len(case.item.plan or ()))
    count = 400
    questions = [ask(case.item, case.words, Random(seed)) for seed in range(count)]
    thirds = Counter(3 * row["answer"] // len(row["sequence"]) for row in questions)
    assert set(thirds) == {0, 1, 2}
    assert max(thirds.values()) < 1.3 * count / 3
    for place in (0, -1):
        expected = sum(1 / len(row["sequence"]) for row in questions)
        at_place = sum(row["answer"] == range(len(row["sequence"]))[place] for row in questions)
        assert 0.5 * expected < at_place < 1.6 * expected
    names = Counter(steps_of(row["sequence"])[row["answer"]][0] for row in questions)
    assert len(names) == len(case.item.domain.actions)
    assert max(names.values()) < 0.6 * count


def test_sequences_are_of_usual_length_however_short_the_plan(cases_made):
    """With two or three steps the first would be a good guess at the one that fails."""
    lengths = [len(row["sequence"]) for case, row in rows(cases_made) if len(case.item.plan) < 9]
    assert median(lengths) >= 12
    assert sum(length >= min(USUAL) for length in lengths) >= 0.8 * len(lengths)


SCHEMAS = {action.name: action for name in ASKED for action in entry(name).domain.actions}


@pytest.mark.parametrize("foreign", val.FOREIGN, ids=lambda action: action.name)
def test_a_foreign_action_is_one_of_another_domain_so_that_no_list_of_verbs_tells_it(foreign):
    assert foreign.arity == len(SCHEMAS[foreign.name].parameters)
    named = {int(field) for _, field, _, _ in Formatter().parse(foreign.phrase) if field is not None}
    assert named == set(range(foreign.arity))


@every_domain_with_questions
def test_every_domain_has_foreign_actions_and_none_is_its_own(name):
    domain = entry(name).domain
    foreign_names = {typed.name for typed in val.foreign_to(domain)}
    assert len(foreign_names) >= 4
    assert foreign_names.isdisjoint(action.name for action in domain.actions)


def test_objects_are_called_what_the_domain_calls_them(cases_made):
    nouns = {
        case.item.domain.name: val.nouns_of_objects(context_of(case.item, case.words)) for case in cases_made
    }
    assert set(nouns["blocksworld"].values()) == {"block"}
    assert {nouns["relay"][constant.name] for constant in cases_made[0].item.domain.constants} <= {"place"}
