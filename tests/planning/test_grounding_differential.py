"""Our ground actions against those of unified-planning's own grounder."""

import pytest

from orrery.pddl.interchange import read_with_unified_planning
from orrery.pddl.read import read_domain, read_problem
from orrery.planning.grounding import ground
from tests.pddl.translation import translate_action

LOGISTICS = """(define (domain carry) (:requirements :typing :negative-preconditions)
 (:types truck parcel - thing place thing)
 (:constants depot - place)
 (:predicates (at ?t - thing ?p - place) (in ?x - parcel ?t - truck) (road ?p ?q - place) (closed ?p - place)
  (done))
 (:action drive :parameters (?t - truck ?p ?q - place)
  :precondition (and (at ?t ?p) (road ?p ?q) (not (closed ?q))) :effect (and (at ?t ?q) (not (at ?t ?p))))
 (:action load :parameters (?x - parcel ?t - truck ?p - place)
  :precondition (and (at ?x ?p) (at ?t ?p)) :effect (and (in ?x ?t) (not (at ?x ?p))))
 (:action drop :parameters (?x - parcel ?t - truck)
  :precondition (and (in ?x ?t) (at ?t depot)) :effect (and (at ?x depot) (not (in ?x ?t))))
 (:action finish :parameters () :precondition (not (done)) :effect (done)))"""
CARRY = """(define (problem x) (:domain carry) (:objects t - truck a b - parcel home shop - place)
 (:init (at t home) (at a home) (at b shop) (closed shop)
  (road home depot) (road depot home) (road home shop))
 (:goal (and (at a depot) (done))))"""
BLOCKS = """(define (domain blocks) (:requirements :strips)
 (:predicates (clear ?x) (on ?x ?y) (table ?x) (empty) (held ?x))
 (:action take :parameters (?x) :precondition (and (clear ?x) (table ?x) (empty))
  :effect (and (held ?x) (not (clear ?x)) (not (table ?x)) (not (empty))))
 (:action stack :parameters (?x ?y) :precondition (and (clear ?y) (held ?x))
  :effect (and (on ?x ?y) (clear ?x) (empty) (not (held ?x)) (not (clear ?y)))))"""
TOWER = """(define (problem x) (:domain blocks) (:objects a b c)
 (:init (table a) (table b) (table c) (clear a) (clear b) (clear c) (empty)) (:goal (on a b)))"""


@pytest.mark.parametrize(
    ("domain_text", "problem_text"), [(LOGISTICS, CARRY), (BLOCKS, TOWER)], ids=["carry", "blocks"]
)
def test_same_ground_actions(domain_text, problem_text):
    from unified_planning.engines.compilers.grounder import GrounderHelper

    domain = read_domain(domain_text)
    problem = read_problem(problem_text, domain)
    ours = [action.step for action in ground(domain, problem).actions]
    helper = GrounderHelper(read_with_unified_planning(domain_text, problem_text))
    theirs = {
        (action.name, *(argument.object().name for argument in arguments)): translate_action(grounded, [])
        for action, arguments, grounded in helper.get_grounded_actions()
        if grounded is not None
    }
    # It prunes by static facts only; the rest of the relaxation is done here, on its ground actions.
    reached, steps = set(problem.init), set()
    while new := {
        step
        for step, action in theirs.items()
        if step not in steps and all(p.atom in reached for p in action.preconditions if p.positive)
    }:
        steps |= new
        reached.update(*(theirs[step].add for step in new))
    assert ours == sorted(steps)
    assert len(steps) < len(theirs) or domain.name == "blocks"
