"""The quick reader reads what the careful one reads, or leaves it to that one."""

import random
import time
from itertools import pairwise
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.model import Problem, TypedName
from orrery.pddl.quick import read_quickly
from orrery.pddl.read import PddlError, read_carefully, read_domain, read_problem
from orrery.pddl.write import write_problem
from tests.effort import examples, grows_linearly
from tests.pddl.random_pddl import tasks
from tests.pddl.test_errors import DOMAIN, MALFORMED_PROBLEMS, split
from tests.pddl.test_fuzz import TOKENS, mutated


def carefully(text, domain):
    try:
        return read_carefully(text, domain)
    except PddlError:
        return None


def agree(text, domain):
    """Where the quick reader answers, the careful one gives the same."""
    quick = read_quickly(text, domain)
    assert quick is None or quick == carefully(text, domain)
    return quick


@examples(200)
@given(tasks())
def test_what_we_write_is_read_quickly_but_for_equality_in_goals(task):
    domain, problem = task
    plain = all(literal.atom[0] != "=" for literal in problem.goal)
    quick = agree(write_problem(problem), domain)
    assert quick == (problem if plain else None)


SPACES = (" ", "  ", "\n", "\t", "\r\n", " ; (a) comment\n", ";\n", "\f", "\x1f")


@examples(200)
@given(tasks(), st.randoms(), st.integers(0, 3))
def test_spaces_comments_capitals_and_mutations(task, rng, changes):
    domain, problem = task
    tokens = write_problem(problem).replace("(", " ( ").replace(")", " ) ").split()
    for _ in range(4):
        changed = mutated(random.Random(rng.random()), tokens) if changes else tokens
        words = [rng.choice((str.upper, str.lower, str.title))(token) for token in changed]
        text = ""
        for word, following in pairwise([*words, ")"]):
            glued = word in "()" or following in "()"
            text += word + (rng.choice(("", *SPACES)) if glued else rng.choice(SPACES))
        quick = agree(text, domain)
        if not changes and all(literal.atom[0] != "=" for literal in problem.goal):
            assert quick == problem


@examples(400)
@given(st.lists(st.sampled_from(TOKENS), max_size=30), st.text(max_size=5))
def test_any_sequence_of_tokens(tokens, more):
    domain = read_domain("(define (domain d) (:predicates (p) (q ?x)) (:functions (total-cost)))")
    sound = "(define (problem x) (:domain d) (:objects a) (:init (p)) (:goal (p)))"
    at = len(tokens) * 2 % len(sound)
    for text in (
        "(define (problem x) (:domain d) (:init " + " ".join(tokens) + ") (:goal (p)))",
        "(define (problem x) (:domain d) (:init (p)) (:goal " + " ".join(tokens) + "))",
        sound[:at] + " ".join(tokens) + sound[at:],
        sound[:at] + more + sound[at:],
    ):
        agree(text, domain)


WORDS = "(define (problem x) (:domain d) {} (:init {}) (:goal {}) {})"


@pytest.mark.parametrize(
    "parts",
    [
        ("(:objects a - t b - u c)", "(p) (q a)", "(and (q a) (not (q k)))", ""),
        ("(:objects)", "", "(and)", ""),
        ("(:objects a b - t)", "(= (f) 3) (= (f) 3) (q b)", "(not (p))", "(:metric minimize (total-cost))"),
        ("(:objects a - t)", "(not (p)) (q a)", "(p)", "(:metric minimize total-cost)"),
        ("(:requirements :strips)", "(not(p))(q k)", "(and(p)(not(q k)))", ""),
    ],
)
def test_these_are_read_quickly(parts):
    text = WORDS.format(*parts)
    assert agree(text, DOMAIN) is not None


@pytest.mark.parametrize("marked", [marked for marked, _ in MALFORMED_PROBLEMS])
def test_the_malformed_are_left_to_the_careful_reader(marked):
    assert read_quickly(split(marked)[0], DOMAIN) is None


MANY = 100_000


def nonsense(many):
    """Texts of some ``many`` words that no problem is."""
    return [
        WORDS.format("(:objects" + " a" * (3 * many) + "(", "", "()", ""),
        WORDS.format("(:" + "a" * (5 * many), "", "()", ""),
        WORDS.format("(:objects a" + " " * (5 * many) + "-", "", "()", ""),
        WORDS.format("", "(not " * many, "()", ""),
        WORDS.format("", "(= " * many, "()", ""),
        WORDS.format("", "(p) " * many + "(", "()", ""),
        WORDS.format("", "(" + " " * (5 * many) + "q", "(and " * many, ""),
        WORDS.format("", "(q a=b)", "()", "") + " " * (5 * many) + ")",
        "(define" + " " * (5 * many) + "(",
        "(" * (5 * many),
        "(define (problem x) " + "(:init (((p)))" * many,
        WORDS.format("", "", "(and" + " (not" * many, ""),
    ]


@pytest.mark.parametrize("number", range(len(nonsense(1))), ids=[f"{text[:60]!r}" for text in nonsense(10)])
def test_nonsense_is_refused_in_time_linear_in_its_length(number):
    shorter, longer = (nonsense(many)[number] for many in (MANY // 4, MANY))
    assert read_quickly(longer, DOMAIN) is None
    assert grows_linearly(lambda text: read_quickly(text, DOMAIN), shorter, longer)


def test_it_is_quick():
    domain = read_domain("(define (domain d) (:predicates (on ?x ?y) (clear ?x) (free)))")
    names = [f"b{number}" for number in range(40)]
    facts = frozenset(("on", *pair) for pair in pairwise(names)) | {("clear", "b0"), ("free",)}
    goal = read_carefully("(define (problem x) (:domain d) (:init) (:goal (free)))", domain).goal
    text = write_problem(Problem("x", "d", tuple(map(TypedName, names)), facts, goal))

    def spent(read):
        began = time.process_time()
        read(text, domain)
        return time.process_time() - began

    ratios = [spent(read_carefully) / spent(read_problem) for _ in range(50)]
    assert median(ratios) > 1.5
