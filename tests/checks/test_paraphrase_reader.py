"""A text in other words is read as the problem of its row where it tells it, and as no other."""

from __future__ import annotations

import random
import re
from functools import cache
from itertools import islice

import pytest

import orrery
from orrery.checks.paraphrase_reader import UNREAD, reader_of
from orrery.language.words import explicit
from orrery.model import literals
from orrery.pddl.read import read_problem
from tests.every_domain import ROOT

NAMES = ("blocksworld", "ferry", "gripper")
ROWS = 12
STOP = re.compile(r"(?<=\.)\s+(?:- )?")


@cache
def rows(name):
    return [item.row for item in islice(orrery.tasks("text_to_pddl", name, seed=11, root=ROOT), ROWS)]


def told_in_sentences(name):
    """Rows whose initial state stands sentence by sentence."""
    chosen = [row for row in rows(name) if not row["init_is_abstract"] and row["style"] == "sentences"]
    assert chosen
    return chosen


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_text_of_ours_is_read_as_its_problem(name):
    reader = reader_of(ROOT, name)
    for row in rows(name):
        assert reader.read(row, row["natural_language"]).same, row["natural_language"]


@pytest.mark.parametrize("name", NAMES)
def test_other_wordings_in_another_order_are_read_as_the_same(name):
    reader = reader_of(ROOT, name)
    for number, row in enumerate(told_in_sentences(name)):
        problem = read_problem(row["problem_pddl"], reader.domain)
        again = explicit(literals(problem.init), reader.words, random.Random(number))
        assert again != row["init_text"]
        assert reader.read(row, row["natural_language"].replace(row["init_text"], again)).same


@pytest.mark.parametrize("name", NAMES)
def test_a_text_without_one_of_its_facts_tells_another_problem(name):
    reader, checked = reader_of(ROOT, name), 0
    for row in told_in_sentences(name)[:2]:
        problem = read_problem(row["problem_pddl"], reader.domain)
        sentences = STOP.split(row["init_text"])
        for place, left_out in enumerate(sentences):
            facts = sorted(reader.stated(left_out, problem))
            if facts[0].atom[0] not in reader.domain.fluents and len(facts[0].atom) == 2:
                continue  # the list of objects may tell it, too
            shorter = " ".join(sentences[:place] + sentences[place + 1 :])
            faults_read = reader.read(row, row["natural_language"].replace(row["init_text"], shorter))
            assert faults_read.same is False
            assert faults_read.why.startswith(f"its initial state lacks ({' '.join(facts[0].atom)})")
            checked += 1
    assert checked


def test_a_text_with_a_fact_too_many_tells_another_problem():
    reader, row = reader_of(ROOT, "blocksworld"), told_in_sentences("blocksworld")[0]
    longer = f"{row['init_text']} {reader.words.fact(('on', 'b1', 'b1')).capitalize()}."
    faults_read = reader.read(row, row["natural_language"].replace(row["init_text"], longer))
    assert (faults_read.same, faults_read.why) == (False, "its initial state wrongly has (on b1 b1)")


def test_goal_and_initial_state_are_told_apart():
    chosen = [row for name in NAMES for row in told_in_sentences(name) if not row["goal_is_abstract"]]
    row = chosen[0]
    reader = reader_of(ROOT, row["domain"])
    turned = (
        row["natural_language"].replace(row["init_text"], "*").replace(row["goal_text"], row["init_text"])
    )
    faults_read = reader.read(row, turned.replace("*", row["goal_text"]))
    assert faults_read.same is False
    assert "; its goal " in faults_read.why


@pytest.mark.parametrize("change", ["Whatever comes, {}", "{} Good luck, and mind the cat!", "{}"])
def test_of_what_is_worded_otherwise_nothing_is_said(change):
    reader, row = reader_of(ROOT, "ferry"), told_in_sentences("ferry")[0]
    text = change.format(row["natural_language"])
    text = text.replace(row["init_text"], "As always.") if change == "{}" else text
    faults_read = reader.read(row, text)
    assert faults_read.same is None
    assert faults_read.why.startswith(f"{UNREAD}: not from '")


def test_rows_that_leave_objects_open_keep_their_own_passages():
    """Which objects are open depends on the wording."""
    chosen = [
        row for name in NAMES for row in rows(name) if row["init_is_abstract"] and row["goal_is_abstract"]
    ]
    open_rows = [row for row in chosen if row["open_objects"]]
    assert open_rows
    for row in open_rows:
        reader = reader_of(ROOT, row["domain"])
        problem = read_problem(row["problem_pddl"], reader.domain)
        sentences = explicit(literals(problem.init), reader.words, random.Random(1))
        assert reader.read(row, row["natural_language"].replace(row["init_text"], sentences)).same is None


def test_texts_in_another_vocabulary_are_not_read():
    row = {**rows("ferry")[0], "vocabulary": "meaningless"}
    faults_read = reader_of(ROOT, "ferry").read(row, row["natural_language"])
    assert faults_read.same is None
    assert "meaningless" in faults_read.why
