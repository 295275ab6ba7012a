"""Conditions on static facts read into the subset: the same steps are applicable, by evaluating them here."""

import random
from itertools import product

import pytest

from orrery.pddl.read import OutsideSubset, PddlError, read_domain, read_problem
from orrery.planning.static_conditions import read_pair
from tests.effort import some
from tests.universe import applicable_steps

DOMAIN = """(define (domain house) (:requirements :adl) (:types thing place) (:constants sink - place)
 (:predicates (wet ?x - thing) (soft ?x - thing) (red ?x - thing) (held ?x - thing)
  (near ?x - thing ?p - place))
 (:action take :parameters (?x ?y - thing ?p - place) :precondition {}
  :effect (and (held ?x) (not (wet ?y)))))"""
NAMES = "abc"
STATIC = ("soft", "red")


def problem_of(facts):
    init = " ".join(f"({' '.join(fact)})" for fact in sorted(facts))
    return (
        f"(define (problem p) (:domain house) (:objects {' '.join(NAMES)} - thing q - place)"
        f" (:init {init}) (:goal (held a)))"
    )


def formula(rng, depth=2):
    """A condition, and what it says of the values of its variables and the facts."""
    kind = rng.choice(["atom", "atom", "or", "not", "imply", "and"]) if depth else "atom"
    if kind == "atom":
        return rng.choice([_unary, _near, _equal])(rng)
    parts = [formula(rng, depth - 1) for _ in range({"not": 1, "imply": 2}.get(kind, rng.randint(1, 3)))]
    truth = {
        "or": lambda v, f: any(holds(v, f) for _, holds in parts),
        "and": lambda v, f: all(holds(v, f) for _, holds in parts),
        "not": lambda v, f: not parts[0][1](v, f),
        "imply": lambda v, f: not parts[0][1](v, f) or parts[1][1](v, f),
    }[kind]
    return f"({kind} {' '.join(text for text, _ in parts)})", truth


def _unary(rng):
    name, variable = rng.choice(STATIC), rng.choice(["?x", "?y", "?X"])
    return f"({name} {variable})", lambda v, f: (name, v[variable.lower()]) in f


def _near(rng):
    place = rng.choice(["?p", "sink"])
    return f"(near ?x {place})", lambda v, f: ("near", v["?x"], v.get(place, place)) in f


def _equal(_):
    return "(= ?x ?y)", lambda v, f: v["?x"] == v["?y"]


def drawn_facts(rng):
    atoms = [(name, each) for name in (*STATIC, "wet") for each in NAMES]
    atoms += [("near", name, place) for name in NAMES for place in ("q", "sink")]
    return {fact for fact in atoms if rng.random() < 0.5}


def test_steps_are_those_whose_conditions_hold():
    rng, compiled = random.Random(3), 0
    for _ in range(some(200)):
        facts, parts = drawn_facts(rng), [formula(rng) for _ in range(rng.randint(1, 2))]
        text = DOMAIN.format(f"(and (wet ?y) (and {' '.join(text for text, _ in parts)}))")
        domain, problem = read_pair(text, problem_of(facts))
        compiled += len(domain.predicates) > 5
        steps = set(applicable_steps(domain, problem, problem.init))
        expected = {
            ("take", *values)
            for values in product(NAMES, NAMES, ("q", "sink"))
            if ("wet", values[1]) in facts
            and all(holds(dict(zip(("?x", "?y", "?p"), values, strict=True)), facts) for _, holds in parts)
        }
        assert steps == expected, text
    assert compiled


def test_a_domain_without_such_conditions_is_read_as_ever():
    for condition in ("(and (wet ?x) (not (red ?y)))", "(wet ?x)", "()", "(and)"):
        text, problem = DOMAIN.format(condition), problem_of({("wet", "a")})
        plain = read_domain(text)
        assert read_pair(text, problem) == (plain, read_problem(problem, plain))


@pytest.mark.parametrize(
    ("condition", "error"),
    [
        ("(or (wet ?x) (red ?x))", OutsideSubset),
        ("(and (soft ?x) (imply (soft ?x) (held ?y)))", OutsideSubset),
        ("(or (red ?x) (forall (?z - thing) (red ?z)))", OutsideSubset),
        ("(or (red ?x) (blue ?x))", PddlError),
        ("(or (red ?x) (red ?z))", PddlError),
        ("(or (red ?x) (red ?x ?y))", PddlError),
        ("(or (red ?x) (soft zzz))", PddlError),
        ("(or (red ?x) (= ?x zzz))", PddlError),
        ("(or (red ?x) (soft ?p))", PddlError),
        ("(or (red ?x) (soft sink))", PddlError),
        ("(or (red ?x) (= ?x))", PddlError),
        ("(not (and (red ?x) (imply (soft ?x) (near ?p ?x))))", PddlError),
    ],
)
def test_what_actions_change_and_what_is_unsound_is_refused_as_before(condition, error):
    text = DOMAIN.format(condition)
    with pytest.raises(error):
        read_pair(text, problem_of(set()))
    with pytest.raises(error):
        read_domain(text)


def test_a_name_that_is_not_declared_is_told_with_its_place():
    text = DOMAIN.format("(or (red ?x) (soft zzz))")
    place = text.index("(soft zzz)") - text.rindex("\n", 0, text.index("(soft zzz)"))
    with pytest.raises(PddlError, match=rf"^house\.pddl:4:{place}: .*'zzz'"):
        read_pair(text, problem_of(set()), "house.pddl")


def test_a_domain_without_predicates_may_compare_objects():
    text = """(define (domain house) (:requirements :adl)
     (:action wait :parameters (?x ?y) :precondition (or (= ?x ?x) (= ?y ?y)) :effect ()))"""
    _, problem = read_pair(text, "(define (problem p) (:domain house) (:objects a) (:init) (:goal (and)))")
    assert problem.init == {("condition-0", "a", "a")}
