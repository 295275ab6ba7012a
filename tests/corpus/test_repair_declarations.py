"""Mechanical repairs: what they mend, what they leave alone, and that each is logged."""

import pytest

from orrery.corpus.repairs import objects_of, repair, repair_problem
from orrery.model import TypedName
from orrery.pddl.faults import DomainErrorClass
from orrery.pddl.read import PddlError
from orrery.pddl.tolerant import read_adl
from orrery.planning.translator import solve_text
from tests.scoring.domains.lamps import LAMPS

BROKEN = """\
; a note -with hyphens
(define (domain camp) ; -more
  (:requirements :strips :typing)
  (:types stone wood - item player place)
  (:predicates (at ?x -item ?p - place) (on ?p - player ?l - place))
  (:action look ; comment
    :parameters (?p - player ?l - place)
    :precondition (and (on ?p ?l) (not (at rock ?l)) (on ?p camp))
    :effect (and (seen ?p ?l) (over) (at rock ?l))))
"""
PROBLEM = """\
(define (problem p) (:domain other)
  (:objects rock -item me - player camp here - place)
  (:init (on me camp)) (:goal (over)))
"""


def test_the_five_defects_are_mended_and_logged():
    text, log = repair(BROKEN)
    assert [str(entry) for entry in log] == [
        "glued type: -item",
        "requirement: :negative-preconditions",
        "supertype: item - object",
        "constant: rock - item",
        "constant: camp - place",
        "predicate: (seen ?x1 - player ?x2 - place)",
        "predicate: (over)",
    ]
    domain = read_adl(text)
    assert domain.faults == ()
    assert "; comment" in text
    assert "; -more" in text
    assert domain.action_named["look"].parameters == read_adl(BROKEN).action_named["look"].parameters


@pytest.mark.parametrize("text", [LAMPS, "no domain", "", BROKEN])
def test_repairing_again_changes_nothing(text):
    once, _ = repair(text)
    assert repair(once) == (once, ())
    if text is not BROKEN:
        assert once == text


def test_other_faults_are_left_alone():
    text = LAMPS.replace("(hangs-in ?l hall)", "(hangs-in hall ?l)").replace(
        "?from ?to - room", "?from ?to - attic"
    )
    assert repair(text) == (text, ())


def test_a_domain_without_requirements_gets_all_that_it_uses():
    text, log = repair(BROKEN.replace("(:requirements :strips :typing)", ""))
    assert "(:requirements :strips :negative-preconditions :typing)" in text
    assert DomainErrorClass.MISSING_REQUIREMENTS not in {fault.kind for fault in read_adl(text).faults}
    assert len(log) == 8


def test_sections_that_are_missing_are_made_in_their_order():
    text, _ = repair(
        "(define (domain d) (:action a :parameters (?x) :precondition (not (p ?x k)) :effect (p ?x k)))"
    )
    domain = read_adl(text)
    assert domain.faults == ()
    places = [text.index(head) for head in ("(:requirements", "(:constants", "(:predicates", "(:action")]
    assert places == sorted(places)


def test_problems_fit_the_repaired_domain():
    text, _ = repair(BROKEN)
    problem, log = repair_problem(PROBLEM, read_adl(text))
    assert sorted(entry.kind for entry in log) == ["domain name", "glued type", "object is a constant"]
    assert "(:objects me - player here - place)" in problem
    assert "(:domain camp)" in problem
    assert solve_text(text, problem).outcome.decided
    with pytest.raises(PddlError):
        solve_text(BROKEN, PROBLEM)
    assert repair_problem(problem, read_adl(text)) == (problem, ())


def test_objects_declared_twice_are_declared_once():
    text, _ = repair(BROKEN)
    problem, log = repair_problem(
        PROBLEM.replace("here - place", "here - place here - stone"), read_adl(text)
    )
    assert "first declaration counts: object 'here' is declared twice" in map(str, log)
    assert "(:objects me - player here - place)" in problem
    assert solve_text(text, problem).outcome.decided
    assert repair_problem(problem, read_adl(text)) == (problem, ())


def test_broken_parentheses_do_not_stop_it():
    text, log = repair(BROKEN.rstrip()[:-2])
    assert len(log) == 7
    assert {fault.kind for fault in read_adl(text).faults} == {DomainErrorClass.INCORRECT_PARENTHESES}


@pytest.mark.parametrize(
    ("problems", "kind"),
    [
        ([], "object"),  # the predicate that it stands in takes anything
        (["(:objects me - player axe -tool)"], "tool"),
        (["(:objects axe - item)", "(:objects axe - tool)"], "tool"),
        (["(:objects axe - tool)", "(:objects axe - player)"], "object"),
        (["(:objects axe - weapon)"], "object"),
        (["(:objects axe - (either tool player))"], "object"),
    ],
)
def test_constants_have_the_type_that_problems_give_them(problems, kind):
    text = """(define (domain d) (:requirements :strips :typing) (:types tool - item item player)
      (:predicates (has ?who ?what)) (:action rest :parameters () :precondition (has axe axe) :effect ()))"""
    written = [f"(define (problem p) (:domain d) {objects} (:goal (and)))" for objects in problems]
    mended, log = repair(text, [typed for problem in written for typed in objects_of(problem)])
    assert [str(entry) for entry in log] == [f"constant: axe - {kind}"]
    assert read_adl(mended).constants == (TypedName("axe", (kind,)),)
