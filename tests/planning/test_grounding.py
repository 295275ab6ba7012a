from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.pddl.read import read_domain, read_problem
from orrery.planning.grounding import Grounder, ground
from orrery.planning.task import applicable, progress
from orrery.planning.universe import count_steps, fluent_atoms, ground_steps, most_steps
from tests import universe
from tests.effort import examples
from tests.every_domain import easy_problems, entry
from tests.pddl.random_pddl import tasks
from tests.plain_search import PlainSearch
from tests.universe import applicable_steps


@pytest.mark.slow
@examples(250)
@given(tasks(lively=True))
def test_actions_and_facts_are_those_of_the_naive_relaxed_fixpoint(task):
    domain, problem = task
    steps, reached = universe.relaxed(domain, problem)
    grounded = ground(domain, problem)
    assert [action.step for action in grounded.actions] == sorted(steps)
    fluent = {fact for fact in reached if fact[0] in domain.fluents}
    assert fluent <= set(grounded.facts)
    # What lies beyond is of the goal only, and never true but where the goal forbids a static fact.
    for fact in set(grounded.facts) - fluent:
        assert any(fact == literal.atom for literal in problem.goal)
        assert not grounded.bit[fact] & grounded.init or fact in problem.init
    assert list(grounded.facts) == sorted(grounded.facts)


def test_an_action_whose_cost_has_no_value_is_left_out():
    domain = read_domain(
        "(define (domain d) (:constants hub) (:predicates (at ?x) (seen ?x))"
        " (:functions (total-cost) (fare ?from ?to))"
        " (:action fly :parameters (?from) :precondition (at ?from)"
        "  :effect (and (at hub) (increase (total-cost) (fare ?from hub))))"
        " (:action look :parameters (?x) :precondition (at ?x)"
        "  :effect (and (seen ?x) (increase (total-cost) 2))))"
    )
    problem = read_problem(
        "(define (problem p) (:domain d) (:objects a b) (:init (at a) (at b) (= (fare b hub) 0))"
        " (:goal (seen hub)))",
        domain,
    )
    steps = [action.step for action in ground(domain, problem).actions]
    assert steps == [("fly", "b"), ("look", "a"), ("look", "b"), ("look", "hub")]
    costless = replace(problem, costs=frozenset())
    assert [action.step for action in ground(domain, costless).actions] == [("look", "a"), ("look", "b")]


@pytest.mark.slow
@examples(200)
@given(tasks(lively=True), st.randoms())
def test_walks_on_masks_are_walks_on_facts(task, rng):
    domain, problem = task
    grounded = ground(domain, problem)
    assert not any(action.add & action.delete for action in grounded.actions)
    mask, state = grounded.init, problem.init
    for _ in range(6):
        assert grounded.state(mask) == state
        assert grounded.mask(state) == mask
        assert grounded.is_goal(mask) == problem.satisfied(state) == universe.true_in(state, problem.goal)
        successors = {action.step: progress(mask, action) for action in applicable(grounded, mask)}
        expected = PlainSearch(domain, replace(problem, init=state), most=0).after[state]
        assert {step: grounded.state(after) for step, after in successors.items()} == expected
        assert list(successors) == applicable_steps(domain, problem, state)
        if not successors:
            break
        step = rng.choice(list(successors))
        mask, state = successors[step], expected[step]


@pytest.mark.slow
@examples(150)
@given(tasks(most=3, lively=True))
def test_what_is_left_out_never_happens(task):
    domain, problem = task
    search = PlainSearch(domain, problem, most=300)
    if not search.complete:
        return
    grounded = ground(domain, problem)
    steps = {action.step for action in grounded.actions}
    for state, following in search.after.items():
        assert following.keys() <= steps
        assert all(fact in grounded.bit for fact in state if fact[0] in domain.fluents)
        assert grounded.state(grounded.mask(state)) == state


@pytest.mark.slow
@given(tasks(lively=True))
def test_the_same_task_every_time_and_from_a_kept_grounder(task):
    domain, problem = task
    grounder = Grounder(domain)
    assert ground(domain, problem) == grounder.ground(problem) == grounder.ground(problem)


@pytest.mark.slow
@given(tasks(lively=True))
def test_the_universe_is_all_that_is_well_typed(task):
    domain, problem = task
    steps = list(ground_steps(domain, problem))
    assert steps == sorted(step for step, *_ in universe.ground_actions(domain, problem))
    assert count_steps(domain, problem) == len(steps)
    atoms = fluent_atoms(domain, problem)
    assert atoms == sorted(set(atoms))
    assert {fact for fact in ground(domain, problem).facts if fact[0] in domain.fluents} <= set(atoms)


@pytest.mark.slow
@given(tasks(lively=True))
def test_the_bound_on_steps_is_one(task):
    """Never below what grounding finds, nor above all that is well typed."""
    domain, problem = task
    bound = most_steps(domain, problem)
    assert len(ground(domain, problem).actions) <= bound <= count_steps(domain, problem)


@pytest.mark.parametrize(("name", "most"), [("gripper", 1.3), ("floor-tile", 4), ("blocksworld", 1.3)])
def test_the_bound_on_steps_is_near_what_grounding_finds(name, most):
    """Static facts count, so that untyped domains are not thought a hundred times as large."""
    for problem in easy_problems(name, 8):
        domain = entry(name).domain
        assert most_steps(domain, problem) <= most * len(ground(domain, problem).actions) + 10
