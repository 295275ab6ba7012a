"""Closures against their definition, by every route, on small problems."""

from dataclasses import replace

import pytest

from orrery.equivalence.closure import RULE, Budget, close, close_task, forced_facts, shared_facts
from orrery.model import Literal, literals
from orrery.planning.exhaustive import explore
from orrery.planning.grounding import ground
from tests.effort import by_day, slow

from .small_problems import domain, facts, problem, starts, worlds

DOMAINS = ("blocksworld", "ferry", "gripper", "visitall")
NO_SEARCH = Budget(states=1, calls=1000)
NOTHING = Budget(states=1, calls=0)


@pytest.fixture(scope="module", params=DOMAINS)
def small(request):
    return worlds(request.param)


def expected(world, candidate):
    """(P, N) by the definition, or None."""
    goals = world.goal_states(candidate)
    if not goals:
        return None
    fluents = domain(candidate.domain).fluents
    shared = frozenset.intersection(*goals)
    beside = frozenset().union(*(s for s in world.reachable_from(candidate.init) if shared <= s))
    return frozenset(f for f in shared if f[0] in fluents), beside - frozenset().union(*goals)


def found(closure):
    assert closure.decided
    return None if closure.solvable is False else (closure.positive, closure.negative)


def test_the_search_gives_the_closure(small):
    for world in small:
        for candidate in world.problems(3, share=150):
            assert found(close(domain(candidate.domain), candidate)) == expected(world, candidate)


def test_the_closure_determines_the_goal_states(small):
    for world in small:
        for candidate in world.problems(3, share=150, seed=1):
            closure = close(domain(candidate.domain), candidate)
            if closure.solvable:
                within = {
                    s
                    for s in world.reachable_from(candidate.init)
                    if closure.positive <= s and not closure.negative & s
                }
                assert within == world.goal_states(candidate)


@slow
def test_the_planner_route_agrees_with_the_search(small):
    for world in small:
        for candidate in world.problems(2, share=8, seed=2):
            closure = close_task(ground(domain(candidate.domain), candidate), NO_SEARCH)
            assert found(closure) == expected(world, candidate)


def test_a_rule_is_used_where_it_answers_and_never_for_negative_literals(small):
    for world in small:
        for candidate in world.problems(3, share=100, seed=3):
            closure = close(domain(candidate.domain), candidate, world.closed)
            assert found(closure) == expected(world, candidate)
            positive = all(literal.positive for literal in candidate.goal)
            assert closure.solvable is False or (closure.proof == "rule") == positive


@by_day(1)
def test_goal_states_met_share_what_the_closure_has(small):
    """Whether they are met near the start or by the planner; without either there are none."""
    met = {1: 0, 8: 0, 5_000: 0}
    for states, budget in ((n, Budget(states=n, calls=1)) for n in met):
        for world in small:
            for candidate in world.problems(2, share=12, seed=9):
                shared, wanted = (
                    shared_facts(domain(candidate.domain), candidate, budget),
                    expected(world, candidate),
                )
                assert (shared is None) == (wanted is None)
                if wanted:
                    assert shared >= wanted[0]
                    met[states] += shared == wanted[0]
    assert met[1] < met[5_000] > 0


def test_a_plan_that_is_known_leads_to_a_goal_state():
    start = max((world.start for world in worlds("blocksworld")), key=lambda start: len(start.objects))
    candidate = replace(
        start, goal=literals(facts("on b a") if ("on", "a", "b") in start.init else facts("on a b"))
    )
    plan = explore(ground(domain("blocksworld"), candidate), limit=5_000).optimal_plan()
    assert len(plan) > 1
    assert shared_facts(domain("blocksworld"), candidate, NOTHING) is None
    assert shared_facts(domain("blocksworld"), candidate, NOTHING, plan) >= candidate.goal_facts
    # Steps that cannot be run lead nowhere.
    assert shared_facts(domain("blocksworld"), candidate, NOTHING, plan[::-1]) is None


def test_what_follows_from_a_goal_and_is_ruled_out_leaves_no_plan(small):
    for world in small:
        for candidate in world.problems(2, share=20, seed=4):
            shared = world.closed(replace(candidate, goal=literals(candidate.goal_facts)))
            for fact in sorted(shared or ())[:2]:
                question = replace(candidate, goal=candidate.goal | {Literal(fact, False)})
                closure = close(domain(candidate.domain), question, world.closed, NOTHING)
                assert (closure.solvable, closure.proof) == (False, RULE)
                assert expected(world, question) is None


def test_forced_facts_hold_in_every_goal_state(small):
    for world in small:
        for candidate in world.problems(2, share=150, seed=4):
            task = ground(domain(candidate.domain), candidate)
            if goals := world.goal_states(candidate):
                assert task.facts_of(forced_facts(task)) <= frozenset.intersection(*goals)


@pytest.mark.parametrize(
    ("start", "goal", "fact"),
    [
        ("ferry", "at c m, at d m", ("empty-ferry",)),
        ("gripper", "at x rb, at y rb", ("free", "left")),
        ("blocksworld", "on a b, on b c", ("clear", "a")),
    ],
)
def test_invariants_force_what_they_should(start, goal, fact):
    candidate = replace(
        [*starts(start)][-1],
        goal=literals(facts(goal) | ({("arm-empty",)} if start == "blocksworld" else set())),
    )
    task = ground(domain(start), candidate)
    assert fact in task.facts_of(forced_facts(task))


def test_static_goal_literals_are_settled_by_the_initial_state():
    start = next(iter(starts("gripper")))
    plain = replace(start, goal=literals(facts("at x rb")))
    rules = domain("gripper")
    for extra in (Literal(("room", "rb")), Literal(("room", "x"), False), Literal(("=", "x", "x"))):
        assert close(rules, replace(plain, goal=plain.goal | {extra})) == close(rules, plain)
    for extra in (Literal(("room", "x")), Literal(("room", "rb"), False), Literal(("=", "x", "rb"))):
        closure = close(rules, replace(plain, goal=plain.goal | {extra}))
        assert (closure.literals, closure.solvable) == (None, False)


def test_small_budgets_end_undecided():
    blocks = "abcdefgh"
    init = [f for b in blocks for f in (("on-table", b), ("clear", b))] + [("arm-empty",)]
    candidate = problem("blocksworld", {"object": " ".join(blocks)}, init, [Literal(("on", "a", "b"))])
    closure = close(domain("blocksworld"), candidate, budget=Budget(states=1, calls=1))
    assert not closure.decided
    assert closure.literals is None
    assert closure.proof.startswith("undecided")
    assert closure.solvable is True
