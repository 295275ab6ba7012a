"""The sentences of obfuscated words: several wordings, and rules from which a reader can act."""

import pickle
import random

import pytest

from orrery.checks.reading.sentences import SentenceReader
from orrery.language.renamed_domain import NAMES, vocabulary_of
from orrery.language.words import explicit, form, names_by_type
from orrery.model import Literal, literals
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
    made = vocabulary_of(domain, name, TEMPLATES, 7)
    return made, made.words


@pytest.mark.parametrize("arity", range(6))
def test_each_number_of_arguments_has_three_wordings_and_is_read_back(arity):
    made, here = words(WIDE)
    predicate = made.domain.predicates[arity]
    assert here.variants("fact", predicate.name) >= 3
    objects = [f"o{n}" for n in range(1, arity + 1)]
    inverter = SentenceReader(here, made.domain)
    for rng in map(random.Random, range(40)):
        said = frozenset(
            Literal((predicate.name, *rng.sample(objects, arity)), rng.random() < 0.7) for _ in range(4)
        )
        assert inverter.literals(explicit(said, here, rng)) == said


@pytest.mark.parametrize(("domain", "name"), EACH)
def test_every_symbol_has_three_wordings_and_facts_differ(domain, name):
    made, here = words(entry(domain).domain, name)
    for predicate in made.domain.predicates:
        assert here.variants("fact", predicate.name) >= 3
    for action in made.domain.actions:
        assert here.variants("action", action.name) >= 3
    assert len({here.intro(variant) for variant in range(9)}) >= 3
    problem = easy_problems(domain, 1)[0]
    renamed = made.of(problem).problem(problem)
    names = names_by_type(renamed, made.domain)
    assert len({here.objects(names, variant) for variant in range(9)}) >= 3
    facts = sorted(renamed.init)
    said = {here.fact(fact, variant) for fact in facts for variant in range(3)}
    assert len(said) == 3 * len(facts)


def test_rules_say_conditions_effects_and_kinds():
    made, here = words(WIDE)
    none, single, pair = (p.name for p in made.domain.predicates[:3])
    rest, join = (action.name for action in made.domain.actions)
    big, small, sized = (typed.name for typed in made.domain.types)
    stated = here.intro(0)
    assert f"One can {rest} at any time. This makes it true that the world is {none}." in stated
    start = stated.index(f"One can {join} X and Y, where X is a {big}, if X {pair}s Y")
    needs, makes, ends = stated[start:].split(". ")[:3]
    assert "X is not the same as Y" in needs
    assert needs.endswith(f"it is not the case that X is {single}")
    assert makes == f"This makes it true that X is {single}"
    assert ends.startswith("It is then no longer true that")
    assert f"the world is {none}" in ends
    assert f"X {pair}s Y" in ends
    assert f"Every {big} is a {sized}." in stated
    assert f"Every {small} is a {sized}." in stated


@pytest.mark.parametrize(("domain", "name"), EACH)
def test_rules_name_every_symbol_that_an_action_uses(domain, name):
    made, here = words(entry(domain).domain, name)
    for variant in range(3):
        stated = here.intro(variant)
        for action in made.domain.actions:
            assert f" {action.name} " in stated
            used = {literal.atom[0] for literal in action.preconditions} | {
                a[0] for a in action.add | action.delete
            }
            for symbol in used - {"="}:
                assert symbol[:-1] in stated


def test_objects_are_listed_by_kind_and_an_empty_world_is_one_sentence():
    made, here = words(WIDE)
    big, small, sized = (typed.name for typed in made.domain.types)
    stated = here.objects({big: ["o1", "o2"], small: [], sized: ["o3"], "object": ["o4"]}, 0)
    assert stated == f"There are 2 {form(big, 2)} (o1 and o2), 1 other {sized} (o3) and 1 other thing (o4)."
    assert here.objects({}, 0) == "There are no things."
    gripper, its = words(entry("gripper").domain)
    assert (
        its.objects({"object": ["o1"], gripper.domain.predicates[0].name: ["o1"]}, 0)
        == "There is 1 thing (o1)."
    )


def test_there_is_no_abstract_text_and_words_travel():
    made, here = words(entry("gripper").domain)
    assert not here.has_passage("init", "one_room")
    again = pickle.loads(pickle.dumps(made))
    problem = easy_problems("gripper", 1)[0]
    renamed = again.of(problem).problem(problem)
    assert explicit(literals(renamed.init), again.words, random.Random(1)) == explicit(
        literals(renamed.init), here, random.Random(1)
    )
