"""Texts on domains: every action has a summary and mapped steps, every literal is said, nothing too much."""

import re

import pytest

from orrery.catalog import Catalog
from orrery.checks.reading.domain_texts import DomainTextReader
from orrery.checks.statements import statements
from orrery.families.modelling.descriptions import DomainDescriber, header
from orrery.pddl.read import read_domain
from orrery.pddl.tolerant import joined, read_actions
from orrery.pddl.write import write_action
from tests.conftest import ROOT

DOMAINS = Catalog(ROOT).names


def describer(name):
    entry = Catalog(ROOT).entry(name)
    return DomainDescriber(entry.domain, entry.words, entry.description.title)


@pytest.mark.parametrize("name", DOMAINS)
def test_every_action_has_a_summary_and_three_steps_that_say_its_literals(name):
    describer_ = describer(name)
    texts = describer_.texts()
    assert tuple(texts) == ("none", "sum", "map", "rel", "all")
    assert texts["none"] == ""
    assert list(describer_.summaries()) == [action.name for action in describer_.domain.actions]
    assert len(texts["sum"].splitlines()) == len(texts["map"].splitlines()) == len(describer_.domain.actions)
    for action in describer_.domain.actions:
        before, _, after = describer_.steps()[action.name]
        for literal in action.preconditions:
            assert literal.atom[0] == "=" or describer_.words.literal(literal) in before
        for fact in action.add | action.delete:
            assert describer_.words.fact(fact) in after


@pytest.mark.parametrize("name", DOMAINS)
def test_steps_are_numbered_alike_in_all_conditions(name):
    texts = describer(name).texts()
    lines = texts["all"].splitlines()
    assert [int(re.match(r"\((\d+)\) ", line)[1]) for line in lines] == list(range(1, len(lines) + 1))
    assert set(texts["rel"].splitlines()) < set(lines)
    for line in texts["rel"].splitlines():
        assert line in texts["map"]


@pytest.mark.parametrize("name", DOMAINS)
def test_the_abstract_description_leaves_out_what_the_concrete_one_says(name):
    describer_ = describer(name)
    abstract, concrete = describer_.abstract(), describer_.concrete()
    for style in (abstract, concrete):
        for symbol in (*describer_.domain.predicates, *describer_.domain.actions):
            assert f"- ({symbol.name}" in style
    phrases_told = [a.needs + a.makes for a in describer_.actions]
    assert "Needs:" not in abstract
    assert all(clause in concrete for clauses in phrases_told for clause in clauses)
    assert not re.search(r"\.\.|  \S* {2}|None|\{\{", concrete.replace("\n  ", "\n"))


@pytest.mark.parametrize("name", DOMAINS)
def test_a_header_and_the_actions_make_the_domain_again(name):
    domain = describer(name).domain
    assert read_domain(header(domain)).actions == ()
    bodies = "\n".join(map(write_action, domain.actions))
    assert read_domain(joined(header(domain), read_actions(bodies, header(domain)))) == domain


def test_costs_constants_and_equality_are_reported(tmp_path):
    text = """(define (domain d) (:requirements :typing :equality :action-costs)
      (:types truck - vehicle vehicle place) (:constants depot - place)
      (:predicates (at ?v - vehicle ?p - place)) (:functions (total-cost))
      (:action drive :parameters (?v - truck ?a ?b - place)
        :precondition (and (at ?v ?a) (not (= ?a ?b)))
        :effect (and (at ?v ?b) (not (at ?v ?a)) (increase (total-cost) 3))))"""
    words = Catalog(ROOT).entry("ferry").words
    macros = "\n".join(
        f"{{% macro {m} %}}{{{{ {t} }}}}{{% endmacro %}}"
        for m, t in (
            ("intro(variant)", '"Trucks drive. They never fly."'),
            ("fact_at(v, p, variant)", 'v ~ " is at " ~ p'),
            ("action_drive(v, a, b, variant)", '"drive " ~ v ~ " from " ~ a ~ " to " ~ b'),
        )
    )
    (tmp_path / "domains").mkdir()
    (tmp_path / "domains" / "d.j2").write_text(macros)
    (tmp_path / "descriptions").symlink_to(ROOT / "templates" / "descriptions")
    domain_describer = DomainDescriber(read_domain(text), type(words)("d", tmp_path), "Driving")
    concrete = domain_describer.concrete()
    assert "?a is different from ?b" in concrete
    assert "make sure that ?v is at ?a and ?a is different from ?b." in domain_describer.texts()["rel"]
    assert "Adds to the total cost: 3." in concrete
    assert "- depot, a place" in concrete
    assert "- truck (a vehicle)" in concrete
    assert "They never fly" in concrete
    assert "They never fly" not in domain_describer.abstract()
    assert "Always there: depot, a place." in domain_describer.texts()["all"]
    reader = DomainTextReader(domain_describer.words, list(statements(text)))
    introduction = "Trucks drive. They never fly."
    assert reader.check_description(concrete, "Driving", details=True) == introduction
    assert reader.check_texts(domain_describer.texts()) == introduction


def test_what_an_agent_of_alfworld_does_is_said_of_it_and_not_of_the_reader():
    describer_ = describer("alfworld")
    for action in describer_.domain.actions:
        agents = [parameter.name for parameter in action.parameters if parameter.types == ("agent",)]
        for agent in agents:
            assert (
                f"have {agent} " in describer_.summaries()[action.name]
                or f"having {agent} " in describer_.summaries()[action.name]
            )
    assert describer_.steps()["go-to"] == (
        "Before you have ?a go from location ?from to location ?to, make sure that ?a is at location ?from "
        "and ?from is different from ?to.",
        "Then have ?a go from location ?from to location ?to; here ?a is an agent, ?from is a location and "
        "?to is a location.",
        "After that, ?a is at location ?to; it no longer holds that ?a is at location ?from.",
    )
