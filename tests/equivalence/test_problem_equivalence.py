"""Verdicts against brute force, over every pair of small problems in eleven domains.

The problems of a domain are drawn in families (see ``related``), as many as the suite has time for; the
slow tests take more. Expected verdicts come from all bijections, all reachable states and all
permutations of the gold's objects, by definition.
"""

import random
from dataclasses import replace
from functools import cache
from itertools import cycle, product
from pathlib import Path

import pytest

from orrery.catalog import Catalog
from orrery.equivalence.closure import Budget
from orrery.equivalence.keys import keys
from orrery.equivalence.problem_equivalence import EquivalenceOutcome, Reason, compare
from orrery.model import TypedName, literals
from tests.effort import some

from .small_problems import DOMAINS, domain, facts, problem, related, reworded, worlds

CATALOG = Catalog(Path(__file__).resolve().parents[2])
BUDGET = Budget(states=5_000, calls=0)
SIZE = 84
COUNTS = pytest.mark.parametrize("count", [36, pytest.param(SIZE, marks=pytest.mark.exhaustive)])


@cache
def drawn(name, count, seed=0):
    """Problems of a domain, each with its world."""
    share = -(-count // len(worlds(name)))
    rng = random.Random(f"{name} {seed}")
    return [(world, candidate) for world in worlds(name) for candidate in related(world, rng, share)]


def expected(problems, placeholder, opened=None):
    """For each gold the indices of the equivalent problems; all objects are open, or those of ``opened``."""
    forms = [world.form_of(candidate) for world, candidate in problems]
    accepted = [
        world.forms_accepted(candidate, free) if placeholder else {form}
        for form, (world, candidate), free in zip(forms, problems, opened or cycle([None]), strict=False)
    ]
    return [{i for i, form in enumerate(forms) if form in fitting} for fitting in accepted]


@cache
def rule_of(name):
    """A rule as domains may supply it, by brute force; each answer is worked out once."""
    fluents = domain(name).fluents

    def frame(candidate):
        return candidate.objects, frozenset(fact for fact in candidate.init if fact[0] not in fluents)

    by_frame = {frame(world.start): world for world in worlds(name)}
    return cache(lambda candidate: by_frame[frame(candidate)].closed(candidate))


def judged(problems, placeholder, stored=False, rule=None, step=1, opened=None):
    """For each ``step``-th gold the indices of the problems found equivalent; none may be undecided."""
    verdicts = []
    for (_, gold), free in list(zip(problems, opened or cycle([None]), strict=False))[::step]:
        rules = domain(gold.domain)
        key = keys(rules, gold, rule, BUDGET) if stored else None
        verdicts.append(set())
        for i, (_, candidate) in enumerate(problems):
            verdict = compare(
                rules,
                candidate,
                gold,
                placeholder=placeholder,
                open_objects=free,
                rule=rule,
                budget=BUDGET,
                gold_key=key,
            )
            assert verdict.outcome is not EquivalenceOutcome.UNDECIDED, verdict.reason
            if verdict.outcome is EquivalenceOutcome.EQUIVALENT:
                verdicts[-1].add(i)
    return verdicts


def open_part(candidate, rng):
    """Some of the objects of a problem: none, all, or any."""
    names = sorted(typed.name for typed in candidate.objects)
    return frozenset(rng.sample(names, rng.randint(0, len(names))))


def is_equivalence(pairs_judged):
    """Whether the pairs found are reflexive, symmetric and transitive."""
    return all(
        i in pairs_judged[i] and all(pairs_judged[j] == pairs_judged[i] for j in pairs_judged[i])
        for i in range(len(pairs_judged))
    )


@pytest.mark.slow
@COUNTS
@pytest.mark.parametrize("placeholder", [False, True], ids=["strict", "placeholder"])
@pytest.mark.parametrize("name", DOMAINS)
def test_every_pair_is_judged_as_by_brute_force(name, placeholder, count):
    problems = drawn(name, count)
    pairs_judged = judged(problems, placeholder, rule=rule_of(name))
    assert pairs_judged == expected(problems, placeholder)
    assert is_equivalence(pairs_judged)
    assert judged(problems, placeholder, stored=True, rule=rule_of(name), step=4) == pairs_judged[::4]


@pytest.mark.slow
@COUNTS
@pytest.mark.parametrize("name", DOMAINS)
def test_only_open_objects_change_places(name, count):
    """By brute force over all permutations that keep the other objects where they are."""
    rng = random.Random(f"open {name}")
    problems = drawn(name, count, seed=4)
    opened = [open_part(candidate, rng) for _, candidate in problems]
    wanted = expected(problems, True, opened)
    assert judged(problems, True, rule=rule_of(name), opened=opened) == wanted
    assert judged(problems, True, rule=None, step=5, opened=opened) == wanted[::5]


@pytest.mark.slow
@COUNTS
@pytest.mark.parametrize("placeholder", [False, True], ids=["strict", "placeholder"])
@pytest.mark.parametrize("name", [name for name in DOMAINS if name in CATALOG.names])
def test_the_domains_own_rules_change_no_verdict(name, placeholder, count):
    problems = drawn(name, count)
    rule = CATALOG.entry(name).closure_rule
    assert judged(problems, placeholder, rule=rule, step=5) == expected(problems, placeholder)[::5]


@pytest.mark.by_day(3)
@pytest.mark.parametrize("name", DOMAINS)
def test_strict_keys_are_equal_exactly_where_problems_are_equivalent(name):
    problems = drawn(name, some(3 * SIZE), seed=2)
    keys_read = [keys(domain(name), candidate, rule_of(name), BUDGET).strict for _, candidate in problems]
    forms = [world.form_of(candidate) for world, candidate in problems]
    assert len(set(keys_read)) == len(set(forms)) == len(set(zip(keys_read, forms, strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize("name", DOMAINS)
def test_no_rule_and_other_names_change_no_verdict(name):
    rng = random.Random(7)
    problems = drawn(name, SIZE)
    for placeholder in (False, True):
        fitting = expected(problems, placeholder)
        for j, (_, gold) in enumerate(problems):
            for i in rng.sample(range(len(problems)), 3):
                candidate = reworded(problems[i][1], rng)
                verdict = compare(
                    domain(name), candidate, gold, placeholder=placeholder, rule=None, budget=BUDGET
                )
                assert (verdict.outcome is EquivalenceOutcome.EQUIVALENT) == (i in fitting[j]), (i, j)
                assert verdict.outcome is not EquivalenceOutcome.UNDECIDED


@pytest.mark.slow
@pytest.mark.parametrize("name", DOMAINS)
def test_pairs_with_one_loose_key_are_distinguished_by_what_is_reachable(name):
    """Where initial states and goals each match, only reachability is left to decide, here without a rule."""
    problems = drawn(name, SIZE)
    keys_read = [keys(domain(name), candidate, rule_of(name), BUDGET) for _, candidate in problems]
    fitting = expected(problems, placeholder=True)
    pairs = [
        (i, j)
        for i, j in product(range(len(problems)), repeat=2)
        if keys_read[i].loose == keys_read[j].loose and keys_read[i].strict != keys_read[j].strict
    ]
    for i, j in random.Random(8).sample(pairs, min(40, len(pairs))):
        verdict = compare(
            domain(name), *(problems[k][1] for k in (i, j)), placeholder=True, rule=None, budget=BUDGET
        )
        assert verdict.outcome is (
            EquivalenceOutcome.EQUIVALENT if i in fitting[j] else EquivalenceOutcome.DIFFERENT
        )
        assert verdict.reason in {Reason.PERMUTED, Reason.PERMUTATION}
    # Whatever is equivalent shares the loose key.
    assert all(keys_read[i].loose == keys_read[j].loose for j, places in enumerate(fitting) for i in places)


def test_different_pairs_name_the_check_that_decided():
    start = worlds("blocksworld")[2].start
    rules = domain("blocksworld")

    def stated(candidate, gold, placeholder=False):
        return compare(rules, candidate, gold, placeholder=placeholder, rule=rule_of("blocksworld")).reason

    def aiming(text, init=start.init):
        return replace(start, init=init, goal=literals(facts(text)))

    pile = facts("on a b, on-table b, clear a, on-table c, clear c, arm-empty")
    held = facts("holding a, on-table b, clear b, on-table c, clear c")
    two = problem(
        "blocksworld", {"object": "a b"}, facts("on-table a, clear a, on-table b, clear b, arm-empty")
    )
    assert stated(aiming("on a b"), aiming("on b c")) == Reason.SAME
    assert stated(aiming("on a a"), aiming("on b a, on c a")) == Reason.BOTH_UNSOLVABLE
    assert stated(aiming("on a b"), two) == Reason.OBJECTS
    assert stated(aiming("on a b"), aiming("on a b", held)) == Reason.INIT
    assert stated(aiming("on a b", pile), aiming("on a b")) == Reason.INIT
    assert stated(aiming("on a b"), aiming("on a b, on b c")) == Reason.GOAL
    assert stated(aiming("on a b"), aiming("on b a, on a b")) == Reason.GOAL
    assert stated(aiming("on a b", pile), aiming("on b a", pile), placeholder=True) == Reason.PERMUTED
    assert stated(aiming("on a b", pile), aiming("on b c", pile)) == Reason.GOAL


def test_no_plan_on_one_side_is_said_where_a_search_shows_it():
    start = worlds("slide")[1].start
    rules = domain("slide")
    stuck = replace(worlds("slide")[0].start, goal=literals(facts("at s q, at s r")))
    assert stuck.objects == start.objects
    fine = replace(stuck, goal=literals(facts("at s q")))
    verdict = compare(rules, stuck, fine, placeholder=False)
    assert (verdict.outcome, verdict.reason) == (EquivalenceOutcome.DIFFERENT, Reason.UNSOLVABLE)


def tower_problem(goal):
    blocks = "abcdefgh"
    init = [fact for b in blocks for fact in (("on-table", b), ("clear", b))] + [("arm-empty",)]
    return problem("blocksworld", {"object": " ".join(blocks)}, init, goal)


def test_spent_budgets_are_undecided_but_not_where_spelling_or_counting_tells():
    rules, no_budget = domain("blocksworld"), Budget(states=1, calls=0)
    tower = tower_problem(literals(facts("on a b, on b c")))
    again = tower_problem(literals(facts("on f g, on e f")))
    longer = tower_problem(literals(facts("on f g, on e f, clear e")))
    held = replace(tower, init=tower.init - facts("on-table h, clear h, arm-empty") | facts("holding h"))

    def stated(candidate):
        return compare(rules, candidate, tower, placeholder=False, rule=None, budget=no_budget)

    assert stated(again).outcome is EquivalenceOutcome.EQUIVALENT
    assert stated(held).reason == Reason.INIT
    assert stated(longer).outcome is EquivalenceOutcome.UNDECIDED
    assert stated(longer).reason.startswith("goal closure undecided")


def test_types_that_mean_the_same_are_the_same():
    """``(either saw tool)`` is a tool; a saw is more."""
    rules = domain("workshop")
    start = worlds("workshop")[1].start

    def made(*types):
        return replace(start, objects=(*start.objects, TypedName("extra", types)))

    def outcome(candidate, gold):
        return compare(rules, candidate, gold, placeholder=False).outcome

    assert outcome(made("saw", "tool"), made("tool", "saw")) is EquivalenceOutcome.EQUIVALENT
    assert outcome(made("saw", "tool"), made("saw")) is EquivalenceOutcome.EQUIVALENT
    assert outcome(made("saw", "bench"), made("bench", "saw")) is EquivalenceOutcome.EQUIVALENT
    assert outcome(made("saw", "bench"), made("saw")) is EquivalenceOutcome.DIFFERENT
    assert outcome(made("unused"), made("hammer")) is EquivalenceOutcome.DIFFERENT
    assert outcome(made("unused"), start) is EquivalenceOutcome.DIFFERENT
