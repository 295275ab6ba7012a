import pytest

from orrery.model import Action, Literal, Predicate, TypedName
from orrery.pddl.read import OutsideSubset, read_domain, read_problem

DOMAIN = """
; Comments, capitals, tabs and carriage returns change nothing.
(DEFINE (Domain D)\t(:Requirements :STRIPS :typing) ; another one (with parentheses)\r
  (:TYPES place - object truck car - vehicle vehicle)
  (:constants Depot - place)
  (:predicates (At ?V - vehicle ?P - (either place object)) (dirty ?x ?y - place) (flag))
  (:functions (distance ?p ?q - place) - number (total-cost) - number (spare))
  (:action Drive
    :effect (and (at ?v DEPOT) (not (flag)) (at ?v ?p) (not (at ?v ?p))
                 (increase (total-cost) (distance ?p depot)))
    :precondition (and (not (= ?p depot)) (and (flag) ()) (= ?v ?v))
    :parameters (?V - vehicle ?p - place))
  (:action wait))
"""


def test_a_domain_part_by_part():
    domain = read_domain(DOMAIN)
    place, vehicle = ("place",), ("vehicle",)
    assert domain.name == "d"
    assert domain.requirements == (":strips", ":typing")
    assert domain.types == (
        TypedName("place"),
        TypedName("truck", vehicle),
        TypedName("car", vehicle),
        TypedName("vehicle"),
    )
    assert domain.constants == (TypedName("depot", place),)
    assert domain.predicates == (
        Predicate("at", (TypedName("?v", vehicle), TypedName("?p", ("object", "place")))),
        Predicate("dirty", (TypedName("?x", place), TypedName("?y", place))),
        Predicate("flag"),
    )
    assert [function.name for function in domain.functions] == ["distance", "total-cost", "spare"]
    assert domain.actions[0] == Action(
        "drive",
        (TypedName("?v", vehicle), TypedName("?p", place)),
        frozenset({Literal(("=", "?p", "depot"), False), Literal(("flag",)), Literal(("=", "?v", "?v"))}),
        add=frozenset({("at", "?v", "depot"), ("at", "?v", "?p")}),
        delete=frozenset({("flag",), ("at", "?v", "?p")}),
        cost=("distance", "?p", "depot"),
    )
    assert domain.actions[1] == Action("wait", (), frozenset(), frozenset(), frozenset())


def test_a_problem_part_by_part():
    problem = read_problem(
        "(define (problem X) (:domain D) (:requirements :strips) (:objects A - Truck home - place)"
        " (:init (flag) (AT a Home) (at a home) (not (dirty home depot)) (= (total-cost) 0)"
        " (= (distance home depot) 7)) (:goal (and (at a depot) (not (flag)) (not (= a a))))"
        " (:metric minimize total-cost))",
        read_domain(DOMAIN),
    )
    assert problem.name == "x"
    assert problem.objects == (TypedName("a", ("truck",)), TypedName("home", ("place",)))
    assert problem.init == {("flag",), ("at", "a", "home")}
    assert problem.costs == {(("total-cost",), 0), (("distance", "home", "depot"), 7)}
    assert problem.goal == {
        Literal(("at", "a", "depot")),
        Literal(("flag",), False),
        Literal(("=", "a", "a"), False),
    }
    assert problem.metric


@pytest.mark.parametrize(
    "goal", ["(p)", "(and (p))", "(and (and) (and (p) (and (p))))", "(and (p) ())", "( and ( p ) )"]
)
def test_ways_to_write_one_goal(goal):
    domain = read_domain("(define (domain d) (:predicates (p)))")
    problem = read_problem(f"(define (problem x) (:domain d) (:init) (:goal {goal}))", domain)
    assert problem.goal == {Literal(("p",))}
    assert problem.objects == ()
    assert not problem.metric


@pytest.mark.parametrize("empty", ["(and)", "(and ())", "(and (and) (and ()))"])
def test_ways_to_write_nothing(empty):
    domain = read_domain(
        f"(define (domain d) (:predicates (p)) (:action a :precondition {empty} :effect {empty}))"
    )
    assert domain.actions[0] == Action("a", (), frozenset(), frozenset(), frozenset())
    assert (
        read_problem(f"(define (problem x) (:domain d) (:init) (:goal {empty}))", domain).goal == frozenset()
    )


def test_object_needs_no_declaration_and_may_have_one():
    plain = read_domain("(define (domain d) (:predicates (p ?x)))")
    explicit = read_domain("(define (domain d) (:types object) (:predicates (p ?x - object)))")
    assert plain == explicit


def test_sections_may_come_in_any_order():
    domain = read_domain(
        "(define (domain d) (:action a :effect (p c)) (:predicates (p ?x - t)) (:constants c - t) (:types t))"
    )
    assert domain.actions[0].add == {("p", "c")}
    problem = read_problem(
        "(define (problem x) (:goal (p o)) (:init (p o)) (:objects o - t) (:domain d))", domain
    )
    assert problem.satisfied(problem.init)


def test_a_type_with_many_generations():
    domain = read_domain(
        "(define (domain d) (:types a - b b - c c - e) (:predicates (p ?x - e)) (:constants k - a))".replace(
            "c - e)", "c - e e)"
        )
    )
    assert domain.ancestors["a"] == {"a", "b", "c", "e", "object"}
    assert domain.ancestors["object"] == {"object"}
    assert domain.fits(("a",), ("e",))
    assert not domain.fits(("e",), ("a",))
    assert read_problem("(define (problem x) (:domain d) (:init (p k)) (:goal (and)))", domain).init == {
        ("p", "k")
    }


def test_a_question_mark_begins_a_variable():
    glued = read_domain(
        "(define (domain d)(:predicates(adj?a?b))(:action m :parameters(?a?b):effect(adj?a?b)))"
    )
    spaced = (
        "(define (domain d) (:predicates (adj ?a ?b)) (:action m :parameters (?a ?b) :effect (adj ?a ?b)))"
    )
    assert glued == read_domain(spaced)


def test_names_in_the_declaration_of_a_predicate_mean_nothing():
    domain = read_domain("(define (domain d) (:types t u) (:predicates (in ?obj - t ?obj - u)))")
    assert [typed.types for typed in domain.predicates[0].parameters] == [("t",), ("u",)]


@pytest.mark.parametrize("section", [":durative-action nap", ":derived (p)", ":event e", ":process f"])
def test_what_is_outside_the_subset_is_said_before_any_other_fault(section):
    with pytest.raises(OutsideSubset, match=section.split()[0]):
        read_domain(f"(define (domain d) (:predicates (p) (p)) ({section} (q)) ({section} (q)))")
