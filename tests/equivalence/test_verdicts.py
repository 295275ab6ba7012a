"""Verdicts against brute force, over every pair of small problems in eleven domains.

The problems of a domain are drawn in families (see ``related``), as many as the suite has time for; the
slow tests take more. Expected verdicts come from all bijections, all reachable states and all
permutations of the gold's objects, by definition.
"""

import random
from dataclasses import replace
from functools import cache

import pytest

from pipeline.equivalence.closure import Budget
from pipeline.equivalence.keys import keys
from pipeline.equivalence.verdicts import Outcome, compare
from pipeline.model import Literal, TypedName

from .lands import LARGER
from .small_problems import DOMAINS, domain, larger_worlds, mapped, related, worlds

BUDGET = Budget(states=5_000, calls=0)
SIZE, WIDER = 96, 300


@cache
def drawn(name, count, made=worlds, seed=0):
    """Problems of a domain, each with its world."""
    here = made(name)
    share = -(-count // len(here))
    rng = random.Random(f"{name} {seed}")
    return [(world, given) for world in here for given in related(world, rng, share)]


def expected(problems, placeholder):
    """For each gold the indices of the equivalent problems."""
    forms = [world.form_of(given) for world, given in problems]
    accepted = [
        world.forms_accepted(given) if placeholder else {form}
        for form, (world, given) in zip(forms, problems, strict=True)
    ]
    return [{i for i, form in enumerate(forms) if form in fitting} for fitting in accepted]


@cache
def rule_of(name, made=worlds):
    """A rule as domains may supply it, by brute force; each answer is worked out once."""
    fluents = domain(name).fluents

    def frame(given):
        return given.objects, frozenset(fact for fact in given.init if fact[0] not in fluents)

    by_frame = {frame(world.start): world for world in made(name)}
    return cache(lambda given: by_frame[frame(given)].closed(given))


def judged(problems, placeholder, stored=False, rule=None):
    """For each gold the indices of the problems found equivalent; none may be undecided."""
    found = []
    for _, gold in problems:
        here = domain(gold.domain)
        key = keys(here, gold, rule, BUDGET) if stored else None
        found.append(set())
        for i, (_, given) in enumerate(problems):
            verdict = compare(
                here, given, gold, placeholder=placeholder, rule=rule, budget=BUDGET, gold_key=key
            )
            assert verdict.outcome is not Outcome.UNDECIDED, verdict.reason
            if verdict.outcome is Outcome.EQUIVALENT:
                found[-1].add(i)
    return found


def is_equivalence(found):
    """Whether the pairs found are reflexive, symmetric and transitive."""
    return all(i in found[i] and all(found[j] == found[i] for j in found[i]) for i in range(len(found)))


@pytest.mark.parametrize("placeholder", [False, True], ids=["strict", "placeholder"])
@pytest.mark.parametrize("name", DOMAINS)
def test_every_pair_is_judged_as_by_brute_force(name, placeholder):
    problems = drawn(name, SIZE)
    found = judged(problems, placeholder, rule=rule_of(name))
    assert found == expected(problems, placeholder)
    assert is_equivalence(found)
    assert judged(problems, placeholder, stored=True, rule=rule_of(name)) == found


@pytest.mark.slow
@pytest.mark.parametrize("placeholder", [False, True], ids=["strict", "placeholder"])
@pytest.mark.parametrize("name", DOMAINS)
def test_more_pairs_are_judged_as_by_brute_force(name, placeholder):
    problems = drawn(name, WIDER, seed=1)
    assert judged(problems, placeholder, rule=rule_of(name)) == expected(problems, placeholder)


@pytest.mark.slow
@pytest.mark.parametrize("placeholder", [False, True], ids=["strict", "placeholder"])
@pytest.mark.parametrize("name", sorted(LARGER))
def test_pairs_of_more_objects_are_judged_as_by_brute_force(name, placeholder):
    problems = drawn(name, 96, larger_worlds)
    fitting = expected(problems, placeholder)
    assert judged(problems, placeholder, rule=rule_of(name, larger_worlds)) == fitting
    assert judged(problems[::2], placeholder) == [
        {i // 2 for i in here if i % 2 == 0} for here in fitting[::2]
    ]


def test_the_pairs_are_of_all_sorts():
    """Families make pairs that only placeholder mode accepts, and pairs that no permutation saves."""
    for name in DOMAINS:
        problems = drawn(name, SIZE)
        strict, loose = expected(problems, False), expected(problems, True)
        assert is_equivalence(strict)
        assert is_equivalence(loose)
        assert any(len(one) > 1 for one in strict), name
        assert any(one < two for one, two in zip(strict, loose, strict=True)), name


def reworded(given, rng):
    """The problem with other names, objects and facts in another order; and the renaming."""
    names = [typed.name for typed in given.objects]
    renaming = dict(zip(names, rng.sample([f"table{i}" for i in range(len(names))], len(names)), strict=True))
    renaming |= {typed.name: typed.name for typed in domain(given.domain).constants}
    objects = [TypedName(renaming[typed.name], typed.types) for typed in given.objects]
    goal = frozenset(Literal(mapped([one.atom], renaming)[0], one.positive) for one in given.goal)
    init = frozenset(mapped(given.init, renaming))
    return replace(given, objects=tuple(rng.sample(objects, len(objects))), init=init, goal=goal), renaming


@pytest.mark.parametrize("name", DOMAINS)
def test_no_rule_and_other_names_change_no_verdict(name):
    rng = random.Random(7)
    problems = drawn(name, SIZE)
    for placeholder in (False, True):
        fitting = expected(problems, placeholder)
        for j, (_, gold) in enumerate(problems):
            for i in rng.sample(range(len(problems)), 3):
                given, _ = reworded(problems[i][1], rng)
                verdict = compare(domain(name), given, gold, placeholder=placeholder, budget=BUDGET)
                assert (verdict.outcome is Outcome.EQUIVALENT) == (i in fitting[j]), (i, j)
                assert verdict.outcome is not Outcome.UNDECIDED
