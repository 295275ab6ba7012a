"""Many episodes at once: every one is as if it were alone."""

import math

import numpy as np
import pytest

import orrery
from orrery.planning.outcome import SpaceTooLarge
from orrery.planning.task import applicable, progress
from orrery.worlds.batch import WorldBatch
from orrery.worlds.world_problem import WorldProblem
from tests.worlds.episodes import every_domain


@every_domain
def test_every_episode_is_that_of_plain_execution(domain):
    problem = orrery.world(domain, seed=1).problem
    batch, rng, task = WorldBatch(problem, 16), np.random.default_rng(0), problem.task
    states = [task.init] * 16
    for turn in range(25):
        mask = batch.applicable()
        for number, state in enumerate(states):
            chosen = [task.actions[index] for index in np.flatnonzero(mask[number])]
            assert chosen == applicable(task, state)
        actions = rng.integers(-1, len(task.actions) + 1, 16)  # some are no actions, and many not applicable
        if turn % 2 and mask.any(axis=1).all():
            actions = np.array([rng.choice(np.flatnonzero(row)) for row in mask])
        result = batch.step(actions)
        for number, index in enumerate(actions):
            expected = 0 <= index < len(task.actions) and mask[number, index]
            assert result.applied[number] == expected
            states[number] = progress(states[number], task.actions[index]) if expected else states[number]
            assert batch.state(number) == states[number]
            cost = problem.oracle.cost_to_go(states[number])
            assert result.cost_to_go[number] == (-1 if math.isinf(cost) else cost)
            assert result.at_goal[number] == task.is_goal(states[number])
    batch.reset(np.arange(16) < 4)
    assert [batch.state(number) for number in range(16)] == [task.init] * 4 + states[4:]


def test_a_space_that_is_too_large_is_refused():
    posed = orrery.world("ferry", seed=1).problem
    small = WorldProblem(posed.root, posed.domain_name, posed.problem_id, posed.problem_pddl, max_states=3)
    with pytest.raises(SpaceTooLarge, match="max_states"):
        WorldBatch(small, 2)
