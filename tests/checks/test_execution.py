"""The execution of the checks agrees with the other one on every domain, on plans and on spoilt plans."""

import random
from dataclasses import replace

import pytest

from orrery.checks import execution
from orrery.checks.lifted import Lifted, actions_of
from orrery.model import literals
from orrery.pddl.read import read_domain, read_problem
from orrery.planning import execution as other
from orrery.planning.grounding import ground
from tests.every_domain import CATALOG, easy_problems, entry
from tests.universe import walk

NAMES = [name for name in CATALOG.names if entry(name).tasks]
STEPS = 8


def spoilt(steps, rng):
    """The steps, and some with a step left out, doubled, exchanged, renamed or with other arguments."""
    yield steps
    if not steps:
        return
    place, another = rng.randrange(len(steps)), rng.randrange(len(steps))
    yield [*steps[:place], *steps[place + 1 :]]
    yield [*steps[:place], steps[place], *steps[place:]]
    exchanged = list(steps)
    exchanged[place], exchanged[another] = exchanged[another], exchanged[place]
    yield exchanged
    for wrong in (
        ("teleport", "a"),
        steps[place][:1],
        (*steps[place], "a"),
        (steps[place][0], *steps[another][1:]),
    ):
        yield [*steps[:place], wrong, *steps[place + 1 :]]


@pytest.mark.parametrize("name", NAMES)
def test_both_executions_say_the_same_of_plans_and_spoilt_plans(name):
    domain, rng, verdicts = entry(name).domain, random.Random(name), set()
    for problem in easy_problems(name, 3):
        steps, states = walk(domain, problem, rng, STEPS)
        reached = replace(problem, goal=literals(rng.sample(sorted(states[-1]), min(3, len(states[-1])))))
        for plan in spoilt(steps, rng):
            expected = other.check_plan(domain, reached, plan)
            assert bool(execution.fault_of_plan(domain, reached, plan)) is not expected.valid
            verdicts.add(expected.valid)
            mistyped = [step for step in plan if other.mistyped(domain, reached, step)]
            assert bool(execution.ill_typed(domain, reached, plan)) == bool(mistyped)
            if not mistyped:
                trajectory = execution.execute(domain, problem, plan)
                assert trajectory.failed == (expected.failed_at if not expected.valid else None)
        for step, before in zip(steps, execution.execute(domain, problem, steps).states, strict=False):
            assert execution.successor(domain, before, step) == other.progress(domain, before, step)
    assert verdicts == {True, False}


def test_verdicts_on_sequences_and_superfluous_steps():
    domain, problem = entry("ferry").domain, easy_problems("ferry", 1)[0]
    steps, (*_, last) = walk(domain, problem, random.Random(1), STEPS)
    goal = replace(problem, goal=literals(sorted(last)[:1]))
    assert execution.verdict(domain, goal, steps) == execution.PLAN
    assert (
        execution.verdict(domain, replace(problem, goal=literals([("at", "nothing", "nowhere")])), steps)
        == "applicable"
    )
    assert execution.verdict(domain, goal, [*steps, ("teleport",)]) == execution.INVALID
    for start, width in execution.superfluous(domain, goal, steps):
        assert other.check_plan(domain, goal, execution.without(steps, start, width)).valid
    assert execution.occurrences(steps, steps[:2])[0] == 0


TOLLS = """(define (domain tolls) (:requirements :strips :typing :action-costs) (:types shore)
 (:predicates (at ?s - shore) (seen ?s - shore)) (:functions (total-cost) (toll ?from ?to - shore))
 (:action cross :parameters (?from ?to - shore) :precondition (at ?from)
  :effect (and (at ?to) (not (at ?from)) (increase (total-cost) (toll ?from ?to))))
 (:action look :parameters (?s - shore) :precondition (at ?s)
  :effect (and (seen ?s) (increase (total-cost) 2))))"""
SHORES = """(define (problem p) (:domain tolls) (:objects a b c - shore) (:init (at a) (= (total-cost) 0)
 (= (toll a b) 3) (= (toll b a) 1) (= (toll b c) 0)) (:goal (at c)) (:metric minimize (total-cost)))"""


def test_a_step_whose_cost_has_no_value_is_not_applicable():
    domain = read_domain(TOLLS)
    problem = read_problem(SHORES, domain)
    cross = {(start, end): ("cross", start, end) for start in "abc" for end in "abc"}
    valued = [cross[pair] for pair in (("a", "b"), ("b", "a"), ("b", "c"))]
    assert actions_of(domain, problem) == [*valued, *(("look", shore) for shore in "abc")]
    assert {action.step for action in ground(domain, problem).actions} <= set(actions_of(domain, problem))
    assert Lifted(domain, problem).applicable(problem.init) == [cross["a", "b"], ("look", "a")]
    for steps, failed in (
        ([cross["a", "b"], ("look", "b"), cross["b", "c"]], None),
        ([cross["a", "c"]], 0),
        ([cross["a", "b"], cross["b", "b"], cross["b", "c"]], 1),
    ):
        assert execution.execute(domain, problem, steps).failed == failed
        assert execution.is_plan(domain, problem, steps) is (failed is None)
        verdict = other.check_plan(domain, problem, steps)
        assert (verdict.valid, verdict.failed_at) == (failed is None, failed)
    assert execution.verdict(domain, problem, [cross["a", "c"]]) == execution.INAPPLICABLE
