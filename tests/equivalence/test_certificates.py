"""Certificates made in batches are those of the plain route, compiled or not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.equivalence import certificates
from orrery.equivalence.certificates import Certifier, plain
from orrery.equivalence.closure import close
from orrery.equivalence.keys import INIT, goal_layers, strict_layers
from orrery.equivalence.undecided import Undecided
from orrery.model import Problem, TypedName
from orrery.pddl.read import read_domain
from tests.effort import examples, sample
from tests.every_domain import CATALOG, difficulties, drawn, entry

DOMAIN = """
(define (domain any) (:requirements :strips :typing) (:types b - a a)
  (:constants k - a)
  (:predicates (none) (other) (one ?x - a) (two ?x ?y - a) (more ?x ?y - a)))
"""
WIDE = """
(define (domain wide) (:requirements :strips) (:predicates %s))
"""
NAMES = [f"x{i}" for i in range(9)]


def graphs(name, each):
    """Every kind of graph that keys are made of, of problems drawn in the domain."""
    here = entry(name)
    for level in difficulties(name):
        for task in here.tasks[:: max(1, len(here.tasks) // 12)]:
            for number in range(each):
                if made := drawn(name, task, level, number):
                    problem = made.problem
                    closure = close(here.domain, problem, here.closure_rule) if here.closure_rule else None
                    yield problem, {INIT: problem.init}
                    if closure and closure.decided:
                        yield problem, strict_layers(problem, closure)
                        yield problem, goal_layers(here.domain, problem, closure)


@pytest.mark.parametrize("name", sample(["blocksworld", "floor-tile", "gripper", *CATALOG.names], 3))
def test_batches_of_problems_have_the_certificates_of_the_plain_route(name):
    asked, certifier = list(graphs(name, 2)), Certifier(entry(name).domain, enough=0)
    found = [each for start in range(0, len(asked), 7) for each in certifier.found(asked[start : start + 7])]
    assert found == [plain(entry(name).domain, each) for each in asked]
    assert len(set(found)) > 1


OBJECTS = st.lists(st.sampled_from(NAMES), unique=True, max_size=9).flatmap(
    lambda names: st.tuples(
        *(st.sampled_from("ab").map(lambda kind, n=name: TypedName(n, (kind,))) for name in names)
    )
)


@st.composite
def problems(draw):
    """A few objects, and facts of two layers, loops and repeated pairs among them."""
    objects = draw(OBJECTS)
    names = st.sampled_from([*(name for name, _ in objects), "k"])
    fact = st.one_of(
        st.tuples(st.sampled_from(["none", "other"])),
        st.tuples(st.just("one"), names),
        st.tuples(st.sampled_from(["two", "more"]), names, names),
    )
    layers = {layer: frozenset(draw(st.lists(fact, max_size=14))) for layer in ("init", "goal")}
    return Problem("p", "any", objects, layers["init"], frozenset()), layers


@examples(300)
@given(st.lists(problems(), min_size=1, max_size=5))
def test_any_graphs_have_the_certificates_of_the_plain_route(asked):
    domain = read_domain(DOMAIN)
    assert Certifier(domain, enough=0).found(asked) == [plain(domain, each) for each in asked]


def test_without_numba_and_before_it_pays_the_route_is_the_plain_one(monkeypatch):
    asked = list(graphs("gripper", 1))
    wanted = [plain(entry("gripper").domain, each) for each in asked]
    monkeypatch.setattr(certificates, "_batches", None)  # not to be called
    assert Certifier(entry("gripper").domain).found(asked) == wanted
    monkeypatch.setattr(certificates, "find_spec", lambda name: None)
    assert Certifier(entry("gripper").domain, enough=0).found(asked) == wanted


@pytest.mark.parametrize(("predicates", "arity"), [(70, 1), (1, 3)])
def test_marks_that_do_not_fit_and_long_facts_take_the_plain_route(predicates, arity):
    arguments = " ".join(f"?x{i}" for i in range(arity))
    domain = read_domain(WIDE % " ".join(f"(p{i} {arguments})" for i in range(predicates)))
    objects = tuple(map(TypedName, NAMES[:3]))
    facts = frozenset((f"p{i}", *NAMES[:arity]) for i in range(predicates))
    asked = [(Problem("p", "wide", objects, facts, frozenset()), {INIT: facts})]
    assert Certifier(domain, enough=0).found(asked) == [plain(domain, each) for each in asked]


def test_too_many_kinds_of_relations_take_the_plain_route():
    """Each pair of objects has a relation of its own, so that no word holds the counts of all."""
    domain = read_domain(WIDE % " ".join(f"(p{i} ?x ?y)" for i in range(20)))
    pairs = [(a, b) for a in NAMES for b in NAMES if a < b]
    facts = frozenset((f"p{i}", *pair) for n, pair in enumerate(pairs) for i in range(6) if n + 1 >> i & 1)
    asked = [(Problem("p", "wide", tuple(map(TypedName, NAMES)), facts, frozenset()), {INIT: facts})]
    assert Certifier(domain, enough=0).found(asked) == [plain(domain, each) for each in asked]


def test_what_the_plain_route_leaves_undecided_stays_so(monkeypatch):
    monkeypatch.setattr(certificates, "canonical_from", lambda graph, partition: Undecided("no"))
    asked = list(graphs("gripper", 1))
    assert Undecided("no") in Certifier(entry("gripper").domain, enough=0).found(asked)


def test_the_loops_can_be_compiled_beforehand():
    certificates.compile_loops()
    from orrery.equivalence import certificate_kernel

    assert certificate_kernel.certificates.signatures
