"""What can be removed from a plan, against carrying out every plan with one or two actions fewer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random

import pytest

from orrery.families.drafts import Rejected
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.kinds import just
from orrery.model import OrreryError
from orrery.planning.task import GroundAction
from tests.families.questions.asked_rows import ask_open, asked, steps_of
from tests.families.questions.test_all_domains import check_removals
from tests.universe import walk

BEFORE, BEHIND = 19, 147  # characters of the question around the plan, as graders of the published rows count

ask_just = partial(asked, just.TASK, seeds=5, least=50)
ask = partial(ask_open, just.TASK)


def wandering_plans(case, rng, count=20):
    """Plans found by walking at random."""
    item = case.item
    for _ in range(count):
        steps, states = walk(item.domain, item.problem, rng, 12)
        if end := next((n for n, state in enumerate(states) if item.problem.satisfied(state)), 0):
            yield tuple(steps[:end])


@pytest.mark.slow
def test_plans_with_detours_are_taken_as_they_are_unless_they_will_not_do(cases_made, monkeypatch):
    """Where equal pairs disagree, or a rule of thumb is right, others come first."""
    monkeypatch.setattr(just, "USUAL", (1,))
    counted, lengthened, lengths = 0, 0, set()
    for case in cases_made:
        for plan in wandering_plans(case, Random(case.seed)):
            row = ask(replace(case.item, plan=plan), case.words, case.rng)
            if isinstance(row, Rejected):
                continue
            check_removals(row, case.item.domain, case.item.problem)
            counted += steps_of(row["plan"]) == list(plan)
            lengthened += len(row["plan"]) > len(plan)
            lengths |= {len(removal) for removal in row["answer"]}
    assert counted >= 10
    assert lengthened >= 5
    assert lengths == {2, 3}


@pytest.mark.slow
def test_the_first_steps_on_the_same_objects_are_seldom_the_answer(cases_made):
    asked_rows = ask_just(cases_made, seeds=20)
    betrayed = 0
    for _, row in asked_rows:
        plan = steps_of(row["plan"])
        alike = [at for at in range(len(plan) - 1) if {*plan[at][1:]} == {*plan[at + 1][1:]}]
        pairs = [
            at
            for at, answer_part in zip(row["positions"], row["answer"], strict=True)
            if len(answer_part) == 3
        ]
        betrayed += bool(alike) and alike[0] in pairs
    assert betrayed < 0.3 * len(asked_rows)


@pytest.mark.slow
def test_the_longest_part_of_a_plan_is_no_better_a_guess_than_any(cases_made):
    longest, any_part = 0.0, 0.0
    asked_rows = ask_just(cases_made)
    for _, row in asked_rows:
        plan = row["plan"]
        spans = [(start, length) for length in (1, 2) for start in range(len(plan) - length + 1)]
        right = {(at, len(span) - 1) for at, span in zip(row["positions"], row["answer"], strict=True)}
        letters = {(at, length): len(" ".join(plan[at : at + length])) for at, length in spans}
        best = [span for span in spans if letters[span] == max(letters.values())]
        longest += len(right.intersection(best)) / len(best)
        any_part += len(right) / len(spans)
    assert longest < any_part + 0.1 * len(asked_rows)


@pytest.mark.slow
def test_the_last_step_is_no_better_a_guess_than_any(cases_made):
    asked_rows = ask_just(cases_made)
    last = sum((len(row["plan"]) - 1) in _single(row) for _, row in asked_rows)
    any_part = sum(len(_single(row)) / len(row["plan"]) for _, row in asked_rows)
    assert last < any_part + 0.1 * len(asked_rows)


def _single(row):
    """The positions of single steps that can be removed."""
    return {at for at, part in zip(row["positions"], row["answer"], strict=True) if len(part) == 2}


def test_what_stands_beside_a_part_of_a_plan_is_measured():
    """A part that the next step has nothing to do with would be a good guess, were it not evened out."""
    steps = [("go", "a", "b"), ("take", "x", "b"), ("go", "b", "a"), ("drop", "x", "a")]
    plan = [GroundAction(step, 0, 0, 0, 0) for step in steps]
    measures = just.PlanMeasures(plan, [("at", "x", "a"), ("robot", "a")])
    alone, pair, last = (dict(measures.of(part)) for part in (steps[1:2], steps[1:3], steps[3:]))
    names = [
        "objects of the step before", "objects of the step behind", "same objects as the step behind",
        "steps before on its objects", "steps behind on its objects",
        "objects together in a fact of the goal",
    ]  # fmt: skip
    assert [alone[name] for name in names] == [1, 1, 0, 1, 2, 0]
    assert [pair[name] for name in names] == [2, 2, 0, 1, 1, 1]
    assert [last[name] for name in names] == [1, 0, 0, 3, 0, 1]


@pytest.mark.slow
def test_options_share_whether_they_bring_objects_of_the_goal_together(cases_made):
    """Such steps are often needed, so that among others the part without one would be a good guess."""
    seen = set()
    for case, _ in ask_just(cases_made):
        offered = just.offer(StateEvidence(case.item, case.rng), case.rng)
        goal = [{*fact[1:]} for fact in case.item.problem.goal_facts]
        for candidate in offered.candidates:
            brings = any(len(objects & {*atom[1:]}) > 1 for atom in candidate.atoms for objects in goal)
            assert candidate.features[1] == brings
            seen.add(brings)
    assert seen == {True, False}


@pytest.mark.slow
def test_the_plan_stands_where_graders_cut_it_out(cases_made):
    case, _ = ask_just(cases_made)[0]
    kinds_seen = set()
    for seed in range(80):
        row = ask(case.item, case.words, Random(seed))
        assert row["question"][BEFORE:-BEHIND] == " ".join(row["plan"])
        assert row["question_pddl"].endswith(row["question"])
        kinds_seen.add(row["question"][:BEFORE] + row["question"][-BEHIND:])
    assert len(kinds_seen) >= 4


@pytest.mark.slow
def test_a_plan_that_is_none_is_refused(cases_made):
    case, _ = ask_just(cases_made)[0]
    with pytest.raises(OrreryError, match="does not reach the goal"):
        ask(replace(case.item, plan=case.item.plan[:-1]), case.words, case.rng)
