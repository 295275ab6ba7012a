"""What is asked of problems as arrays is what is asked of each; their PDDL is that of the plain writer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.equivalence.certificates import Certifier
from orrery.equivalence.permuted import goal_holds_permuted
from orrery.families.problems.problem_arrays import ProblemArrays, ProblemWriter
from orrery.model import Literal, Problem, TypedName
from orrery.pddl.read import read_domain
from orrery.pddl.write import write_problem
from tests.effort import examples

DOMAIN = read_domain(
    """
(define (domain any) (:requirements :strips)
  (:predicates (none) (one ?x) (two ?x ?y) (still ?x))
  (:action change :parameters (?x ?y) :precondition (and (one ?x))
    :effect (and (not (one ?x)) (none) (two ?x ?y))))
"""
)
NAMES = [f"x{i}" for i in range(4)]


@st.composite
def problems(draw):
    """Few objects and facts, so that goals often hold; costs and a metric at times."""
    names = st.sampled_from(NAMES)
    fact = st.one_of(
        st.just(("none",)),
        st.tuples(st.sampled_from(["one", "still"]), names),
        st.tuples(st.just("two"), names, names),
    )
    goal = st.frozensets(st.builds(Literal, fact, st.booleans()), max_size=3)
    objects = tuple(map(TypedName, draw(st.permutations(NAMES))))
    init = draw(st.frozensets(fact, max_size=6))
    return Problem(draw(st.sampled_from("pq")), "any", objects, init, draw(goal))


@examples(200)
@given(st.lists(problems(), max_size=6), st.data())
def test_arrays_say_what_each_problem_says(some, data):
    certifier = Certifier(DOMAIN)
    arrays, writer = ProblemArrays.of(certifier, some), ProblemWriter("any", certifier)
    assert arrays.satisfied().tolist() == [each.satisfied(each.init) for each in some]
    assert writer.written([each.name for each in some], arrays).to_pylist() == list(map(write_problem, some))
    init, goal = arrays.sizes()
    assert list(zip(init.tolist(), goal.tolist(), strict=True)) == [
        (len(each.init), len(each.goal)) for each in some
    ]
    fluent = np.array([each.name in DOMAIN.fluents for each in DOMAIN.predicates])
    possible = arrays.may_hold_permuted(certifier.facts, fluent).tolist()
    for each, left in zip(some, possible, strict=True):
        assert left or goal_holds_permuted(DOMAIN, each) is False
    for number, each in enumerate(some):
        assert arrays.problem(certifier, (each.name, "any"), number) == each
    chosen = sorted(data.draw(st.sets(st.sampled_from(range(len(some)))))) if some else []
    part = arrays.some(np.array(chosen, np.int64))
    assert writer.written([some[n].name for n in chosen], part).to_pylist() == [
        write_problem(some[n]) for n in chosen
    ]


@pytest.mark.parametrize("goal", [{("one", "a")}, {("still", "a")}, {("two", "a", "b")}])
def test_counting_rules_out_what_asks_for_more_than_there_is(goal):
    certifier, asked = Certifier(DOMAIN), frozenset(map(Literal, goal))
    problem = Problem("p", "any", (TypedName("a"), TypedName("b")), frozenset([("none",)]), asked)
    fluent = np.array([each.name in DOMAIN.fluents for each in DOMAIN.predicates])
    arrays = ProblemArrays.of(certifier, [problem])
    assert not arrays.may_hold_permuted(certifier.facts, fluent).any()
