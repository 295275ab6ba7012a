"""The second route to the ground task: the same as the naive fixpoint, and every slip of a task is seen."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from orrery.checks.lifted import Lifted
from orrery.checks.relaxation import faults_of, relaxation
from orrery.model import Literal
from orrery.pddl.read import read_domain, read_problem
from orrery.planning.grounding import ground
from tests import universe
from tests.effort import examples
from tests.every_domain import CATALOG, easy_problems, entry
from tests.pddl.random_pddl import tasks


@pytest.mark.slow
@examples(200)
@given(tasks(lively=True))
def test_it_is_the_naive_relaxed_fixpoint_and_the_ground_task_agrees(task):
    domain, problem = task
    steps, reached = universe.relaxed(domain, problem)
    relaxed = relaxation(domain, problem)
    assert relaxed.steps == sorted(steps)
    assert {fact for fact in reached if fact[0] in domain.fluents} <= set(relaxed.facts)
    assert list(faults_of(ground(domain, problem), relaxed)) == []


@pytest.mark.parametrize("name", CATALOG.names)
def test_the_ground_tasks_of_every_domain_agree(name):
    for problem in easy_problems(name, 3):
        domain = entry(name).domain
        assert list(faults_of(ground(domain, problem), relaxation(domain, problem))) == []


@examples(60)
@given(tasks(lively=True), st.data())
def test_a_task_that_lacks_an_action_or_states_one_otherwise_is_refused(task, data):
    domain, problem = task
    grounded = ground(domain, problem)
    assume(grounded.actions and grounded.bit)
    action = data.draw(st.sampled_from(grounded.actions))
    actions_without = tuple(each for each in grounded.actions if each is not action)
    bit = data.draw(st.sampled_from(sorted(grounded.bit.values())))
    spoilt = action._replace(positive=action.positive ^ bit)
    for wrong in (actions_without, tuple(spoilt if each is action else each for each in grounded.actions)):
        assert list(faults_of(replace(grounded, actions=wrong), relaxation(domain, problem)))


def test_each_precondition_is_tested_once_its_arguments_are_chosen(monkeypatch):
    """Equalities restrict the later choices: 40 objects and 5 parameters do not take 40^5 tests."""
    domain = read_domain("""
        (define (domain chain) (:requirements :strips :equality :negative-preconditions)
          (:predicates (barred ?x) (reached ?x))
          (:action link :parameters (?a ?b ?c ?d ?e)
            :precondition (and (= ?a ?b) (= ?b ?c) (= ?c ?d) (= ?d ?e) (not (barred ?a)))
            :effect (reached ?e)))""")
    names = [f"o{number}" for number in range(40)]
    problem = read_problem(
        f"""(define (problem p) (:domain chain) (:objects {" ".join(names)})
          (:init (barred o0)) (:goal (reached o1)))""",
        domain,
    )
    tests, holds = [0], Literal.holds

    def counted(literal, state):
        tests[0] += 1
        assert tests[0] < 10_000, "preconditions are tested late"
        return holds(literal, state)

    monkeypatch.setattr(Literal, "holds", counted)
    steps = Lifted(domain, problem).applicable(problem.init)
    assert steps == sorted(("link", *[name] * 5) for name in names[1:])
