"""Problems with marks for names are the problems, and those that differ in names alone are one."""

import json

import pytest

from orrery.families.text_to_pddl.marked import Marker
from orrery.families.text_to_pddl.texts import TextRenderer
from orrery.language.marks import Fillings, capitalised, filled, mark, marks_in, without_marks
from orrery.language.names import renamed_json
from orrery.language.words import names_by_type, sentence
from orrery.model import Literal, Problem, TypedName
from orrery.pddl.read import read_problem
from orrery.pddl.write import taken_apart, write_problem
from tests.every_domain import CATALOG, entry
from tests.families.text_to_pddl.test_texts import SEED, rows


@pytest.mark.parametrize("name", CATALOG.names)
def test_filled_marks_give_the_problem_again(name):
    renderer, domain = TextRenderer(entry(name), SEED), entry(name).domain
    for row in rows(name):
        marked, parts = renderer.marker.marked(row), taken_apart(row["problem_pddl"])
        fillings = marked.marks.fillings()
        for part in ("init", "goal"):
            assert [filled(fact, fillings) for fact in getattr(marked, part)] == getattr(parts, part)
            assert filled(marked.parameters[part], fillings) == row[f"{part}_parameters"]
        names = renderer.objects(marked.marks.who).names
        assert {
            kind: [filled(member, fillings) for member in members] for kind, members in names.items()
        } == names_by_type(read_problem(row["problem_pddl"], domain), domain)


def test_problems_that_differ_in_names_alone_are_one():
    domain = entry("blocksworld").domain

    def marked(first, second, third):
        goal = frozenset([Literal(("clear", first)), Literal(("holding", second), False)])
        objects = tuple(map(TypedName, (first, second, third)))
        problem = Problem("p", domain.name, objects, frozenset([("on", third, second)]), goal)
        row = {"problem_pddl": write_problem(problem), "init_parameters": "{}", "goal_parameters": "{}"}
        return Marker(domain).marked(row)

    numbered, named = marked("b1", "b2", "b10"), marked("ann", "bea", "zoe")
    assert numbered.marks.who == named.marks.who
    assert (numbered.marks.names, named.marks.names) == (("b1", "b2", "b10"), ("ann", "bea", "zoe"))
    assert numbered[2:] == named[2:]
    assert (named.init, named.goal) == (
        [f"on {mark(2)} {mark(1)}"],
        [f"clear {mark(0)}", f"not (holding {mark(1)})"],
    )


def test_objects_are_numbered_kind_by_kind():
    marker = Marker(entry("gripper").domain)
    marks = marker.marks("a b c d", ("room a", "ball b", "room c", "ball d"))
    assert marks.names == ("b", "d", "a", "c")
    assert marks.name_of(mark(2)) == "a"


@pytest.mark.parametrize(
    "stated", ['{"order":["a","b"],"a":{"b":1}}', '{"order":["a\\\\u0041","b"]}', '{"a":{}}']
)
def test_parameters_are_marked_wherever_a_name_stands(stated):
    marked = renamed_json(stated, {"a": mark(0), "b": mark(1)})
    assert '"a"' not in marked
    assert '"b"' not in marked
    assert json.loads(filled(marked, Fillings(["a", "b"]))) == json.loads(stated)


def test_a_name_may_begin_a_sentence():
    text = f"{sentence(f'{mark(0)} lies on {mark(1)}')} {capitalised('so')} does {mark(1)}."
    assert filled(text, Fillings(["ann", "bea"])) == "Ann lies on bea. So does bea."
    assert list(marks_in(text)) == [mark(0), mark(1), mark(1)]
    assert without_marks(text).split() == ["lies", "on", ".", "So", "does", "."]
