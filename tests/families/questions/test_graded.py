"""Questions as they are made, and what the graders say of every reply that can be made up to them.

The verdict wanted is taken from the brute force that decided the states, or from carrying out plans by the
lifted semantics, not from the stored answer.
"""

from __future__ import annotations

import random
from itertools import combinations, product

import pytest

from orrery.families import table_of
from orrery.families.drafts import BOOL, MCQ
from orrery.families.questions.distractors import turn_of
from orrery.families.questions.kinds import question_kinds
from orrery.grading import grade
from orrery.pddl.write import write_atom
from orrery.planning import execution
from orrery.planning.universe import fluent_atoms, ground_steps
from tests.effort import by_day, slow
from tests.families.questions.asked_rows import asked, claim_rows, steps_of
from tests.universe import actions

KINDS = sorted(question_kinds())
DRESSES = ("ANSWER: {}", "Because (so I think) it must be.\n\n**{}**", "<think>no</think>\n```\n{}\n```")


def rows(cases, kind):
    """The open questions of a kind, with their states."""
    return [(case.item, row) for case, row in asked(question_kinds()[kind], cases, least=5)]


def verdict(reply, row, dress=DRESSES[0]):
    return grade(dress.format(reply), row).verdict


@by_day(2)
@pytest.mark.parametrize("kind", KINDS)
def test_the_right_reply_is_right_in_every_dress(cases_made, kind):
    make = table_of(f"acp_{kind}_gen").gold.reply
    for _, row in rows(cases_made, kind):
        for seed in range(3):
            reply = make(row, random.Random(seed)).removeprefix("ANSWER: ")
            for dress in DRESSES:
                for case in (reply, reply.upper(), reply.replace(") (", "), (")):
                    assert verdict(case, row, dress) == "right", (row["id"], dress.format(case))


def all_atoms(item):
    """All well-typed changeable facts, and some that are not."""
    names = [typed.name for typed in item.problem.objects][:4]
    atoms = set(fluent_atoms(item.domain, item.problem))
    odd = {
        (atom[0], *arguments)
        for atom in list(atoms)[:1]
        for arguments in product(names, repeat=len(atom) - 1)
    }
    return sorted(atoms | odd)


@pytest.mark.parametrize("kind", ["reach", "land"])
def test_every_fact_is_judged(cases_made, kind):
    right = 0
    for item, row in rows(cases_made, kind):
        wanted = set(item.unreachable_facts if kind == "reach" else item.landmarks)
        for atom in all_atoms(item):
            assert verdict(write_atom(atom), row) == ("right" if atom in wanted else "wrong"), (
                row["id"],
                atom,
            )
        assert verdict("None", row) == ("wrong" if wanted else "right")
        right += len(wanted)
    assert right


@pytest.mark.parametrize("kind", ["areach", "nexta"])
def test_every_action_is_judged(cases_made, kind):
    right = 0
    for item, row in rows(cases_made, kind):
        typed, universe = set(ground_steps(item.domain, item.problem)), actions(item.domain, item.problem)
        wanted = set(item.optimal_first_actions) if kind == "nexta" else universe - item.reachable_actions
        names = [typed.name for typed in item.problem.objects]
        steps_possible = {
            (action.name, *arguments)
            for action in item.domain.actions
            for arguments in product(names, repeat=len(action.parameters))
            if len(action.parameters) < 4
        }
        for step in sorted(typed | steps_possible):
            score = grade(f"ANSWER: {write_atom(step)}", row)
            assert score.verdict == ("right" if step in wanted else "wrong"), (row["id"], step)
            if kind == "areach":
                outside = "is no action of the problem" in score.detail
                assert outside == (step not in universe), (step, score)
        assert verdict("None", row) == ("wrong" if wanted else "right")
        right += len(wanted)
    assert right


def test_ill_typed_actions_are_distinguished_from_reachable_ones(cases_made):
    details = set()
    for item, row in rows(cases_made, "areach"):
        for step in item.reachable_actions:
            details.add(grade(write_atom(step), row).detail.split(") ")[1])
            details.add(grade(write_atom((step[0], *["o1"] * (len(step) - 1))), row).detail.split(": ")[-1])
    assert {"can become applicable", "is not an answer"} & details
    assert "'o1' is no place" in details


def test_every_index_is_judged(cases_made):
    for item, row in rows(cases_made, "val"):
        steps = steps_of(row["sequence"])
        wanted = execution.check_plan(item.domain, item.problem, steps).failed_at
        for index in range(-1, len(steps) + 2):
            assert verdict(index, row) == ("right" if index == wanted else "wrong")
        for step in set(steps):
            once = steps.count(step) == 1
            named = "right" if step == steps[wanted] else "wrong"
            assert verdict(write_atom(step), row) == (named if once else "unparsed")


@slow
def test_every_shorter_plan_is_judged(cases_made):
    counts = {"right": 0, "wrong": 0}
    for item, row in rows(cases_made, "just"):
        plan = steps_of(row["plan"])
        for width in (0, 1, 2, 3):
            for start in range(len(plan) - width + 1):
                shortened = plan[:start] + plan[start + width :]
                verdict_read = execution.check_plan(item.domain, item.problem, shortened)
                valid = verdict_read.valid and width in (1, 2)
                wanted = "right" if valid else "wrong"
                assert verdict(" ".join(map(write_atom, shortened)) or "None", row) == wanted, (
                    row["id"],
                    shortened,
                )
                counts[wanted] += 1
        for first, second in combinations(range(len(plan)), 2):
            if second > first + 1:  # two that do not stand together may not go, unless others say the same
                shortened = [step for place, step in enumerate(plan) if place not in (first, second)]
                shortened_plans = {tuple(plan[:i] + plan[i + 2 :]) for i in range(len(plan) - 1)}
                if tuple(shortened) not in shortened_plans:
                    assert verdict(" ".join(map(write_atom, shortened)), row) == "wrong"
    assert min(counts.values()) > 20


def test_published_columns_alone_are_graded_too(cases_made):
    ours = (
        "answer_all",
        "answer_all_is",
        "typing",
        "answer_needs",
        "chance",
        "plan",
        "positions",
        "sequence",
        "num_unreachable",
    )
    for kind in KINDS:
        make = table_of(f"acp_{kind}_gen").gold.reply
        for _, row in rows(cases_made, kind):
            published = {name: value for name, value in row.items() if name not in ours}
            assert grade(make(row, random.Random(1)), published).verdict == "right", row["id"]


@slow
@pytest.mark.parametrize("kind", [name for name in KINDS if question_kinds()[name].claims])
def test_every_answer_to_claims_is_judged(cases_made, kind):
    counts = {BOOL: 0, MCQ: 0}
    for number, case in enumerate(cases_made):
        turn = turn_of(1, (kind,), number)
        asked_claims = claim_rows(question_kinds()[kind], case.item, case.words, turn, case.rng, case.rng)
        for form, row in asked_claims:
            judge(row, form)
            counts[form] += 1
    few = {form for form, count in counts.items() if count < 3}
    alone = {"mcq"} if kind in ("areach", "reach") else set()  # hardly two are alike enough there
    assert few <= alone, counts


def judge(row, form):
    if form == BOOL:
        for word in ("yes", "no"):
            for dress in DRESSES:
                assert verdict(word, row, dress) == ("right" if word == row["answer"] else "wrong")
        return
    choices = row["choices"]
    for label, text, pddl in zip(choices["label"], choices["text"], row["choices_pddl"], strict=True):
        wanted = "right" if label == row["answer"] else "wrong"
        for dress in DRESSES:
            for reply in (
                label,
                f"({label.lower()})",
                f"{label}. {text}",
                f"Option {label}: {pddl}",
                text,
                pddl,
            ):
                assert verdict(reply, row, dress) == wanted, (row["id"], dress.format(reply), wanted)
    assert grade(row["question"], row).verdict == "unparsed"
    assert verdict(" or ".join(choices["label"]), row) == "unparsed"
