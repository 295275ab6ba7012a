from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.model import Literal, Problem, TypedName
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import (
    parse_problem,
    write_domain,
    write_problem,
)
from tests.effort import examples
from tests.pddl.random_pddl import tasks


@pytest.mark.slow
@examples(200)
@given(tasks())
def test_what_is_written_reads_back_the_same(task):
    domain, problem = task
    text, problem_text = write_domain(domain), write_problem(problem)
    assert read_domain(text) == domain
    assert read_problem(problem_text, domain) == problem == parse_problem(problem_text)
    assert write_domain(read_domain(text)) == text
    assert write_problem(read_problem(problem_text, domain)) == problem_text


SPACES = (" ", "  ", "\n", "\t", "\r\n", " ; (a) comment\n", ";\n", "\f", "\x1f")


@pytest.mark.slow
@examples(200)
@given(tasks(), st.randoms())
def test_spaces_comments_and_capitals_do_not_count(task, rng):
    domain, problem = task

    def rewritten(text):
        tokens = text.replace("(", " ( ").replace(")", " ) ").split()
        words = [rng.choice((str.upper, str.lower, str.title))(token) for token in tokens]
        written = ""
        for word, following in pairwise([*words, ")"]):
            glued = word in "()" or following in "()"
            written += word + (rng.choice(("", *SPACES)) if glued else rng.choice(SPACES))
        return written

    assert read_domain(rewritten(write_domain(domain))) == domain
    assert read_problem(rewritten(write_problem(problem)), domain) == problem


@given(tasks(), st.randoms())
def test_equal_models_give_equal_bytes_whatever_the_order_of_their_sets(task, rng):
    domain, problem = task

    def shuffled(values):
        values = list(values)
        rng.shuffle(values)
        return frozenset(values)

    changed = replace(
        problem, init=shuffled(problem.init), goal=shuffled(problem.goal), costs=shuffled(problem.costs)
    )
    assert write_problem(changed) == write_problem(problem)
    parts = ("preconditions", "add", "delete")
    actions = tuple(
        replace(a, **{part: shuffled(getattr(a, part)) for part in parts}) for a in domain.actions
    )
    assert write_domain(replace(domain, actions=actions)) == write_domain(domain)


def test_facts_and_literals_are_sorted():
    problem = Problem(
        "x",
        "d",
        (TypedName("b"), TypedName("a")),
        frozenset({("q", "b"), ("q", "a"), ("p",)}),
        frozenset({Literal(("q", "b")), Literal(("q", "a"), positive=False)}),
        frozenset({(("total-cost",), 0), (("f", "a"), 2)}),
        metric=True,
    )
    assert write_problem(problem) == (
        "(define (problem x)\n"
        "  (:domain d)\n"
        "  (:objects b a)\n"
        "  (:init (p) (q a) (q b) (= (f a) 2) (= (total-cost) 0))\n"
        "  (:goal (and (not (q a)) (q b)))\n"
        "  (:metric minimize (total-cost)))\n"
    )
