"""Prompts: what they say of a row, the files that ship with a dataset, and the worked examples in them."""

import re

import pytest

from orrery.composition.theme import theme_names
from orrery.dataset.prompts import EXAMPLES, PromptTemplate, prompt_names, prompt_of, write_prompts
from orrery.families import tables
from orrery.language.words import environment
from orrery.model import OrreryError, UsageError
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.tolerant import read_actions
from orrery.planning.grounding import ground
from tests.every_domain import CATALOG, ROOT

TEMPLATES = ROOT / "templates"
ROW = {
    "domain_pddl": "(define (domain d))\n",
    "natural_language": "Do it.",
    "context": "Here.",
    "question": "What?",
}


def block(text, opening):
    """Every balanced ``(define (opening ...`` of a text."""
    found = []
    for match in re.finditer(re.escape(f"(define ({opening} "), text):
        depth = 0
        for end in range(match.start(), len(text)):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            if not depth:
                found.append(text[match.start() : end + 1])
                break
    return found


def columns_of(name):
    """The columns of the published tables that a prompt serves, which share them; None if there are none."""
    mine = [each.schema for each in tables().values() if each.template and name.startswith(each.template)]
    return set.intersection(*(set(schema.names) for schema in mine)) if mine else None


def test_every_prompt_belongs_to_a_table():
    assert [name for name in prompt_names(TEMPLATES) if not columns_of(name)] == []


@pytest.mark.parametrize("name", prompt_names(TEMPLATES))
def test_a_prompt_names_columns_of_its_table_and_says_each_once(name):
    prompt = PromptTemplate(TEMPLATES, name)
    assert set(prompt.columns) - {EXAMPLES} <= columns_of(name)
    row = {column: f"<{column}>" for column in prompt.columns}
    records = {column: {member: row[column]} for column, *members in prompt.values for member in members}
    said = prompt.say(row | records).text
    assert [said.count(value) for value in row.values()] == [1] * len(row)
    filled = prompt.form()
    for column, value in row.items():
        filled = filled.replace(f"{{{column}}}", value)
    assert filled == said
    assert not re.search(r"[{}]|\n\n\n| $|None|Undefined", filled, re.M)


@pytest.mark.parametrize("name", prompt_names(TEMPLATES))
def test_a_row_is_not_for_a_prompt_of_which_a_value_is_empty(name):
    prompt = PromptTemplate(TEMPLATES, name)
    row = dict.fromkeys(prompt.columns, "x")
    records = {column: {member: "x"} for column, *members in prompt.values for member in members}
    assert prompt.empty_value(row | records) == ""
    assert prompt.empty_value(row | dict.fromkeys(row, 0)) == ""
    for column in row.keys() - records.keys():
        for empty in ("", None, []):
            assert prompt.empty_value(row | records | {column: empty}) == column
    for column, (member,) in records.items():
        other = {**dict.fromkeys(("all", "sum"), "y"), member: ""}
        assert prompt.empty_value(row | {column: other}) == f"{column}.{member}"


def test_the_system_message_holds_the_domain_and_the_user_only_the_text():
    said = prompt_of(TEMPLATES, "text_to_pddl", "zero_shot").say(ROW)
    assert said.user == "Do it."
    assert said.system.endswith("(define (domain d))")
    assert said.text == f"{said.system}\n\nDo it.\n"


def test_questions_of_all_kinds_share_a_prompt():
    assert prompt_of(TEMPLATES, "acp_land_gen", "zero_shot").name == "acp_zero_shot"
    assert prompt_of(TEMPLATES, "acp_land_gen", "zero_shot").say(ROW).user == "Here.\n\nWhat?"


def test_questions_are_shown_after_two_that_are_answered():
    shown = [{"context": f"world {n}", "question": f"what {n}?", "reply": f"ANSWER: {n}"} for n in (1, 2)]
    said = prompt_of(TEMPLATES, "acp_app_gen", "two_shot").say({**ROW, EXAMPLES: shown})
    assert said.user == "Here.\n\nWhat?"
    for example in shown:
        assert "\n\n".join(example.values()) in said.system
    assert said.system.endswith("ANSWER: 2")


def test_reasoned_examples_are_answered_with_their_traces():
    shown = [{"context": f"world {n}", "question": f"what {n}?", "reply": f"ANSWER: {n}"} for n in (1, 2)]
    shown[0]["trace"] = "It holds here.\nANSWER: 1"
    said = prompt_of(TEMPLATES, "acp_app_gen", "two_shot_reasoned").say({**ROW, EXAMPLES: shown})
    assert "what 1?\n\nIt holds here.\nANSWER: 1" in said.system
    assert said.system.endswith("what 2?\n\nANSWER: 2")


def test_the_worked_examples_are_sound_and_their_domains_in_no_table():
    text = prompt_of(TEMPLATES, "text_to_pddl", "two_shot").say(ROW).text
    domains = [read_domain(each) for each in block(text, "domain")[:2]]
    problems = [
        read_problem(each, domain) for each, domain in zip(block(text, "problem"), domains, strict=True)
    ]
    assert [bool(domain.types) for domain in domains] == [False, True]
    assert {domain.name for domain in domains}.isdisjoint(CATALOG.names)
    for domain, problem in zip(domains, problems, strict=True):
        task = ground(domain, problem)
        assert task.actions
        assert not problem.satisfied(problem.init)
        assert {atom[0] for atom in problem.init} <= set(domain.predicate_named)


def test_the_explicit_example_says_each_fact_once():
    module = environment(TEMPLATES).get_template("prompts/text_to_pddl_two_shot.j2").module
    domain = read_domain(str(module.explicit_domain()))
    problem = read_problem(str(module.explicit_problem()), domain)
    _, start, end = str(module.explicit_text()).split("\n\n")
    for side, facts in ((start, problem.init), (end, problem.goal_facts)):
        sentences = re.findall(r"[^.]+\.", side)[1:]
        assert len(sentences) == len(facts)
        stated = [frozenset(re.findall(r"\b(?:rex|mona|north|south)\b", each.lower())) for each in sentences]
        assert sorted(map(sorted, stated)) == sorted(sorted(fact[1:]) for fact in facts)


@pytest.mark.parametrize("condition", ["none", "sum", "map", "rel", "all"])
def test_the_worked_action_is_right_and_its_domain_in_no_table(condition):
    shared = environment(TEMPLATES).get_template("prompts/parts/modelling.j2").module
    module = environment(TEMPLATES).get_template("prompts/parts/worked_action.j2").module
    prompt = prompt_of(TEMPLATES, "action_modeling", f"{condition}_reasoned")
    row = {"header": "(define (domain d))\n", "action_names": ["go"], "texts": {condition: "Go there."}}
    system, user = prompt.say(row)
    assert user == prompt_of(TEMPLATES, "action_modeling", condition).say(row).user
    header, reply, text = module.row["header"], str(module.reply()), module.row["texts"].get(condition, "")
    assert all(part in system for part in (header, text, reply))
    labels = re.compile(r"^[A-Z]\w*(?=:)", re.M)
    assert labels.findall(reply) == labels.findall(str(shared.form()))
    domain = read_actions(reply, header)
    assert domain.faults == ()
    assert [action.name for action in domain.actions] == module.row["action_names"]
    assert domain.name not in {*CATALOG.names, *theme_names(ROOT)}


def test_files_ship_with_the_dataset(tmp_path):
    written = sorted(f"prompts/{name}.txt" for name in prompt_names(TEMPLATES))
    write_prompts(tmp_path, TEMPLATES)
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()) == written
    zero = (tmp_path / "prompts" / "text_to_pddl_zero_shot.txt").read_text()
    assert zero.replace("{domain_pddl}", "D").count("D") >= 1
    assert zero.endswith("{natural_language}\n")
    first = {path: (tmp_path / path).read_bytes() for path in written}
    write_prompts(tmp_path, TEMPLATES)
    assert {path: (tmp_path / path).read_bytes() for path in written} == first


def test_errors_name_the_template(tmp_path):
    with pytest.raises(UsageError, match=r"no prompt of style 'ten_shot'.*text_to_pddl_zero_shot"):
        prompt_of(TEMPLATES, "text_to_pddl", "ten_shot")
    with pytest.raises(OrreryError, match="no such template"):
        PromptTemplate(tmp_path, "absent").form()
    (tmp_path / "prompts").mkdir()
    for name, text in (("half", "{% macro system(row) %}{% endmacro %}"), ("broken", "\n{% macro %}")):
        (tmp_path / "prompts" / f"{name}.j2").write_text(text)
        with pytest.raises(OrreryError, match=rf"{name}\.j2.*(it must define|correct the template)"):
            PromptTemplate(tmp_path, name).form()
    (tmp_path / "prompts" / "odd.j2").write_text(
        "{% macro system(row) %}{{ row.nothing }}{% endmacro %}{% macro user(row) %}{% endmacro %}"
    )
    with pytest.raises(OrreryError, match=r"odd\.j2:1: macro system: .*no attribute 'nothing'"):
        PromptTemplate(tmp_path, "odd").say({"id": "x"})
