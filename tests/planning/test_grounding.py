from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.model import Action, Domain, Literal, Predicate, Problem, TypedName, literals
from orrery.pddl.read import read_domain
from orrery.planning.grounding import Grounder, ground
from orrery.planning.task import applicable, is_applicable, progress
from orrery.planning.universe import count_steps, fluent_atoms, ground_steps, most_steps
from tests.effort import examples
from tests.every_domain import easy_problems, entry
from tests.pddl.random_pddl import tasks
from tests.planning import naive
from tests.universe import applicable_steps


@pytest.mark.slow
@examples(250)
@given(tasks(lively=True))
def test_actions_and_facts_are_those_of_the_naive_relaxed_fixpoint(task):
    domain, problem = task
    steps, reached = naive.relaxed(domain, problem)
    grounded = ground(domain, problem)
    assert [action.step for action in grounded.actions] == sorted(steps)
    fluent = {fact for fact in reached if fact[0] in domain.fluents}
    assert fluent <= set(grounded.facts)
    # What lies beyond is of the goal only, and never true but where the goal forbids a static fact.
    for fact in set(grounded.facts) - fluent:
        assert any(fact == literal.atom for literal in problem.goal)
        assert not grounded.bit[fact] & grounded.init or fact in problem.init
    assert list(grounded.facts) == sorted(grounded.facts)


@pytest.mark.slow
@examples(200)
@given(tasks(lively=True), st.randoms())
def test_walks_on_masks_are_walks_on_facts(task, rng):
    domain, problem = task
    grounded = ground(domain, problem)
    mask, state = grounded.init, problem.init
    for _ in range(6):
        assert grounded.state(mask) == state
        assert grounded.mask(state) == mask
        assert grounded.is_goal(mask) == naive.is_goal(problem, state) == problem.satisfied(state)
        successors = {action.step: progress(mask, action) for action in applicable(grounded, mask)}
        expected = naive.successors(domain, problem, state)
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
    states = naive.reachable_states(domain, problem, limit=300)
    if states is None:
        return
    grounded = ground(domain, problem)
    steps = {action.step for action in grounded.actions}
    for state in states:
        assert set(naive.successors(domain, problem, state)) <= steps
        assert all(fact in grounded.bit for fact in state if fact[0] in domain.fluents)
        assert grounded.state(grounded.mask(state)) == state


@pytest.mark.slow
@given(tasks(lively=True))
def test_the_same_task_every_time_and_from_a_kept_grounder(task):
    domain, problem = task
    grounder = Grounder(domain)
    assert ground(domain, problem) == grounder.ground(problem) == grounder.ground(problem)


@given(tasks(lively=True))
def test_the_universe_is_all_that_is_well_typed(task):
    domain, problem = task
    steps = list(ground_steps(domain, problem))
    assert steps == sorted(step for step, *_ in naive.ground_actions(domain, problem))
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


def tiny(actions, goal=(), init=(), objects=("a", "b"), predicates=("p", "q", "flag")):
    arity = {"flag": 0, "goal": 0}
    declared = tuple(
        Predicate(name, tuple(TypedName(f"?{i}") for i in range(arity.get(name, 1)))) for name in predicates
    )
    domain = Domain("d", (), (), (), declared, actions)
    return domain, Problem("x", "d", tuple(map(TypedName, objects)), frozenset(init), frozenset(goal))


def schema(name, pre=(), add=(), delete=(), parameters=()):
    typed = tuple(TypedName(parameter) for parameter in parameters)
    return Action(name, typed, frozenset(pre), frozenset(add), frozenset(delete))


def test_what_is_added_and_deleted_is_added():
    act = schema("act", add=[("flag",)], delete=[("flag",)])
    task = ground(*tiny((act,), init=[("flag",)]))
    assert task.actions[0].add == 1
    assert task.actions[0].delete == 0
    assert progress(task.init, task.actions[0]) == task.init


def test_a_negative_precondition_on_what_is_only_added_stays():
    mark = schema("mark", pre=[Literal(("p", "?x"), False)], add=[("p", "?x")], parameters=["?x"])
    task = ground(*tiny((mark,)))
    first = task.action_of["mark", "a"]
    assert is_applicable(task.init, first)
    assert not is_applicable(progress(task.init, first), first)


def test_an_action_without_parameters_preconditions_or_effects():
    task = ground(*tiny((schema("wait"),), objects=()))
    assert [action.step for action in task.actions] == [("wait",)]
    assert task.facts == ()
    assert progress(task.init, task.actions[0]) == task.init
    assert task.is_goal(task.init)


def test_goals_settled_by_static_facts_and_equality():
    act = schema("act", add=[("q", "a")])

    def solved(*goal):
        domain, problem = tiny((act,), goal=goal, init=[("p", "a"), ("q", "a")])
        task = ground(domain, problem)
        assert task.state(task.init) == problem.init
        assert task.is_goal(task.init) == naive.is_goal(problem, problem.init)
        return task.is_goal(task.init)

    assert solved(Literal(("p", "a")), Literal(("p", "b"), False))
    assert solved(Literal(("=", "a", "a")), Literal(("=", "a", "b"), False), Literal(("q", "a")))
    for literal in [("p", "b"), ("=", "a", "b"), ("q", "b")]:
        assert not solved(Literal(literal))
    for literal in [("p", "a"), ("=", "b", "b"), ("q", "a")]:
        assert not solved(Literal(literal, False))


def test_a_chain_is_reached_to_its_end():
    places = tuple(f"n{i}" for i in range(60))
    domain = read_domain(
        "(define (domain d) (:predicates (at ?x) (next ?x ?y)) (:action go :parameters (?x ?y)"
        " :precondition (and (at ?x) (next ?x ?y)) :effect (and (at ?y) (not (at ?x)))))"
    )
    init = frozenset({("at", "n0"), *(("next", a, b) for a, b in pairwise(places))})
    problem = Problem("x", "d", tuple(map(TypedName, places)), init, literals([("at", "n59")]))
    task = ground(domain, problem)
    assert len(task.actions) == 59
    assert len(task.facts) == 60
    assert not ground(domain, Problem("x", "d", problem.objects, init - {("at", "n0")}, problem.goal)).actions
