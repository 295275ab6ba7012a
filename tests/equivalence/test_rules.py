"""Domains' closure rules lead to the keys that exhaustive search finds; goals of both signs are explored."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from orrery.catalog import Catalog
from orrery.equivalence.closure import Budget, close
from orrery.equivalence.problem_equivalence import EquivalenceOutcome, compare
from orrery.model import Literal
from orrery.planning.universe import fluent_atoms
from tests.effort import some

CATALOG = Catalog(Path(__file__).resolve().parents[2])
EXPLORED_ONLY = Budget(states=20_000, calls=0)


def small_problems(entry, rng):
    """Two easy problems a task (one by day), and each with a literal exchanged for one of either sign."""
    for task in entry.tasks:
        for _ in range(some(2)):
            parameters = entry.generator.draw(task, entry.description.difficulties["easy"], rng)
            candidate = entry.generator.build(task, parameters, rng).problem
            yield candidate
            for positive in (True, False):
                goal = rng.sample(sorted(candidate.goal), len(candidate.goal) - 1)
                atom = rng.choice(fluent_atoms(entry.domain, candidate))
                yield replace(candidate, goal=frozenset([*goal, Literal(atom, positive)]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blocksworld", "floor-tile", "gripper", "rover-single"])
def test_negative_literals_that_follow_from_the_goal_take_no_search(name):
    """A negative literal is idle where exhaustive search says so; for most that is found without states."""
    entry, settled, idle = CATALOG.entry(name), 0, 0
    rng = random.Random(5)
    for candidate in small_problems(entry, rng):
        atom = rng.choice(fluent_atoms(entry.domain, candidate))
        question = replace(candidate, goal=candidate.goal | {Literal(atom, False)})
        plain, explored = (
            close(entry.domain, goal_problem, None, EXPLORED_ONLY) for goal_problem in (candidate, question)
        )
        closed = close(entry.domain, question, entry.generator.close_goal, Budget(states=1, calls=0))
        if not (plain.decided and explored.decided and plain.solvable):
            continue
        idle += explored.literals == plain.literals
        if closed.decided:
            settled += 1
            assert (closed.literals, closed.solvable) == (explored.literals, explored.solvable)
    assert settled >= idle / 2 > 0


def with_negative_literals(entry, candidate, rng):
    """The problem with a literal ruled out beside the goal, beside half of it, alone, or in place of one."""
    goal = sorted(candidate.goal)
    ruled_out = Literal(rng.choice(fluent_atoms(entry.domain, candidate)), False)
    turned = rng.choice(goal)
    for stated_goal, added in (
        (goal, ruled_out),
        (rng.sample(goal, len(goal) // 2), ruled_out),
        ((), ruled_out),
        (set(goal) - {turned}, Literal(turned.atom, False)),
    ):
        yield replace(candidate, goal=frozenset([*stated_goal, added]))


@pytest.mark.parametrize("name", ["blocksworld", "floor-tile", "gripper", "rover-single"])
def test_negative_literals_are_decided_with_few_calls_at_published_sizes(name):
    """The goal states of the gold are known by rule, so a few goal states of the other distinguish them."""
    entry, rng, few = CATALOG.entry(name), random.Random(3), Budget(states=2_000, calls=3, seconds=5.0)
    generated_problems = []
    for task in entry.tasks[::6]:
        parameters = entry.generator.draw(task, entry.description.difficulties["medium"], rng)
        gold = entry.generator.build(task, parameters, rng).problem
        for candidate in with_negative_literals(entry, gold, rng):
            verdict = compare(
                entry.domain, candidate, gold, placeholder=False, rule=entry.closure_rule, budget=few
            )
            generated_problems.append(verdict.outcome)
    assert set(generated_problems) == {EquivalenceOutcome.DIFFERENT, EquivalenceOutcome.EQUIVALENT}
