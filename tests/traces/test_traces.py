"""Traces of rows of every kind: all pass the checker, and no changed one does."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import islice

import pytest

from orrery.families.plans.tasks import plan_tasks
from orrery.families.questions.distractors import turn_of
from orrery.families.questions.kinds import question_kinds
from orrery.grading import grade
from orrery.grading.symbols import problem_of
from orrery.grading.traces import check_trace
from orrery.seeds import stream
from orrery.traces import NoTrace, trace_of
from tests.every_domain import CATALOG, words
from tests.families.plans import made
from tests.families.questions.asked_rows import ask_open, claim_rows
from tests.families.questions.test_all_domains import small
from tests.grading.plans.rows import ROWS as PLAN_ROWS
from tests.traces.mutants import mutants, worded_mutants

ASKED = [name for name in CATALOG.names if CATALOG.entry(name).description.questions]
TRACED = {"app", "prog", "val", "just"}
TRACED_TASKS = {"execution", "verification"}  # of every domain, however small its problems are
ROWS_OF_A_TASK = 6
NEVER = re.compile(r"((?:(?: and )?\([^()]*\))+) never holds?")
ATOM = re.compile(r"\(([^()]+)\)")


@cache
def question_rows(name):
    """Rows of every kind and format on one state of a domain."""
    item, _ = small(name)
    rows = []
    for kind in question_kinds().values():
        row = ask_open(kind, item, words(name), stream(1, kind.name))
        rows += [row] if isinstance(row, dict) else []
        if kind.claims:
            turn = turn_of(1, (name, "train", kind.name), 0)
            claims = claim_rows(kind, item, words(name), turn, stream(1, kind.name), stream(1))
            rows += [row for _, row in islice(claims, 4)]
    return rows


def plan_rows(name):
    """Some rows of every plan task on small problems of a domain."""
    return [row for task in plan_tasks() for _, row in made.rows(name, task)[:ROWS_OF_A_TASK]]


def traced(rows):
    for row in rows:
        try:
            yield row, trace_of(row)
        except NoTrace:
            continue


def check(rows):
    """Check the traces of rows; return the number for each kind or task."""
    kinds = Counter()
    for row, trace in traced(rows):
        assert check_trace(trace, row) == "", trace
        assert grade(trace, row).verdict == "right", trace
        assert check_trace(trace_of(row, words=True), row) == "", trace_of(row, words=True)
        kinds[row.get("kind") or row["task"]] += 1
    return kinds


def refute(rows, rng):
    """Check that traces with one change fail; return the number of each kind of change."""
    kinds = Counter()
    for row, trace in traced(rows):
        for kind, changed in mutants(trace, sorted(problem_of(row).objects), rng, 1):
            assert check_trace(changed, row), (kind, trace, changed)
            kinds[kind] += 1
        worded = trace_of(row, words=True)
        for changed in worded_mutants(worded, sorted(problem_of(row).objects), rng):
            assert check_trace(changed, row), (worded, changed)
            kinds["in words"] += 1
    return kinds


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_traces_of_questions_pass_and_changed_ones_fail(name):
    rows = question_rows(name)
    assert check(rows).keys() >= TRACED | ({"land", "nexta"} if name in ("ferry", "logistics") else set())
    assert len(refute(rows, stream(1, "mutants", name))) >= 7


@pytest.mark.parametrize("name", ASKED)
def test_what_never_holds_by_a_trace_holds_in_no_reachable_state(name):
    _, search = small(name)
    for row, trace in traced(question_rows(name)):
        for section in re.split(r"(?m)^(?:Option|So) .*$", trace):
            lines = [line for line in map(NEVER.match, section.split("\n")) if line]
            if "Suppose" not in section:
                for atoms in [[tuple(atom.split()) for atom in ATOM.findall(line[1])] for line in lines]:
                    assert not any({*atoms} <= state for state in search.after), (row["id"], atoms)


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_traces_of_plan_tasks_pass_and_changed_ones_fail(name):
    rows = plan_rows(name)
    assert check(rows).keys() >= TRACED_TASKS
    assert len(refute(rows[::3], stream(1, "mutants", name))) >= 7


@pytest.mark.slow
def test_traces_of_some_plan_tasks_pass_and_changed_ones_fail():
    rows = [row for name, row in PLAN_ROWS.items() if name != "fails"]  # its literals are made up
    assert sum(check(rows).values()) >= 3
    kinds = refute(rows, stream(1, "mutants"))
    assert len(kinds) >= 9
    assert kinds["in words"] > 100


def test_a_trace_is_the_same_each_time():
    rows = [*PLAN_ROWS.values()]
    assert [*traced(rows)] == [*traced(rows)]
