"""Descriptions from PDDL alone: every condition and effect is told."""

import pytest

from orrery.checks.modelling import generated_faults
from orrery.checks.statements import statements
from orrery.families.modelling.generated_description import describe, effect
from orrery.pddl.adl import Formula
from orrery.pddl.tolerant import read_adl
from tests.every_domain import ROOT

WORDS = """(define (domain wide) (:requirements :adl) (:types car - thing thing)
 (:constants hub - thing)
 (:predicates (at ?c - car ?p - thing) (done) (near ?a ?b - thing)) (:functions (fuel ?c - car) (total-cost))
 (:derived (near ?a ?b - thing) (at ?a ?b))
 (:action go :parameters (?c - car ?p - thing)
  :precondition (and (not (at ?c ?p)) (or (done) (at ?c hub)) (imply (done) (near ?p hub))
    (forall (?q - car) (not (= ?q ?c))) (exists (?q - (either car thing)) (at ?c ?q)) (> (fuel ?c) 2)
    (not (and (done) (near ?p ?p))))
  :effect (and (at ?c ?p) (not (done)) (when (done) (and (near ?p hub) (not (near hub ?p))))
    (forall (?q - thing) (not (at ?c ?q))) (decrease (fuel ?c) (+ 1 (fuel ?c))) (oneof (done) (not (done)))
    (probabilistic 0.5 (done)))))"""
SAID = [
    "before: 'at' does not hold for ?c and ?p",
    "before: either ('done' holds) or ('at' holds for ?c and hub)",
    "before: if 'done' holds, then 'near' holds for ?p and hub",
    "before: for every ?q of type car: ?q is not the same as ?c",
    "before: for some ?q of type car or thing: 'at' holds for ?c and ?q",
    "before: 'fuel' of ?c is more than 2",
    "before: it is not the case that (('done' holds) and ('near' holds for ?p and ?p))",
    "after: 'at' holds for ?c and ?p",
    "after: 'done' no longer holds",
    "after: if before it 'done' holds, then 'near' holds for ?p and hub",
    "after: if before it 'done' holds, then 'near' no longer holds for hub and ?p",
    "after: for every ?q of type thing: 'at' no longer holds for ?c and ?q",
    "after: 'fuel' of ?c falls by (1 + 'fuel' of ?c)",
    "after: exactly one of these, by chance: ('done' holds); ('done' no longer holds)",
    "after: by chance: with probability 0.5; 'done' holds",
]


def test_each_construct_has_its_words():
    concrete = describe(read_adl(WORDS))
    lines = [line.strip(" -") for line in concrete.splitlines()]
    assert [line for line in lines if line.startswith(("before", "after"))] == SAID
    assert "- 'near' holds for ?a and ?b whenever 'at' holds for ?a and ?b" in concrete
    assert "- (near ?a - thing ?b - thing): whether 'near' holds for ?a and ?b" in concrete
    assert "- car: of type thing" in concrete


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "domains").iterdir()))
def test_the_check_reads_the_descriptions_of_every_domain_back(name):
    text = (ROOT / "domains" / name / "domain.pddl").read_text()
    row = {"domain": name, "description_abstract": "", "description_concrete": describe(read_adl(text))}
    assert generated_faults(statements(text), row) == []


def test_an_empty_action_and_an_empty_domain_are_reported():
    concrete = describe(read_adl("(define (domain d) (:action a))"))
    assert "before: nothing is needed" in concrete
    assert "after: nothing changes" in concrete
    assert describe(read_adl("")).startswith("### General")


def test_a_sign_is_not_lost():
    """A minus with one argument changes the sign; with two it takes away."""
    change = Formula("increase", (Formula("f"), Formula("-", (Formula("g"),))))
    assert effect(change) == "'f' grows by (minus 'g')"
    decrease = Formula("increase", (Formula("f"), Formula("-", (Formula("g"), "1"))))
    assert effect(decrease) == "'f' grows by ('g' - 1)"
