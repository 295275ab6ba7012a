from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.pddl.read import read_domain, read_problem
from orrery.planning.execution import applicable, check_plan, mistyped, progress
from orrery.planning.grounding import ground
from orrery.planning.task import is_plan, run
from orrery.planning.universe import ground_steps
from tests.effort import examples
from tests.pddl.random_pddl import tasks
from tests.plain_search import PlainSearch
from tests.universe import applicable_steps, true_in

DOMAIN = read_domain(
    "(define (domain d) (:types car place) (:constants depot - place)"
    " (:predicates (at ?c - car ?p - place) (road ?p ?q - place) (washed ?c - car))"
    " (:action drive :parameters (?c - car ?p ?q - place)"
    "   :precondition (and (at ?c ?p) (road ?p ?q) (not (= ?p ?q)))"
    "   :effect (and (not (at ?c ?p)) (at ?c ?q)))"
    " (:action wash :parameters (?c - car) :precondition (and (at ?c depot) (not (washed ?c)))"
    "   :effect (washed ?c)))"
)
PROBLEM = read_problem(
    "(define (problem x) (:domain d) (:objects a - car home - place)"
    " (:init (at a home) (road home depot) (road depot home) (road home home))"
    " (:goal (and (washed a) (not (at a depot)) (not (= home depot)))))",
    DOMAIN,
)
PLAN = [("drive", "a", "home", "depot"), ("wash", "a"), ("drive", "a", "depot", "home")]


@pytest.mark.parametrize(
    ("step", "word"),
    [
        ((), "no action ''"),
        (("fly", "a"), "no action 'fly'"),
        (("wash",), "takes 1"),
        (("wash", "a", "a"), "takes 1"),
        (("wash", "nobody"), "no object 'nobody'"),
        (("wash", "home"), "does not fit"),
        (("drive", "depot", "home", "a"), "does not fit"),
        (("wash", "a"), "not applicable"),
        (("drive", "a", "home", "home"), "not applicable"),
    ],
)
def test_a_bad_step_is_named_with_its_place(step, word):
    for place in range(2):
        steps = [*[PLAN[0], PLAN[2]] * place, step, *PLAN]
        verdict = check_plan(DOMAIN, PROBLEM, steps)
        assert not verdict.valid
        assert verdict.failed_at == 2 * place
        assert word in verdict.reason
        assert run(ground(DOMAIN, PROBLEM), steps) is None


def successors(domain, problem, state):
    """Applicable steps with the states they lead to, by definition."""
    return PlainSearch(domain, replace(problem, init=state), most=0).after[state]


def some_plans(draw, domain, problem):
    """A walk, then damaged: cut, reordered, with a step of the universe slipped in, or mistyped."""
    steps, state = [], problem.init
    for _ in range(draw(st.integers(0, 5))):
        following = sorted(successors(domain, problem, state).items())
        if not following:
            break
        step, state = draw(st.sampled_from(following))
        steps.append(step)
    universe = list(ground_steps(domain, problem))
    damage = draw(st.sampled_from(["none", "cut", "reorder", "insert", "mistype"]))
    if damage == "cut" and steps:
        del steps[draw(st.integers(0, len(steps) - 1))]
    elif damage == "reorder":
        steps = draw(st.permutations(steps))
    elif damage == "insert" and universe:
        steps.insert(draw(st.integers(0, len(steps))), draw(st.sampled_from(universe)))
    elif damage == "mistype" and steps:
        names = [typed.name for typed in (*domain.constants, *problem.objects)] or ["x"]
        at = draw(st.integers(0, len(steps) - 1))
        steps[at] = (steps[at][0], *(draw(st.sampled_from(names)) for _ in steps[at][1:]))
    return steps


@pytest.mark.slow
@examples(200)
@given(st.data(), tasks(lively=True))
def test_both_routes_agree_with_the_definition_on_sound_and_damaged_plans(data, task):
    domain, problem = task
    steps = some_plans(data.draw, domain, problem)
    state, failed_at = problem.init, None
    for index, step in enumerate(steps):
        after = successors(domain, problem, state).get(step)
        if after is None:
            failed_at = index
            break
        state = after
    valid = failed_at is None and true_in(state, problem.goal)
    verdict = check_plan(domain, problem, steps)
    assert (verdict.valid, verdict.failed_at) == (valid, failed_at)
    assert bool(verdict.reason) != valid
    assert is_plan(ground(domain, problem), steps) == valid


@pytest.mark.slow
@given(tasks(lively=True))
def test_lifted_execution_is_the_definition(task):
    domain, problem = task
    expected = successors(domain, problem, problem.init)
    assert applicable_steps(domain, problem, problem.init) == sorted(expected)
    for step in ground_steps(domain, problem):
        assert mistyped(domain, problem, step) == ""
        assert applicable(domain, problem.init, step) == (step in expected)
        if step in expected:
            assert progress(domain, problem.init, step) == expected[step]
