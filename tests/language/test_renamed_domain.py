"""Renaming a domain and its problems: undone exactly, valid, without a trace of the old words."""

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.checks.reading.sentences import SentenceReader
from orrery.language.renamed_domain import NAMES, RESERVED, vocabulary_of
from orrery.language.words import explicit, names_by_type
from orrery.model import OBJECT, UsageError, literals
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_atom, write_domain, write_problem
from orrery.planning.execution import check_plan
from tests.every_domain import CATALOG, ROOT, easy_problems, entry
from tests.pddl.random_pddl import tasks
from tests.universe import applicable_steps, walk

TEMPLATES = ROOT / "templates"
EACH = [(domain, name) for domain in CATALOG.names for name in NAMES]
FIXED = read_domain("""
    (define (domain lock) (:requirements :strips :typing :negative-preconditions :equality)
      (:types key door - thing  thing) (:constants master - key  front - door)
      (:predicates (open ?d - door) (turn ?k - key ?d - door) (quiet) (row ?a ?b ?c ?d - thing))
      (:action turn :parameters (?k - key ?d - door)
        :precondition (and (not (open ?d)) (not (= ?k master)) (turn ?k front))
        :effect (and (open ?d) (turn master ?d) (not (quiet)))))""")
LOCKED = read_problem(
    """(define (problem lock-secret) (:domain lock) (:objects a b - key back - door)
         (:init (turn a front) (quiet) (row a b back master)) (:goal (and (open back) (not (quiet)))))""",
    FIXED,
)


def vocabulary(domain, name, seed=7):
    return vocabulary_of(domain, name, TEMPLATES, seed)


def check_renaming(domain, problem, name):
    """Everything that has to hold of one renamed problem."""
    made = vocabulary(domain, name)
    view = made.of(problem)
    renamed = view.problem(problem)
    pddl = write_problem(renamed)
    assert read_problem(pddl, made.domain) == renamed
    order = {typed.name: place for place, typed in enumerate(problem.objects)}
    assert view.tables.inverse().problem(renamed, problem.name, problem.domain, order) == problem
    assert frozenset(view.tables.atoms(problem.init)) == renamed.init
    for side in (literals(renamed.init), renamed.goal):
        if all(literal.atom[0] != "=" for literal in side):
            text = explicit(side, made.words, random.Random(3))
            assert SentenceReader(made.words, made.domain).literals(text) == side


def tokens(text):
    return set(re.findall(r"[a-z]+", text.lower()))


@pytest.mark.parametrize(("domain", "name"), EACH)
def test_renaming_is_undone_exactly_and_reported(domain, name):
    for problem in easy_problems(domain, 8):
        check_renaming(entry(domain).domain, problem, name)


@given(tasks(), st.sampled_from(NAMES))
def test_any_domain_is_renamed(task, name):
    domain, problem = task
    made = vocabulary(domain, name)
    text = write_domain(made.domain)
    assert write_domain(read_domain(text)) == text or "(either" in text  # whose types are sorted by name
    check_renaming(domain, problem, name)


@pytest.mark.parametrize("name", NAMES)
def test_constants_shared_names_and_negations_are_kept_apart(name):
    check_renaming(FIXED, LOCKED, name)
    made = vocabulary(FIXED, name)
    view = made.of(LOCKED)
    assert {typed.name for typed in made.domain.constants} == {"k1", "k2"}
    assert made.domain.action_named.keys().isdisjoint(made.domain.predicate_named)
    assert view.plan(["(turn a back)"]) == [write_atom(view.tables.step(("turn", "a", "back")))]
    assert view.tables.step(("turn", "a", "back")) != view.tables.atoms([("turn", "a", "back")])[0]
    assert check_plan(made.domain, view.problem(LOCKED), [view.tables.step(("turn", "a", "back"))]).valid


@pytest.mark.parametrize(("domain", "name"), EACH)
def test_steps_stay_applicable_and_lead_to_the_same_states(domain, name):
    plain, made = entry(domain).domain, vocabulary(entry(domain).domain, name)
    for number, problem in enumerate(easy_problems(domain, 4)):
        view = made.of(problem)
        steps, (*_, state) = walk(plain, problem, random.Random(number), 6)
        renamed = view.problem(problem)
        there = replace(renamed, goal=literals(view.tables.atoms(state)))
        assert check_plan(made.domain, there, [view.tables.step(step) for step in steps]).valid
        assert sorted(map(view.tables.step, applicable_steps(plain, problem, state))) == applicable_steps(
            made.domain, renamed, frozenset(view.tables.atoms(state))
        )


@pytest.mark.parametrize(("domain", "name"), EACH)
def test_nothing_recalls_the_domain(domain, name):
    plain, made = entry(domain).domain, vocabulary(entry(domain).domain, name)
    symbols = [*plain.predicates, *plain.actions, *plain.types]
    old = {
        plain.name,
        *(s.name for s in symbols),
        *(p.name for s in (*plain.predicates, *plain.actions) for p in s.parameters),
    }
    problems = easy_problems(domain, 3)
    old |= {typed.name for problem in problems for typed in problem.objects} - {OBJECT}
    words = {word for each in old for word in re.findall(r"[a-z]+", each) if len(word) > 1}
    inflected = words | {word + ending for word in words for ending in ("s", "es", "ed", "ing")}
    sentences_own = tokens((TEMPLATES / "vocabularies" / "sentences.j2").read_text())
    for problem in problems:
        view = made.of(problem)
        renamed = view.problem(problem)
        names = names_by_type(renamed, made.domain)
        stated = [
            explicit(literals(renamed.init), made.words, random.Random(1)),
            made.words.objects(names, 1),
        ]
        written = write_domain(made.domain) + write_problem(renamed)
        assert tokens(written) & inflected <= RESERVED | {"strips", "typing"}
        assert tokens(" ".join([*stated, made.words.intro(2)])) & inflected <= sentences_own


def test_the_same_seed_gives_the_same_words_and_another_seed_others():
    domain, problem = entry("gripper").domain, easy_problems("gripper", 1)[0]
    for name in NAMES:
        first, second = vocabulary(domain, name), vocabulary_of.__wrapped__(domain, name, TEMPLATES, 7)
        assert first.domain == second.domain
        assert first.of(problem).tables == second.of(problem).tables
        assert vocabulary(domain, name, seed=8).domain != first.domain


def test_objects_are_permuted_for_each_problem():
    domain = entry("gripper").domain
    made = vocabulary(domain, "meaningless")
    orders = set()
    for problem in easy_problems("gripper", 12):
        objects = made.of(problem).tables.objects
        names = [typed.name for typed in problem.objects]
        assert sorted(objects[name] for name in names) == sorted(f"o{n + 1}" for n in range(len(names)))
        orders.add(tuple(sorted(names, key=lambda name, objects=objects: int(objects[name][1:]))))
    assert len(orders) > 8
    assert sum(order == tuple(sorted(order)) for order in orders) <= 1


def test_an_unknown_vocabulary_is_refused():
    with pytest.raises(UsageError, match="vocabularies: meaningless, misleading"):
        vocabulary(FIXED, "rude")
