"""Texts on domains: every action has a summary and mapped steps, every literal is said, nothing too much."""

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
def test_the_check_finds_what_the_file_states_in_all_texts(name):
    describer_, own = describer(name), statements((ROOT / "domains" / name / "domain.pddl").read_text())
    reader, introduction = DomainTextReader(describer_.words, list(own)), describer_.words.intro()
    assert tuple(describer_.texts()) == ("none", "sum", "map", "rel", "all")
    assert describer_.texts()["none"] == ""
    assert reader.check_texts(describer_.texts()) == introduction
    for style, details in ((describer_.abstract(), False), (describer_.concrete(), True)):
        assert reader.check_description(style, describer_.title, details=details) == introduction


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
    assert "They never fly" in domain_describer.abstract()
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
