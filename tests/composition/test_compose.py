"""Composed domains: their literals, that they are drawn alike every time, and what is written of them."""

import random
from collections import Counter

import pytest

from orrery.composition.compose import NotComposed, clashes, compose
from orrery.composition.mechanic import literal_keys, read_mechanics
from orrery.pddl.read import read_domain
from orrery.pddl.renaming import symbol_names
from orrery.pddl.write import write_domain, write_literal
from orrery.planning.external_parsers import PDDL, TRANSLATOR, UNIFIED_PLANNING, verdicts
from tests.composition.compositions import SEED, every_composition, kept
from tests.every_domain import ROOT

PARSERS = (PDDL, UNIFIED_PLANNING, TRANSLATOR)


def attached_keys(one):
    """The keys of the literals of an attachment, bound to the variables of the action."""
    for part, literal in one.attachment.literals:
        atom = (literal.atom[0], *(one.variables[variable] for variable in literal.atom[1:]))
        yield f"{one.action} {part} {write_literal(literal._replace(atom=atom))}"


@every_composition
def test_the_literals_are_those_of_fragments_and_attachments(index):
    composition = kept(index).composition
    fragments = [mechanic.fragment for mechanic in composition.mechanics.values()]
    expected = {key for fragment in fragments for action in fragment.actions for key in literal_keys(action)}
    expected |= {key for one in composition.attached for key in attached_keys(one)}
    assert {key for action in composition.plain_domain.actions for key in literal_keys(action)} == expected
    sources = [source.composed_key for source in composition.sources]
    assert sorted(sources) == sorted(expected)


@every_composition
def test_a_composition_has_all_that_its_actions_use_and_no_more(index):
    here = kept(index)
    domain = here.domain
    assert 4 <= len(domain.actions) <= 20
    assert 2 <= len(here.composition.mechanics) <= 6
    assert domain.requirements == (":strips", ":typing")
    used = {literal.atom[0] for action in domain.actions for literal in action.preconditions}
    goals = {literal.atom[0] for _, problem in here.problems() for literal in problem.goal}
    assert set(domain.predicate_named) <= used | goals
    for action in domain.actions:
        atoms = [literal.atom for literal in action.preconditions] + [*action.add, *action.delete]
        used = {variable for atom in atoms for variable in atom[1:]}
        assert used == {parameter.name for parameter in action.parameters}
        assert not action.add & action.delete


@every_composition
def test_required_attachments_are_there_and_fit(index):
    composition = kept(index).composition
    attached = Counter((one.mechanic, one.name) for one in composition.attached)
    for name, mechanic in composition.mechanics.items():
        for attachment, content in mechanic.rules.attachments.items():
            number = attached.pop((name, attachment), 0)
            assert (1 <= number <= 2) if content.required else number <= 1
    assert not attached
    for one in composition.attached:
        use = composition.mechanic_of(one.action).rules.actions[one.action]
        assert composition.mechanic_of(one.action).name != one.mechanic
        assert use.kind == one.attachment.to
        assert set(one.attachment.binds) <= set(use.roles)


@every_composition
def test_every_imported_predicate_has_one_mechanic_that_provides_it(index):
    mechanics = kept(index).composition.mechanics
    providers = Counter(name for mechanic in mechanics.values() for name in mechanic.provides)
    assert set(providers.values()) == {1}
    assert all(set(mechanic.rules.imports) <= set(providers) for mechanic in mechanics.values())


@every_composition
def test_what_is_written_is_read_as_the_same_domain(index):
    here = kept(index)
    assert here.domain == here.composition.domain
    assert write_domain(here.domain) == here.row["gold_domain"]


@pytest.mark.slow
def test_other_parsers_read_composed_domains():
    texts = [kept(index).row["gold_domain"] for index in range(15)]
    for by_parser in verdicts(texts, PARSERS):
        assert all(one.accepted or not one.installed for one in by_parser.values()), by_parser
        assert any(one.accepted for one in by_parser.values())


def test_a_number_gives_the_same_composition_and_others_give_others():
    def drawn(seed, number):
        try:
            return write_domain(compose(ROOT, seed, number).domain)
        except NotComposed as broken:
            return str(broken)

    first = [drawn(SEED, number) for number in range(30)]
    state = random.getstate()
    assert [drawn(SEED, number) for number in reversed(range(30))] == first[::-1]
    assert random.getstate() == state
    bodies = {text.partition("\n")[2] for text in first if text.startswith("(define")}
    assert len(bodies) > 10
    assert [drawn(SEED + 1, number) for number in range(30)] != first


def test_renaming_back_gives_the_same_domain():
    composition = kept(0).composition
    back = {new: old for old, new in composition.pddl_names.items()}
    assert symbol_names(back).domain(composition.domain, composition.domain.name) == composition.plain_domain


def test_our_mechanics_declare_nothing_differently():
    assert list(clashes({name: one.fragment for name, one in read_mechanics(ROOT).items()})) == []


TAPS = "(define (domain {}) (:requirements :strips :typing) (:types place tap - object)"
FIRST = read_domain(
    TAPS.format("first")
    + "(:predicates (open ?t - tap)) (:action turn :parameters (?t - tap) :effect (open ?t)))"
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "(:predicates (open ?p - place)) (:action go :parameters (?p - place) :effect (open ?p)))",
            "predicate",
        ),
        ("(:predicates (shut ?t - tap)) (:action turn :parameters (?t - tap) :effect (shut ?t)))", "action"),
    ],
)
def test_declarations_that_clash_name_both_mechanics(text, kind):
    [error] = clashes({"first": FIRST, "second": read_domain(TAPS.format("second") + text)})
    assert "second/mechanic.pddl" in error.where
    assert f"the {kind} " in error.problem
    assert "mechanics/first" in error.problem
    assert error.mend


def test_types_below_others_clash():
    other = read_domain(
        "(define (domain second) (:requirements :strips :typing) (:types tap - place place - object)"
        "(:predicates (wet ?t - tap)) (:action pour :parameters (?t - tap) :effect (wet ?t)))"
    )
    [error] = clashes({"first": FIRST, "second": other})
    assert "the type 'tap'" in error.problem
