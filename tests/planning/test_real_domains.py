"""All routes on small problems of real domains: they share no search, and the last no grounding."""

from pathlib import Path

import pytest

from orrery.pddl.read import read_domain, read_problem
from orrery.planning import exhaustive_python as twin
from orrery.planning.execution import check_plan
from orrery.planning.exhaustive import explore
from orrery.planning.fast_downward import OPTIMAL, SHORTEST, solve
from orrery.planning.grounding import ground
from orrery.planning.outcome import PlannerOutcome
from orrery.planning.translator import solve_text
from tests.planning import plain_search

FOLDER = Path(__file__).parents[2] / "domains"

# Domain, objects, initial state, goal, and the length of a shortest plan and the number of states, by hand.
PROBLEMS = {
    "tower of three": (
        "blocksworld",
        "a b c",
        "(arm-empty)(on-table a)(on-table b)(on-table c)(clear a)(clear b)(clear c)",
        "(and (on a b) (on b c))",
        4,
        22,  # 13 ways to stack three blocks, and one in the hand above the 3 ways to stack two
    ),
    "two balls": (
        "gripper",
        "r1 r2 b1 b2 g1 g2",
        "(room r1)(room r2)(ball b1)(ball b2)(gripper g1)(gripper g2)(free g1)(free g2)"
        "(at-robby r1)(at b1 r1)(at b2 r1)",
        "(and (at b1 r2) (at b2 r2))",
        5,
        28,  # 2 places of the robot; balls in 2 rooms or 2 grippers, not both in the same gripper
    ),
    "a square": (
        "visitall",
        "p q r s - place",
        "(at-robot p)(visited p)(connected p q)(connected q p)(connected q r)(connected r q)"
        "(connected r s)(connected s r)(connected s p)(connected p s)",
        "(and (visited p) (visited q) (visited r) (visited s))",
        3,
        18,  # the visited places are p alone, 2 pairs, 3 triples or all 4; the robot is on one of them
    ),
}


def text_of(name):
    domain, objects, init, goal, *expected = PROBLEMS[name]
    problem = f"(define (problem p) (:domain {domain}) (:objects {objects}) (:init {init}) (:goal {goal}))"
    return (FOLDER / domain / "domain.pddl").read_text(), problem, *expected


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_every_route_agrees(name):
    domain_text, problem_text, cost, states = text_of(name)
    domain = read_domain(domain_text)
    problem = read_problem(problem_text, domain)
    task = ground(domain, problem)
    space = explore(task)
    assert len(space) == len(twin.reachable(task).states) == states
    assert plain_search.optimal_cost(task) == space.h_star()[0] == cost
    assert space.landmarks() == plain_search.landmarks(task)
    for fact, bit in task.bit.items():
        proven = solve(task, forbidden=fact).outcome is PlannerOutcome.UNSOLVABLE_PROVEN
        assert proven == bool(space.landmarks() & bit)
    answers = [solve(task, planner=planner) for planner in (OPTIMAL, SHORTEST)]
    for answer in answers:
        assert answer.outcome is PlannerOutcome.SOLVED_OPTIMALLY
        assert len(answer.plan.steps) == cost
    for answer in (*answers, solve_text(domain_text, problem_text)):
        assert check_plan(domain, problem, answer.plan.steps).valid
