"""Right replies: what they say of made-up rows. tests/stages/test_export.py has graders judge real ones."""

from dataclasses import replace
from random import Random

import pytest

from orrery.families import table_of, tables
from orrery.pddl.read import read_domain
from orrery.pddl.tolerant import joined, read_actions
from orrery.pddl.write import write_domain
from tests.every_domain import CATALOG
from tests.tables import PUBLISHED


def reply(table, **row):
    columns, make = table_of(table).gold
    assert set(columns) <= set(PUBLISHED[table].names)
    assert set(columns) == set(row)
    return make(row, Random(1))


@pytest.mark.parametrize(
    ("table", "row", "wanted"),
    [
        ("text_to_pddl", {"problem_pddl": "(define x)\n"}, "(define x)"),
        ("acp_app_gen", {"answer": ["(a b)", "(c)"]}, "ANSWER: (a b), (c)"),
        ("acp_app_gen", {"answer": []}, "ANSWER: None"),
        ("acp_prog_gen", {"answer": {"pos": ["(a)"], "neg": []}}, "ANSWER: pos: (a) neg: None"),
        ("acp_reach_gen", {"answer": ["a b"]}, "ANSWER: (a b)"),
        ("acp_reach_gen", {"answer": []}, "ANSWER: None"),
        ("acp_land_gen", {"answer": {"yes": [], "no": ["(a)"]}}, "ANSWER: None"),
        ("acp_nexta_gen", {"answer": {"yes": ["(a)"], "no": ["(b)"]}}, "ANSWER: (a)"),
        ("acp_areach_gen", {"answer": ["(a b)"]}, "ANSWER: (a b)"),
        ("acp_val_gen", {"answer": 0}, "ANSWER: 0"),
        (
            "acp_just_gen",
            {"answer": [["(b)", "(c)", "-1"]], "plan": ["(a)", "(b)", "(c)", "(d)"], "positions": [1]},
            "ANSWER: (a) (d)",
        ),
        ("acp_just_gen", {"answer": [["(a)", "2"]], "plan": ["(a)", "(a)"], "positions": [1]}, "ANSWER: (a)"),
        ("acp_app_bool", {"answer": "no"}, "ANSWER: no"),
        ("acp_val_mcq", {"answer": "C"}, "ANSWER: C"),
    ],
)
def test_a_reply_says_the_answer(table, row, wanted):
    assert reply(table, **row) == wanted


@pytest.mark.parametrize("name", CATALOG.names)
def test_the_actions_of_a_domain_are_said_so_that_they_can_be_scored(name):
    domain = CATALOG.entry(name).domain
    gold = write_domain(domain)
    text = reply("action_modeling", gold_domain=gold)
    header = write_domain(replace(domain, actions=()))
    assert read_domain(joined(header, read_actions(text, header))) == domain
    assert reply("domain_modeling", gold_domain=gold) == gold.strip()


def test_one_of_several_right_answers_is_drawn():
    make = table_of("acp_land_gen").gold.reply
    row = {"answer": {"yes": ["(a)", "(b)"], "no": ["(c)"]}}
    assert {make(row, Random(n)) for n in range(20)} == {"ANSWER: (a)", "ANSWER: (b)"}


def test_all_tables_but_those_of_problems_states_and_worlds_have_replies():
    assert [name for name, table in tables().items() if not table.gold] == ["problems", "states", "world"]
    assert [name for name, table in tables().items() if table.dialogues] == ["world"]
