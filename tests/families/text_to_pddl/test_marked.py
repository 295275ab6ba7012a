"""Problems with marks for names are the problems, and those that differ in names alone are one."""

import json

import numpy as np
import pyarrow as pa
import pytest

from orrery.families.text_to_pddl.marked import MarkedFacts, Marker
from orrery.families.text_to_pddl.taken_apart import all_taken_apart
from orrery.families.text_to_pddl.texts import TextRenderer
from orrery.language.marks import Fillings, capitalised, filled, mark, marks_in, without_marks
from orrery.language.names import renamed_json
from orrery.language.words import names_by_type, sentence
from orrery.pddl.read import read_problem
from orrery.pddl.write import taken_apart
from tests.every_domain import CATALOG, entry
from tests.families.text_to_pddl.test_texts import SEED, rows


@pytest.mark.parametrize("name", CATALOG.names)
def test_filled_marks_give_the_problem_again(name):
    renderer, domain = TextRenderer(entry(name), SEED), entry(name).domain
    for row in rows(name):
        given, parts = renderer.given(row), taken_apart(row["problem_pddl"])
        fillings = given.marks.fillings()
        for some in ("init", "goal"):
            assert [filled(fact, fillings) for fact in getattr(given.parts, some)] == getattr(parts, some)
            assert filled(given.row[f"{some}_parameters"], fillings) == row[f"{some}_parameters"]
        problem = read_problem(row["problem_pddl"], domain)
        named = renderer.names(given.marks.who)
        assert {
            kind: [filled(each, fillings) for each in listed] for kind, listed in named.items()
        } == names_by_type(problem, domain)


@pytest.mark.parametrize("name", CATALOG.names)
def test_the_facts_of_many_problems_are_marked_as_those_of_one(name):
    given = list(rows(name))
    renderer = TextRenderer(entry(name), SEED)
    apart = all_taken_apart(pa.array([row["problem_pddl"] for row in given]))
    marks = renderer.marker.of_table(apart.objects, apart.init, apart.init_counts)
    known, facts = [], []

    def number(fact):
        known.append(fact)
        return len(known) - 1

    marked = MarkedFacts(number)
    for some, counts in ((apart.init, apart.init_counts), (apart.goal, apart.goal_counts)):
        facts.append([known[each] for each in marked.numbered(some, counts, marks).tolist()])
    one_by_one = [renderer.given(row) for row in given]
    assert marks == [each.marks for each in one_by_one]
    assert facts[0] == [fact for each in one_by_one for fact in each.parts.init]
    assert facts[1] == [fact for each in one_by_one for fact in each.parts.goal]
    assert len(set(known)) == len(known)


def test_problems_that_differ_in_names_alone_are_one():
    marker = Marker(entry("blocksworld").domain)
    one, other = marker.marks("b1 b2 b10"), marker.marks("ann bea zoe")
    assert one.who == other.who
    assert (one.names, other.names) == (("b1", "b2", "b10"), ("ann", "bea", "zoe"))
    facts, counts = pa.array(["on b10 b2", "clear b1", "on zoe bea", "not (clear ann)"]), np.array([2, 2])
    seen = []
    numbers = MarkedFacts(lambda fact: seen.append(fact) or len(seen) - 1).numbered(
        facts, counts, [one, other]
    )
    assert numbers.tolist() == [numbers[0], numbers[1], numbers[0], numbers[3]]
    assert sorted(seen) == sorted([f"on {mark(2)} {mark(1)}", f"clear {mark(0)}", f"not (clear {mark(0)})"])


def test_objects_are_numbered_kind_by_kind():
    marker = Marker(entry("gripper").domain)
    marks = marker.marks("a b c d", ("room a", "ball b", "room c", "ball d"))
    assert marks.names == ("b", "d", "a", "c")
    assert marks.name_of(mark(2)) == "a"


@pytest.mark.parametrize(
    "said", ['{"order":["a","b"],"a":{"b":1}}', '{"order":["a\\\\u0041","b"]}', '{"a":{}}']
)
def test_parameters_are_marked_wherever_a_name_stands(said):
    given = renamed_json(said, {"a": mark(0), "b": mark(1)})
    assert '"a"' not in given
    assert '"b"' not in given
    assert json.loads(filled(given, Fillings(["a", "b"]))) == json.loads(said)


def test_a_name_may_begin_a_sentence():
    text = f"{sentence(f'{mark(0)} lies on {mark(1)}')} {capitalised('so')} does {mark(1)}."
    assert filled(text, Fillings(["ann", "bea"])) == "Ann lies on bea. So does bea."
    assert list(marks_in(text)) == [mark(0), mark(1), mark(1)]
    assert without_marks(text).split() == ["lies", "on", ".", "So", "does", "."]
