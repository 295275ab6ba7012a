"""Rows of a published set, decided by our own reader, grounding and proofs.

Each row carries the verdict of an independent check by brute force. A row is refuted where a stored
element is wrong, or where its gold says None although an answer exists; a row that stores only part
of the answers is merely incomplete.
"""

from __future__ import annotations

import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from pipeline.facts.decide import decide
from pipeline.grading import grade
from pipeline.model import Atom, Domain, Problem
from pipeline.pddl.read import read_domain, read_problem
from pipeline.pddl.tree import OutsideSubset
from pipeline.semantics.grounding import ground
from pipeline.semantics.progression import applicable, progress
from pipeline.semantics.task import Task
from pipeline.semantics.universe import fluent_atoms

FILE = "acpbench_hard_dev.jsonl"
Row = dict[str, Any]
CONFIRMED, REFUTED = "right", "wrong"


def atoms(texts: Iterable[str]) -> set[Atom]:
    return {tuple(text.lower().strip("() ").split()) for text in texts}


def read(row: Row) -> tuple[Domain, Problem]:
    domain = read_domain(row["PDDL_domain"], row["id"])
    return domain, read_problem(row["PDDL_problem"], domain, row["id"])


def check_app(row: Row, task: Task) -> tuple[str, bool]:
    steps = {action.step for action in applicable(task, task.init)}
    return (CONFIRMED if steps == atoms(row["answer"]) else REFUTED), True


def check_prog(row: Row, task: Task) -> tuple[str, bool]:
    """Confirmed by an applicable action whose objects the question names; its phrase is not read."""
    named = set(re.findall(r"[\w-]+", row["question"].lower()))
    stored = (atoms(row["answer"]["pos"]), atoms(row["answer"]["neg"]))
    for action in applicable(task, task.init):
        after = progress(task.init, action)
        if set(action.step[1:]) <= named and stored == (
            task.facts_of(after & ~task.init),
            task.facts_of(task.init & ~after),
        ):
            return CONFIRMED, True
    return REFUTED, True


def listed(row: Row, task: Task) -> set[str]:
    """The changeable predicates that the context of a reachability question lists."""
    _, marker, propositions = row["context"].partition("propositions are:")
    assert marker, "the context lists no propositions"
    return set(re.findall(r"\(([\w-]+)", propositions.lower())) & task.domain.fluents


def check_reach(row: Row, task: Task) -> tuple[str, bool]:
    known = decide(task)
    assert known.is_complete("fact")
    asked = listed(row, task)
    never = {fact for fact in known.unreachable_facts if fact[0] in asked}
    stored = atoms(row["answer"])
    if not stored <= never or (never and not stored):
        return REFUTED, True
    return CONFIRMED, stored == never


def check_land(row: Row, task: Task) -> tuple[str, bool]:
    known = decide(task)
    assert known.solvable
    assert known.is_complete("landmark")
    yes, no = atoms(row["answer"]["yes"]), atoms(row["answer"]["no"])
    if not yes <= set(known.landmarks) or no & set(known.landmarks) or (known.landmarks and not yes):
        return REFUTED, True
    trivial = task.problem.init | task.problem.goal_facts
    universe = set(fluent_atoms(task.domain, task.problem)) - trivial
    return CONFIRMED, yes == set(known.landmarks) and yes | no == universe


CHECKS: dict[str, Callable[[Row, Task], tuple[str, bool]]] = {
    "app": check_app,
    "prog": check_prog,
    "reach": check_reach,
    "land": check_land,
}


@pytest.fixture(scope="session")
def rows(cases) -> list[Row]:
    return [json.loads(line) for line in (cases / FILE).read_text(encoding="utf-8").splitlines()]


SLOW = {"land", "reach"}
KINDS = [pytest.param(kind, marks=[pytest.mark.slow] if kind in SLOW else []) for kind in sorted(CHECKS)]


@pytest.mark.parametrize("kind", KINDS)
def test_right_rows_are_confirmed_and_wrong_rows_refuted(rows, kind, record_property):
    counts: Counter[str] = Counter()
    differing = []
    for row in (row for row in rows if row["kind"] == kind):
        try:
            domain, problem = read(row)
        except OutsideSubset:
            counts["outside the subset"] += 1
            continue
        verdict, complete = CHECKS[kind](row, ground(domain, problem))
        counts[verdict] += 1
        counts["incomplete"] += verdict == CONFIRMED and not complete
        if verdict != row["verified"]:
            differing.append((row["id"], row["verified"], verdict))
    record_property("counts", dict(counts))
    print(kind, dict(counts))
    assert differing == []
    assert counts["outside the subset"] == 0
    assert counts[CONFIRMED] >= 20


def replies(row: Row) -> Iterator[tuple[str, str]]:
    """Replies to a row in two manners, the second as models like to write, with the verdicts due."""
    answer = row["answer"]
    if row["kind"] == "app":
        yield "ANSWER: " + " ".join(answer), "right"
        yield "These are possible:\n\n" + "\n".join(f"- `{each.upper()}`" for each in answer), "right"
        yield "ANSWER: " + (" ".join(answer[1:]) or "None"), "wrong"
    elif row["kind"] == "prog":
        pos, neg = (" ".join(answer[side]) or "None" for side in ("pos", "neg"))
        yield f"ANSWER: pos: {pos} neg: {neg}", "right"
        yield f"**Positive effects:** {pos}\n**Negative effects:** {neg}", "right"
        yield f"ANSWER: pos: {neg} neg: {pos}", "wrong"
    else:
        stored = answer["yes"] if row["kind"] == "land" else answer
        for each in stored or ["None"]:
            yield f"ANSWER: {each}", "right"
            yield f"I have thought about it (for a while).\n\n**{each}**", "right"
        for each in answer["no"] if row["kind"] == "land" else []:
            yield f"ANSWER: {each}", "wrong"


def test_stored_answers_grade_as_stored(rows):
    graded = 0
    for row in (row for row in rows if row["kind"] in CHECKS):
        for reply, verdict in replies(row):
            graded += 1
            assert grade(reply, row).verdict == verdict, (row["id"], reply)
    assert graded > 500


def test_a_published_row_is_graded_in_a_tenth_of_a_millisecond(rows):
    def took(row: Row) -> float:
        reply, _ = next(replies(row))
        begin = time.perf_counter()
        grade(reply, row)
        return time.perf_counter() - begin

    asked = [row for row in rows if row["kind"] in CHECKS]
    assert min(statistics.median(map(took, asked)) for _ in range(5)) < 100e-6
