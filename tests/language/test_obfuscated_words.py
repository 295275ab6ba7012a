"""The sentences of obfuscated words: several wordings, and rules from which a reader can act."""

import random

import pytest

from orrery.checks.reading.sentences import SentenceReader
from orrery.language.renamed_domain import NAMES, vocabulary_of
from orrery.language.words import explicit, form, names_by_type
from orrery.model import Literal
from orrery.pddl.read import read_domain
from tests.every_domain import CATALOG, ROOT, easy_problems, entry

TEMPLATES = ROOT / "templates"
EACH = [(domain, name) for domain in CATALOG.names for name in NAMES]
WIDE = read_domain("""
    (define (domain wide) (:requirements :strips :typing :negative-preconditions :equality)
      (:types big small - sized sized)
      (:predicates (none) (single ?a) (pair ?a ?b) (triple ?a ?b ?c) (four ?a ?b ?c ?d) (five ?a ?b ?c ?d ?e))
      (:action rest :parameters () :effect (none))
      (:action join :parameters (?m - big ?n)
        :precondition (and (not (single ?m)) (pair ?m ?n) (not (= ?m ?n)))
        :effect (and (single ?m) (not (pair ?m ?n)) (not (none)))))""")


def words(domain, name="meaningless"):
    vocabulary_made = vocabulary_of(domain, name, TEMPLATES, 7)
    return vocabulary_made, vocabulary_made.words


@pytest.mark.parametrize("arity", range(6))
def test_each_number_of_arguments_has_three_wordings_and_is_read_back(arity):
    vocabulary_made, words_made = words(WIDE)
    predicate = vocabulary_made.domain.predicates[arity]
    assert words_made.variants("fact", predicate.name) >= 3
    objects = [f"o{n}" for n in range(1, arity + 1)]
    inverter = SentenceReader(words_made, vocabulary_made.domain)
    for rng in map(random.Random, range(40)):
        stated = frozenset(
            Literal((predicate.name, *rng.sample(objects, arity)), rng.random() < 0.7) for _ in range(4)
        )
        assert inverter.literals(explicit(stated, words_made, rng)) == stated


@pytest.mark.parametrize(("domain", "name"), EACH)
def test_every_symbol_has_three_wordings_and_facts_differ(domain, name):
    vocabulary_made, words_made = words(entry(domain).domain, name)
    for predicate in vocabulary_made.domain.predicates:
        assert words_made.variants("fact", predicate.name) >= 3
    for action in vocabulary_made.domain.actions:
        assert words_made.variants("action", action.name) >= 3
    assert len({words_made.intro(variant) for variant in range(9)}) >= 3
    problem = easy_problems(domain, 1)[0]
    renamed = vocabulary_made.of(problem).problem(problem)
    names = names_by_type(renamed, vocabulary_made.domain)
    assert len({words_made.objects(names, variant) for variant in range(9)}) >= 3
    facts = sorted(renamed.init)
    sentences = {words_made.fact(fact, variant) for fact in facts for variant in range(3)}
    assert len(sentences) == 3 * len(facts)


def test_rules_say_conditions_effects_and_kinds():
    vocabulary_made, words_made = words(WIDE)
    without, single, pair = (p.name for p in vocabulary_made.domain.predicates[:3])
    nothing_done, join = (action.name for action in vocabulary_made.domain.actions)
    big, small, sized = (typed.name for typed in vocabulary_made.domain.types)
    stated = words_made.intro(0)
    assert f"One can {nothing_done} at any time. This makes it true that the world is {without}." in stated
    start = stated.index(f"One can {join} X and Y, where X is a {big}, if X {pair}s Y")
    needs, makes, ends = stated[start:].split(". ")[:3]
    assert "X is not the same as Y" in needs
    assert needs.endswith(f"it is not the case that X is {single}")
    assert makes == f"This makes it true that X is {single}"
    assert ends.startswith("It is then no longer true that")
    assert f"the world is {without}" in ends
    assert f"X {pair}s Y" in ends
    assert f"Every {big} is a {sized}." in stated
    assert f"Every {small} is a {sized}." in stated


@pytest.mark.parametrize(("domain", "name"), EACH)
def test_rules_name_every_symbol_that_an_action_uses(domain, name):
    vocabulary_made, words_made = words(entry(domain).domain, name)
    for variant in range(3):
        stated = words_made.intro(variant)
        for action in vocabulary_made.domain.actions:
            assert f" {action.name} " in stated
            used = {literal.atom[0] for literal in action.preconditions} | {
                a[0] for a in action.add | action.delete
            }
            for symbol in used - {"="}:
                assert symbol[:-1] in stated


def test_objects_are_listed_by_kind_and_an_empty_world_is_one_sentence():
    vocabulary_made, words_made = words(WIDE)
    big, small, sized = (typed.name for typed in vocabulary_made.domain.types)
    stated = words_made.objects({big: ["o1", "o2"], small: [], sized: ["o3"], "object": ["o4"]}, 0)
    assert stated == f"There are 2 {form(big, 2)} (o1 and o2), 1 other {sized} (o3) and 1 other thing (o4)."
    assert words_made.objects({}, 0) == "There are no things."
    gripper, its = words(entry("gripper").domain)
    assert (
        its.objects({"object": ["o1"], gripper.domain.predicates[0].name: ["o1"]}, 0)
        == "There is 1 thing (o1)."
    )
