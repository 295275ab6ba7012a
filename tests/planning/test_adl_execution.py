"""Executing plans of wider domains: against the lifted simulator on the subset, by hand beyond it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.pddl.tolerant import read_adl
from orrery.pddl.write import write_domain, write_problem
from orrery.planning.adl_execution import Outside, check_adl_plan, read_adl_problem
from orrery.planning.execution import check_plan
from tests.effort import examples
from tests.pddl.random_pddl import tasks
from tests.scoring.domains.lamps import LAMPS
from tests.universe import walk

PROBLEM = """(define (problem p) (:domain lamps) (:objects a b - lamp cellar - room)
  (:init (hangs-in a hall) (hangs-in b cellar) (lit b) (= (total-cost) 0)) (:goal {}))"""


def verdict(goal, *steps, domain=LAMPS):
    problem = read_adl_problem(PROBLEM.format(goal))
    return check_adl_plan(read_adl(domain), problem, [tuple(step.split()) for step in steps])


@examples(60)
@given(tasks(either=False, lively=True), st.randoms())
def test_verdicts_are_those_of_the_simulator_of_the_subset(task, rng):
    domain, problem = task
    wide, wide_problem = read_adl(write_domain(domain)), read_adl_problem(write_problem(problem))
    steps, _ = walk(domain, problem, rng, 4)
    rng.shuffle(steps)
    for plan in (steps, steps[:-1], [*steps, ("a0",)]):
        ours, theirs = check_adl_plan(wide, wide_problem, plan), check_plan(domain, problem, plan)
        assert (ours.valid, ours.failed_at) == (theirs.valid, theirs.failed_at)


def test_conditional_and_quantified_effects():
    assert verdict("(and (not (lit b)) (dark))", "darken a").valid
    assert verdict("(hangs-in b hall)", "darken a", "move b cellar hall").valid
    lit = ("darken a", "switch-on b cellar")
    assert not verdict("(dark)", *lit).valid
    # Both effects are read in the state before: what is lit makes it light when moved.
    assert verdict("(hangs-in a cellar)", "darken a", "move a hall cellar").valid
    relit = LAMPS.replace("(forall (?k - lamp) (not (lit ?k)))", "")
    assert verdict("(not (dark))", "darken a", "move b cellar hall", domain=relit).valid
    assert not verdict("(not (dark))", "darken a", "move a hall cellar", domain=relit).valid


@pytest.mark.parametrize(
    ("goal", "true"),
    [
        ("(forall (?l - lamp) (exists (?r - room) (hangs-in ?l ?r)))", True),
        ("(forall (?l - lamp) (lit ?l))", False),
        ("(or (dark) (imply (lit b) (not (lit a))))", True),
        ("(exists (?l - lamp) (and (lit ?l) (not (= ?l b))))", False),
        ("(and)", True),
        ("()", True),
    ],
)
def test_goals_of_any_form(goal, true):
    assert verdict(goal).valid is true


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("fly a", "has no action 'fly'"),
        ("darken", "takes 1 arguments"),
        ("darken hall", "does not fit"),
        ("darken b", "is not applicable"),
    ],
)
def test_bad_steps_are_named(step, reason):
    fault = verdict("(and)", step)
    assert (fault.valid, fault.failed_at) == (False, 0)
    assert reason in fault.reason


@pytest.mark.parametrize(
    "change",
    [
        ("(increase (total-cost) 1)", "(increase (fuel) 1)"),
        ("(hangs-in ?l hall)\n", "(> (total-cost) 1)\n"),
        ("(:action move", "(:derived (bright) (not (dark))) (:action move"),
    ],
)
def test_what_has_no_meaning_here_is_said(change):
    with pytest.raises(Outside):
        verdict("(and)", "switch-on a hall", "darken a", domain=LAMPS.replace(*change))


def test_a_text_without_a_problem_is_none():
    for text in ("", LAMPS, "(define (problem p) (:domain d) (:init))"):
        with pytest.raises(Outside):
            read_adl_problem(text)
