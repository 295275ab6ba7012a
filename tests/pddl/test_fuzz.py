"""Whatever the text: a model or a PddlError, and quickly."""

import random
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from orrery.pddl.read import PddlError, read_domain, read_problem
from orrery.pddl.write import write_domain, write_problem
from tests.effort import examples, grows_linearly, some
from tests.pddl.nonsense import NAMES, nonsense
from tests.pddl.random_pddl import tasks

DOMAIN = read_domain("(define (domain d) (:predicates (p) (q ?x)) (:functions (total-cost)))")
_WORDS = (
    "( ( ( ) ) ) define domain problem d x :domain :requirements :types :constants :predicates :functions"
    " :action :parameters :precondition :effect :objects :init :goal :metric minimize total-cost and not or"
    " = - either object number increase when forall ?x ?y p q a 3 -1 1.5 ; \0 é ²"
)
TOKENS = _WORDS.split()


def reads_or_refuses(text):
    """Read as a domain and as a problem; what reads must survive being written and read again."""
    domain = problem = None
    with suppress(PddlError):
        domain = read_domain(text)
    with suppress(PddlError):
        problem = read_problem(text, DOMAIN)
    assert domain is None or read_domain(write_domain(domain)) == domain
    assert problem is None or read_problem(write_problem(problem), DOMAIN) == problem


@given(st.text())
def test_any_text(text):
    reads_or_refuses(text)


@examples(300)
@given(st.lists(st.sampled_from(TOKENS), max_size=30), st.booleans())
@example(["(", "define", "(", "domain", "d", ")", "(", ":functions", "-", ")", ")"], False)
def test_any_sequence_of_the_language_s_own_tokens(tokens, closed):
    text = " ".join(tokens)
    for head in ("(define (domain d) ", "(define (problem x) (:domain d) "):
        reads_or_refuses(
            head + text + ")" * max(0, text.count("(") - text.count(")") + 1) if closed else text
        )


def mutated(rng, tokens):
    """One to three tokens dropped, doubled, swapped or replaced."""
    tokens = tokens.copy()
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(tokens))
        how = rng.randrange(4)
        if how == 0 and len(tokens) > 1:
            del tokens[at]
        elif how == 1:
            tokens.insert(at, tokens[at])
        elif how == 2:
            place = rng.randrange(len(tokens))
            tokens[at], tokens[place] = tokens[place], tokens[at]
        else:
            tokens[at] = rng.choice(TOKENS)
    return tokens


@pytest.mark.slow
@examples(150)
@given(tasks(), st.integers(0, 2**32))
def test_mutations_of_sound_texts(task, seed):
    rng = random.Random(seed)
    domain, problem = task
    for text in (write_domain(domain), write_problem(problem)):
        tokens = text.replace("(", " ( ").replace(")", " ) ").split()
        for _ in range(5):
            changed = " ".join(mutated(rng, tokens))
            with suppress(PddlError):
                read_problem(changed, domain) if ":init" in text else read_domain(changed)


def refused(text):
    for read in (read_domain, lambda text: read_problem(text, DOMAIN)):
        with pytest.raises(PddlError):
            read(text)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_long_nonsense_is_refused_in_time_linear_in_its_length(number):
    size = some(1_000_000)
    assert grows_linearly(refused, nonsense(size // 4)[number], nonsense(size)[number])


@pytest.mark.slow
def test_a_conjunction_may_nest_as_deeply_as_it_likes():
    deep = "(and " * 100_000 + "(p)" + ")" * 100_000
    domain = read_domain(
        f"(define (domain d) (:predicates (p)) (:action a :precondition {deep} :effect {deep}))"
    )
    assert domain.actions[0].add == {("p",)}


def many_sections(many):
    """The texts of a domain with ``many`` predicates and actions, and of a problem with as many facts."""
    predicates = "".join(f"(p{n} ?x)" for n in range(many))
    actions = "".join(f"(:action a{n} :parameters (?x) :effect (p{n} ?x))" for n in range(many))
    facts = "".join(f"(p{n} o)" for n in range(many))
    return (
        f"(define (domain d) (:predicates {predicates}) {actions})",
        f"(define (problem x) (:domain d) (:objects o) (:init {facts}) (:goal (p0 o)))",
    )


@pytest.mark.slow
def test_many_sections_and_facts_are_read_in_time_linear_in_their_number():
    many = 20_000

    def read(texts):
        domain = read_domain(texts[0])
        return domain, read_problem(texts[1], domain)

    domain, problem = read(many_sections(many))
    assert len(domain.actions) == len(problem.init) == many
    assert grows_linearly(read, many_sections(many // 4), many_sections(many))
