"""Domains of ours damaged as published ones are, and mended: they say what they said."""

import random
import re

import pytest

from orrery.corpus.repairs import mend_domain, mend_problem
from orrery.pddl.read import PddlError, read_domain, read_problem
from orrery.pddl.tolerant import read_adl
from orrery.pddl.write import write_domain, write_problem
from tests.effort import sample
from tests.every_domain import CATALOG, easy_problems, entry

NAMES = sample(CATALOG.names, 6)


def an_action(name, rng):
    """The text of a domain, and of one of its actions that has parameters."""
    text = write_domain(entry(name).domain)
    actions = re.findall(r"\(:action .*?(?=\n\s*\(:action|\)\s*\Z)", text, re.DOTALL)
    return text, rng.choice([action for action in actions if re.search(r"\(\?", action)])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_sound_stays_as_it_is(name):
    text = write_domain(entry(name).domain)
    assert mend_domain(text) == (read_adl(text).text, [])
    for problem in easy_problems(name, 2):
        written = write_problem(problem)
        assert mend_problem(written, read_adl(text)) == (written, [])


@pytest.mark.parametrize("name", NAMES)
def test_parameters_get_their_question_mark(name):
    text, action = an_action(name, random.Random(name))
    variable = random.Random(1).choice(sorted(set(re.findall(r"\?[\w-]+", action))))
    plain = re.sub(rf"{re.escape(variable)}(?![\w-])", f"{variable[1:]}1", action)
    expected = re.sub(rf"{re.escape(variable)}(?![\w-])", f"{variable}1", action)
    mended, log = mend_domain(text.replace(action, plain))
    assert read_domain(mended) == read_domain(text.replace(action, expected))
    assert log == [("parameter", f"{variable}1 of {action.split()[1]}")]
    apart, log = mend_domain(text.replace(action, action.replace("(?", "(? ", 1)))
    assert read_domain(apart) == read_domain(text)
    assert [kind for kind, _ in log] == ["variable"]


@pytest.mark.parametrize("name", NAMES)
def test_variables_that_an_action_does_not_declare_become_parameters(name):
    text, action = an_action(name, random.Random(name))
    declared_part = re.search(r":parameters \((.*?)\)", action)[1]
    mended, log = mend_domain(text.replace(action, action.replace(f"({declared_part})", "()", 1)))
    first, second = read_domain(text), read_domain(mended)
    called = action.split()[1]
    before, after = first.action_named[called], second.action_named[called]
    assert {p.name for p in after.parameters} == {p.name for p in before.parameters if used(before, p.name)}
    assert (after.preconditions, after.add, after.delete) == (
        before.preconditions,
        before.add,
        before.delete,
    )
    for parameter in after.parameters:
        declared = next(each for each in before.parameters if each.name == parameter.name)
        assert first.fits(declared.types, parameter.types)  # as wide as its places allow
    assert {kind for kind, _ in log} == {"variable"}


def used(action, name):
    atoms = [*(literal.atom for literal in action.preconditions), *action.add, *action.delete]
    return any(name in atom for atom in atoms)


@pytest.mark.parametrize("name", NAMES)
def test_objects_that_a_problem_does_not_declare_are_declared(name):
    text = write_domain(entry(name).domain)
    for problem in easy_problems(name, 2):
        atoms = [*problem.init, *(literal.atom for literal in problem.goal)]
        gone = next(typed for typed in problem.objects if any(typed.name in atom for atom in atoms))
        written = write_problem(problem)
        listed = re.search(r"\(:objects.*?\)", written, re.DOTALL)[0]
        fewer = " ".join(f"{o.name} - {o.types[0]}" for o in problem.objects if o != gone)
        damaged = written.replace(listed, f"(:objects {fewer})" if fewer else "")
        with pytest.raises(PddlError):
            read_problem(damaged, read_domain(text))
        mended, log = mend_problem(damaged, read_adl(text))
        mended_problem = read_problem(mended, read_domain(text))
        assert (mended_problem.init, mended_problem.goal) == (problem.init, problem.goal)
        assert {o.name for o in mended_problem.objects} == {o.name for o in problem.objects}
        assert [kind for kind, _ in log] == ["object"]


DOMAIN = """(define (domain d) (:requirements :strips :typing) (:types {types})
 (:predicates (has ?p - man ?x - item) {more})
 (:action take :parameters (?p - man ?x - item ?k) :precondition {pre} :effect (has ?p ?x)))"""


def test_one_predicate_with_two_arities_is_two():
    text = DOMAIN.format(types="man item", more="", pre="(and (has ?x) (not (has ?p ?x)))")
    mended, log = mend_domain(text)
    domain = read_domain(mended.replace(":typing", ":typing :negative-preconditions"))
    assert {p.name: p.arity for p in domain.predicates} == {"has": 2, "has-1": 1}
    assert [parameter.types for parameter in domain.predicate_named["has-1"].parameters] == [("item",)]
    assert ("predicate of another arity", "has-1 for has") in log
    problem = "(define (problem p) (:domain d) (:objects m - man i - item) (:init (has i)) (:goal (has m i)))"
    mended_problem = read_problem(mend_problem(problem, read_adl(mended))[0], domain)
    assert mended_problem.init == {("has-1", "i")}
    declared, _ = mend_domain(DOMAIN.format(types="man item", more="(has ?x - item)", pre="(has ?x)"))
    assert read_domain(declared).predicate_named["has-1"].arity == 1


def test_names_declared_twice_and_types_that_nobody_declares():
    twice = DOMAIN.format(
        types="man item - thing item - tool tool thing", more="(has ?p - man ?x - item)", pre="()"
    )
    mended, log = mend_domain(twice)
    domain = read_domain(mended)
    assert domain.ancestors["item"] == {"item", "tool", "object"}
    assert domain.ancestors["man"] == {"man", "thing", "object"}
    assert len(domain.predicates) == 1
    assert {kind for kind, _ in log} == {"last declaration counts", "first declaration counts"}
    lacking, log = mend_domain(DOMAIN.format(types="item", more="", pre="()"))
    assert read_domain(lacking).ancestors["man"] == {"man", "object"}
    assert log == [("type", "man - object")]
