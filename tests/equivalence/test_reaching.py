"""Exact reachability of states, and what may be concluded from a rule, against plain enumeration."""

import random
from dataclasses import replace

import pytest

from orrery.equivalence import reaching
from orrery.equivalence.closure import Budget
from orrery.equivalence.reaching import Reaching, free_predicates, lasting_predicates
from orrery.pddl.read import read_domain

from .small_problems import DOMAINS, domain, facts, mapped, problem, worlds

EXPLORED = Budget(states=5_000, calls=0)


def states_to_try(world, rng):
    """Reachable and unreachable states, rearranged ones, and one with a fact too many."""
    states_sorted = sorted(world.states, key=sorted)
    drawn = [rng.choice(states_sorted) for _ in range(12)]
    moved = [frozenset(mapped(state, rng.choice(world.renamings))) for state in drawn[:6]]
    atoms = sorted(frozenset().union(*states_sorted))
    return [*drawn, *moved, *(state | {rng.choice(atoms)} for state in drawn[:3])]


@pytest.mark.parametrize("name", DOMAINS)
def test_states_are_reached_as_enumeration_says(name):
    rng = random.Random(name)
    answers = set()
    for world in worlds(name):
        for init in [world.start.init, *states_to_try(world, rng)[:3]]:
            reaching = Reaching(domain(name), replace(world.start, init=init), EXPLORED)
            for state in states_to_try(world, rng):
                expected = state in world.reachable_from(init)
                answers.add(expected)
                assert reaching.reaches(state) is expected
    assert answers == {True, False}


@pytest.mark.by_day(2)
@pytest.mark.parametrize("name", DOMAINS)
def test_facts_that_stay_are_in_all_reachable_states(name):
    for world in worlds(name):
        for init in sorted(world.states, key=sorted):
            reached = world.reachable_from(init)
            reaching = Reaching(domain(name), replace(world.start, init=init), EXPLORED)
            assert reaching.kept <= frozenset.intersection(*reached)
            back = [state for state in reached if init in world.reachable_from(state)]
            chosen = random.Random(1).sample(back, min(3, len(back)))
            assert all(
                Reaching(domain(name), replace(world.start, init=s), EXPLORED).kept == reaching.kept
                for s in chosen
            )


def test_groups_that_do_not_meet_are_searched_apart():
    """Eight robots that may not paint: 25 ** 8 states as a whole, eight times 25 apart."""
    tiles = [f"t{i}{j}" for i in range(5) for j in range(5)]
    static = {("up", f"t{i}{j}", f"t{i + 1}{j}") for i in range(4) for j in range(5)}
    static |= {("right", f"t{i}{j + 1}", f"t{i}{j}") for i in range(5) for j in range(4)}
    robots = [f"r{i}" for i in range(8)]
    held = {("robot-has", robot, "c") for robot in robots}
    objects = {"tile": " ".join(tiles), "robot": " ".join(robots), "color": "c"}

    def state(places):
        return frozenset(static | held | {("robot-at", *pair) for pair in zip(robots, places, strict=True)})

    reaching = Reaching(domain("floor-tile"), problem("floor-tile", objects, state(tiles[:8])), EXPLORED)
    assert reaching.reaches(state(tiles[10:18])) is True
    assert reaching.reaches(state(tiles[10:18]) - held) is False


def test_spent_budgets_are_undecided_and_the_planner_helps():
    blocks = "abcdef"
    table = [f for b in blocks for f in (("on-table", b), ("clear", b))] + [("arm-empty",)]
    candidate = problem("blocksworld", {"object": " ".join(blocks)}, table)
    tower = facts("on a b, on b c, on c d, on d e, on e f, on-table f, clear a, arm-empty")
    rules = domain("blocksworld")
    assert Reaching(rules, candidate, Budget(states=10, calls=0)).reaches(tower) is None
    assert Reaching(rules, candidate, Budget(states=10, calls=1)).reaches(tower) is True
    assert reaching._FIRST_LIMIT > 10


@pytest.mark.parametrize(
    ("name", "free"),
    [
        ("blocksworld", set()),
        ("gripper", set()),
        ("ferry", set()),
        ("floor-tile", {"painted"}),
        ("visitall", None),
        ("workshop", {"oiled"}),
        ("slide", set()),
        ("switches", None),
        ("post", set()),
    ],
)
def test_predicates_without_weight(name, free):
    assert free_predicates(domain(name)) == free


def with_action(effect, precondition="(and (p ?x) (q ?y))"):
    return read_domain(
        f"""(define (domain d) (:requirements :strips) (:predicates (p ?x) (q ?x) (r ?x) (s ?x ?y))
        (:action a :parameters (?x ?y) :precondition {precondition} :effect {effect}))"""
    )


@pytest.mark.parametrize(
    ("domain_given", "free"),
    [
        (with_action("(and (r ?x) (not (p ?x)))"), set()),
        (with_action("(and (r ?x) (s ?x ?y) (not (p ?x)))"), set()),
        (with_action("(and (p ?y) (r ?x) (not (p ?x)))"), None),
        (with_action("(and (r ?x) (not (s ?x ?y)))"), None),
        (with_action("(and (r ?x) (r ?y) (not (p ?x)) (not (p ?y)))", "(and (p ?x) (p ?y))"), set()),
        (with_action("(r ?x)"), {"p", "q", "r"} & {"r"}),
        (with_action("(and (r ?x) (not (p ?x)))", "(and (p ?x) (r ?y))"), set()),
    ],
)
def test_weights_rest_on_what_is_surely_taken(domain_given, free):
    assert free_predicates(domain_given) == free


@pytest.mark.parametrize("name", DOMAINS)
def test_equal_weights_make_larger_states_unreachable(name):
    """What the weights are for: a reachable state that holds a rearranged initial one is that one."""
    free, rules = free_predicates(domain(name)), domain(name)
    if free is None:
        return
    for world in worlds(name):
        for init in sorted(world.states, key=sorted)[:12]:
            for move in world.renamings:
                target = frozenset(mapped(init, move))
                same = {f for f in target if f[0] in free} == {f for f in init if f[0] in free}
                larger = any(target <= state for state in world.reachable_from(init))
                if same and larger:
                    assert target in world.reachable_from(init)
    assert lasting_predicates(rules) >= free
