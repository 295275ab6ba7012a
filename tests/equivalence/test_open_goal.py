"""Whether open objects matter to a goal, against all permutations by definition."""

import random

import pytest

from orrery.equivalence.closure import Budget
from orrery.equivalence.open_goal import OpenGoal

from .small_problems import DOMAINS, domain, mapped
from .test_problem_equivalence import CATALOG, drawn, open_part, rule_of

BUDGET = Budget(states=5_000, calls=0)


def changes_by_force(world, candidate, opened):
    """Whether a permutation of the open objects that keeps the reachable states moves the goal states."""
    reachable, goals = world.reachable_from(candidate.init), world.goal_states(candidate)
    fixed = {typed.name for typed in candidate.objects} - opened
    for renaming in world.renamings:
        images = {frozenset(mapped(state, renaming)) for state in reachable}
        keeps = all(renaming[name] == name for name in fixed) and images == reachable
        if keeps and frozenset(frozenset(mapped(state, renaming)) for state in goals) != goals:
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", DOMAINS)
def test_open_objects_matter_exactly_where_a_permutation_moves_the_goal_states(name):
    rng = random.Random(f"matter {name}")
    rules = [None, rule_of(name), *([CATALOG.entry(name).closure_rule] if name in CATALOG.names else [])]
    answers = set()
    for world, candidate in drawn(name, 84, seed=5):
        for opened in (open_part(candidate, rng), frozenset(typed.name for typed in candidate.objects)):
            wanted = changes_by_force(world, candidate, opened)
            for rule in rules:
                assert OpenGoal(domain(name), candidate, rule, BUDGET).changes(opened) is wanted
            answers.add(wanted)
    assert answers == {True, False}
