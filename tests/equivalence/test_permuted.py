"""Goals that hold initially once objects change places, against all permutations one by one."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from orrery.equivalence.embedding import goal_holds_permuted
from orrery.equivalence.graph import Undecided
from orrery.model import Literal, literals
from orrery.pddl.read import read_domain

from .small_problems import domain, facts, mapped, problem, worlds

DOMAINS = ("blocksworld", "ferry", "gripper", "visitall")


def by_force(world, candidate):
    """``world.renamings`` are all permutations that keep types and static facts."""
    moved = (
        [Literal(mapped([literal.atom], way)[0], literal.positive) for literal in candidate.goal]
        for way in world.renamings
    )
    return any(all(literal.holds(candidate.init) for literal in goal) for goal in moved)


@pytest.mark.parametrize("name", DOMAINS)
def test_the_answer_is_that_of_trying_all_permutations(name):
    answers = set()
    for world in worlds(name):
        for candidate in world.problems(3, share=300, seed=20):
            expected = by_force(world, candidate)
            answers.add(expected)
            assert goal_holds_permuted(domain(name), candidate) is expected
    assert answers == {True, False}


@pytest.mark.parametrize("name", DOMAINS)
def test_whole_states_as_goals(name):
    rng = random.Random(4)
    for world in worlds(name):
        states = sorted(world.states, key=sorted)
        for _ in range(150):
            init, goal = rng.choice(states), rng.choice(states)
            candidate = replace(world.start, init=init, goal=literals(goal))
            assert goal_holds_permuted(domain(name), candidate) is by_force(world, candidate)


RULES = """(define (domain d) (:requirements :strips :typing :negative-preconditions)
    (:types t u - object v - t) (:constants k - t)
    (:predicates (near ?x ?y ?z - object) (link ?x ?y - object) (lit ?x - object)
                 (tied ?x ?y ?z - object) (on))
    (:action light :parameters (?x ?y ?z - object) :precondition (not (lit ?x))
                   :effect (and (lit ?x) (tied ?x ?y ?z) (on))))"""


@pytest.mark.parametrize(
    ("static", "init", "goal", "holds"),
    [
        ("", "lit a", "lit b", True),
        ("", "lit a", "lit k", False),
        ("", "lit k", "lit a", False),
        ("", "lit v", "lit a", False),
        ("", "lit a", "on", False),
        ("", "lit a, on", "lit b, on", True),
        ("near a b k", "lit a", "lit b", False),
        ("near a b k, near b a k", "lit a", "lit b", True),
        ("near a b c, near b c a, near c a b", "lit a, lit b", "lit c, lit a", True),
        ("near a b c, near b c a, near c a b", "tied a b c", "tied b a c", False),
        ("link a b, link b a", "tied a b c", "tied b a c", True),
        ("link a b", "tied a b c", "tied b a c", False),
        ("", "tied a a b", "tied c c b", True),
        ("", "tied a a b", "tied c b b", False),
        ("", "tied a b c, lit b", "tied a b c, lit c", False),
        ("", "lit a, lit b", "lit a, not lit b", True),
        ("", "lit a, lit b, lit c", "lit a, not lit b", False),
        ("", "tied a b c", "tied b a c, not tied a b c", True),
        ("", "tied a b c, tied b a c", "tied b a c, not tied a b c", False),
        ("", "on", "not on", False),
        ("near a b c", "lit a", "lit a, not near a b c", False),
    ],
)
def test_constants_types_and_long_facts(static, init, goal, holds):
    rules = read_domain(RULES)
    wanted = [text.strip() for text in goal.split(",")]
    goal_literals = [
        Literal(tuple(text.removeprefix("not ").split()), not text.startswith("not ")) for text in wanted
    ]
    candidate = problem("d", {"t": "a b c", "v": "v", "u": "x y"}, facts(f"{static}, {init}"), goal_literals)
    assert goal_holds_permuted(rules, candidate) is holds


def towers(heights):
    """Towers of blocks from ``b0`` on."""
    names, state = iter(f"b{i}" for i in range(sum(heights))), {("arm-empty",)}
    for height in heights:
        tower = [next(names) for _ in range(height)]
        links = {("on", *pair) for pair in pairwise(tower)}
        state |= {("clear", tower[0]), ("on-table", tower[-1])} | links
    return state


def balls(counts):
    """Balls lying in rooms, with two grippers."""
    rooms = [f"r{i}" for i in range(len(counts))]
    names = [f"b{i}" for i in range(sum(counts))]
    places = [room for room, count in zip(rooms, counts, strict=True) for _ in range(count)]
    state = {("room", r) for r in rooms} | {("ball", b) for b in names}
    state |= {("gripper", g) for g in ("g0", "g1")} | {("free", g) for g in ("g0", "g1")}
    return state | {("at-robby", "r0")} | {("at", *pair) for pair in zip(names, places, strict=True)}


def untyped(name, init, goal):
    objects = " ".join(sorted({o for fact in init for o in fact[1:]}))
    return problem(name, {"object": objects}, init, literals(goal))


@pytest.mark.parametrize(
    ("name", "init", "goal", "holds"),
    [
        ("gripper", balls([45]), balls([45]) - {("at", "b7", "r0")}, True),
        ("gripper", balls([5] * 9), {("at", f"b{i}", f"r{i // 5}") for i in range(5, 44)}, True),
        ("gripper", balls([4] * 11), {("at", f"b{i}", "r3") for i in range(5)}, False),
        ("gripper", balls([5] * 8 + [4, 1]), {("at", f"b{i}", f"r{i % 9}") for i in range(45)}, False),
        ("gripper", balls([5] * 9), {("at", f"b{i}", f"r{i % 9}") for i in range(45)}, True),
        ("blocksworld", towers([55]), {("clear", "b54"), ("on-table", "b0")}, True),
        ("blocksworld", towers([55]), {("clear", "b54"), ("on-table", "b54")}, False),
        ("blocksworld", towers([1] * 55), {("clear", f"b{i}") for i in range(55)}, True),
        ("blocksworld", towers([5] * 11), towers([5] * 11), True),
        ("blocksworld", towers([5] * 11), towers([6, 4] + [5] * 9), False),
        ("blocksworld", towers([5] * 11), {("on", f"b{i}", f"b{i + 1}") for i in range(5)}, False),
    ],
)
def test_symmetric_problems_are_settled_without_much_search(name, init, goal, holds):
    assert goal_holds_permuted(domain(name), untyped(name, init, goal), budget=60) is holds


def test_a_spent_budget_is_undecided():
    """Equal towers take a step each; one step is not enough."""
    candidate = untyped("blocksworld", towers([3] * 4), {("on", "b1", "b2"), ("on", "b4", "b5")})
    assert goal_holds_permuted(domain("blocksworld"), candidate) is True
    moved = replace(candidate, goal=literals({("on", "b0", "b2"), ("on", "b3", "b5")}))
    assert goal_holds_permuted(domain("blocksworld"), moved, budget=10) is True
    with pytest.raises(Undecided):
        goal_holds_permuted(domain("blocksworld"), moved, budget=1)
