"""Questions of every domain: answers against a plain search, contexts read well and leave nothing out."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise, product

import pytest

from orrery.families.questions.context import STYLES, context_of
from orrery.families.questions.kinds import question_kinds
from orrery.families.questions.state_record import StateRecord
from orrery.pddl.write import write_atom
from orrery.planning import execution
from orrery.planning.decide import decide
from orrery.planning.grounding import ground
from tests.every_domain import difficulties, drawn, entry, words
from tests.families.questions.asked_rows import ask_open, every_domain_with_questions, steps_of
from tests.families.questions.test_context import faults_of, is_whole
from tests.plain_search import PlainSearch
from tests.universe import relaxed

KINDS = question_kinds()
STATES = 700
DECIDED = (
    "solvable", "landmarks", "not_landmarks", "unreachable_facts", "optimal_first_actions",
    "not_optimal_first_actions", "reachable_actions", "unreachable_actions", "num_steps",
)  # fmt: skip
TRIED = 12
MISTAKES = re.compile(
    r"  |[ (][.,;:)]|[,;:]{2}|\.\.(?!\.)(?<!\.\.\.)|[{}]|\( |\b(an?|the) (an?|the)\b|\band and\b"
)
AGREEMENT = re.compile(r"\b(?:no|0|[2-9]|\d\d+) \w+[^s\W]\b(?= [(:])|\b1 \w+s \(", re.IGNORECASE)


def small(name):
    """The item of a small problem that has a plan, by our own means, and its plain search."""
    tasks = entry(name).tasks
    for number in range(TRIED):
        generated = drawn(name, tasks[number % len(tasks)], "easy", 100 + number)
        if generated is None:
            continue
        domain, problem = entry(name).domain, generated.problem
        search = PlainSearch(domain, problem, STATES)
        if search.complete and search.distance is not None:
            return item_of(domain, problem), search
    pytest.fail(f"{name}: no easy problem with at most {STATES} states and a plan")


def item_of(domain, problem):
    decided_task = decide(ground(domain, problem))
    return StateRecord(
        domain,
        problem,
        f"{domain.name}/test/000001",
        h_star=decided_task.optimal_cost,
        plan=decided_task.plan.steps if decided_task.plan else None,
        **{name: getattr(decided_task, name) for name in DECIDED},
    )


def text(atoms):
    return [write_atom(atom) for atom in sorted(atoms)]


@every_domain_with_questions
def test_answers_are_what_plain_search_finds(name):
    item, search = small(name)
    rows = check_answers(item, words(name), search)
    # Two need a plan with room for a change, one an action that does not bring the goal closer.
    assert set(KINDS) - set(rows) <= {"just", "val", "nexta"}
    assert ("nexta" in rows) == bool(search.sides(item.problem.init)[1])


def test_answers_are_right_with_negative_conditions_and_equal_arguments_too(cases_made):
    told = Counter()
    for case in cases_made:
        rows = check_answers(case.item, case.words, PlainSearch(case.item.domain, case.item.problem))
        told.update(rows.keys())
        told.update({rows["areach"]["answer_all_is"], rows["areach"]["answer_needs"]})
    assert min(told[kind] for kind in KINDS) >= 8
    assert {"reachable", "unreachable", "relaxation"} <= told.keys()


def check_answers(item, vocabulary, search):
    """The open questions on a state, by kind: each answer is what plain search finds, with its proofs."""
    domain, problem, following = item.domain, item.problem, search.after[item.problem.init]
    answers = {kind: ask_open(module, item, vocabulary, random.Random(1)) for kind, module in KINDS.items()}
    rows = {kind: row for kind, row in answers.items() if isinstance(row, dict)}
    closer, others = search.sides(problem.init)
    expected = {
        "app": text(following),
        "land": dict(zip(("yes", "no"), map(text, search.landmarks), strict=True)),
        "nexta": {"yes": text(closer), "no": text(others), "maybe": [], "opt": str(search.distance)},
        "areach": text(search.never_actions),
    }
    assert {kind: row["answer"] for kind, row in rows.items() if kind in expected} == {
        kind: answer for kind, answer in expected.items() if kind in rows
    }
    check_out_of_reach(rows, search)
    if "prog" in rows:
        check_changes(rows["prog"], problem, following)
    if "val" in rows:
        sequence = steps_of(rows["val"]["sequence"])
        assert execution.check_plan(domain, problem, sequence).failed_at == rows["val"]["answer"]
        assert " ".join(rows["val"]["sequence"]) in rows["val"]["question"]
    if "just" in rows:
        check_removals(rows["just"], domain, problem)
    for row in rows.values():
        lists = row["answer"] if isinstance(row["answer"], dict) else row
        assert all(len(proofs) == len(lists[name]) for name, proofs in json.loads(row["proofs"]).items())
    return rows


def check_out_of_reach(rows, search):
    """What is never so, of what could be asked, and what the easiest answer needs."""
    assert rows["reach"]["answer_all"] == [" ".join(fact) for fact in search.never_facts]
    sides = {
        "unreachable": search.never_actions,
        "reachable": [step for step in search.actions if step not in search.never_actions],
    }
    row = rows["areach"]
    assert row["num_unreachable"] == len(search.never_actions)
    assert row["answer_all"] == text(sides[row["answer_all_is"]])
    assert len(row["answer_all"]) == min(map(len, sides.values()))
    universes = {"reach": search.facts, "areach": search.actions}
    for kind, reached in zip(universes, relaxed(search.domain, search.problem)[::-1], strict=True):
        never = search.never_facts if kind == "reach" else search.never_actions
        needs = "none" if not never else "search" if reached.issuperset(never) else "relaxation"
        assert rows[kind]["answer_needs"] == needs
        assert rows[kind]["chance"] == round(len(never) / len(universes[kind]), 6)


def check_changes(row, problem, following):
    """The one applicable action that the question names."""
    (step,) = [step for step in following if text([step])[0] in row["question"]]
    after = following[step]
    assert row["answer"] == {"pos": text(after - problem.init), "neg": text(problem.init - after)}


def check_removals(row, domain, problem):
    steps = steps_of(row["plan"])

    def valid(plan):
        return execution.check_plan(domain, problem, plan).valid

    assert valid(steps)
    singles = [(i, steps[:i] + steps[i + 1 :]) for i in range(len(steps))]
    pairs = [(i, steps[:i] + steps[i + 2 :]) for i in range(len(steps) - 1)]
    removals = sorted(
        (i, size) for size, parts in ((1, singles), (2, pairs)) for i, remaining in parts if valid(remaining)
    )
    assert row["positions"] == [i for i, _ in removals]
    assert [3 if rendered[-1] == "-1" else 2 for rendered in row["answer"]] == [
        size + 1 for _, size in removals
    ]
    alike = [pair for i, pair in enumerate(pairwise(steps)) if (i, 2) in removals]
    assert all((i, 2) in removals for i, pair in enumerate(pairwise(steps)) if pair in alike)


def contexts(name, count):
    """Settings of drawn problems of every difficulty, nothing of them decided."""
    tasks = entry(name).tasks
    for difficulty in difficulties(name):
        for number in range(count):
            generated = drawn(name, tasks[number % len(tasks)], difficulty, number)
            if generated is not None:
                item = StateRecord(entry(name).domain, generated.problem, f"{name}/{difficulty}/{number}")
                yield context_of(item, words(name))


@every_domain_with_questions
def test_contexts_read_well(name):
    seen = 0
    for context in (replace(context, style=style) for context in contexts(name, 2) for style in STYLES):
        names = {*execution.types_of_objects(context.record.domain, context.record.problem)}
        for line in context.rendered("land").text.splitlines():
            assert not MISTAKES.search(line), line
            assert is_whole(line, names, ".:"), line
            seen += 1
        objects = context.rendered("app").text.splitlines()[1]
        assert not AGREEMENT.search(objects), objects
    assert seen >= 40


@every_domain_with_questions
def test_the_check_reads_every_context_back(name):
    for context, style in product(contexts(name, 1), STYLES):
        for kind in ("app", "land"):
            assert faults_of(replace(context, style=style), kind) == []
