"""Rewards: what a whole episode pays, and that shaping changes no optimal policy."""

import math
import random

import numpy as np
import pytest

import orrery
from orrery.planning.task import applicable, progress
from orrery.worlds.rewards import Costs, RewardRule, reward_of


def returns(world, choose):
    turn, total = world.reset(), 0.0
    while not turn.done:
        turn = world.step(choose(world, turn))
        total += turn.reward
    return total


def best(world, turn):
    return world.optimal_actions()[0]


@pytest.mark.parametrize("domain", ["ferry", "grid", "goldminer"])
def test_a_shortest_plan_earns_the_most(domain):
    world = orrery.world(domain, seed=2)
    length = world.steps_at_best
    totals = {"sparse": 1.0, "shaped": 2.0, "optimal": float(length), "efficiency": 1.0}
    for reward, total in totals.items():
        world = orrery.world(domain, seed=2, reward=reward, max_steps=200)
        assert returns(world, best) == pytest.approx(total)
        for seed in range(5):
            rng = random.Random(seed)
            wandered = returns(world, lambda world, turn, rng=rng: rng.choice(turn.admissible))
            assert wandered <= total + 1e-9


def test_walking_in_circles_pays_nothing():
    for reward in RewardRule:
        world = orrery.world("ferry", seed=7, reward=reward, max_steps=40)
        turn, total = world.reset(), 0.0
        steps = [action.step for action in world.problem.view(world.state).actions]
        sail = next(step for step in steps if step[0] == "sail")
        while not turn.done:
            turn = world.step(f"({' '.join(sail)})")
            total += turn.reward
            sail = (sail[0], sail[2], sail[1])
        assert total <= (1.0 if reward is RewardRule.OPTIMAL else 1.0 / world.steps_at_best) + 1e-9


def values(world, rule, discount):
    """Optimal values of all states by value iteration, and the action values."""
    task, oracle = world.problem.task, world.problem.oracle
    costs = Costs(oracle.cost_to_go(task.init), oracle.farthest, math.inf)
    index, order = {task.init: 0}, [task.init]
    edges = []
    for state in order:
        for action in applicable(task, state) if not task.is_goal(state) else ():
            successor = progress(state, action)
            if successor not in index:
                index[successor] = len(order)
                order.append(successor)
            pay = reward_of(rule, costs, oracle.cost_to_go(state), oracle.cost_to_go(successor), 1, discount)
            edges.append((index[state], index[successor], pay))
    source, target, pay = (np.array(column) for column in zip(*edges, strict=True))
    value = np.zeros(len(order))
    for _ in range(3_000):
        worth = pay + discount * value[target]
        new = np.full(len(order), -np.inf)
        np.maximum.at(new, source, worth)
        new[np.isinf(new)] = 0.0
        if np.abs(new - value).max() < 1e-13:
            break
        value = new
    return source, worth, value


@pytest.mark.by_day(1)
@pytest.mark.parametrize("domain", ["ferry", "grippers", "goldminer", "visitall", "grid"])
def test_shaping_leaves_the_optimal_policies_unchanged(domain):
    world = orrery.world(domain, seed=1, reward="shaped", max_states=4_000)
    source, sparse, plain = values(world, RewardRule.SPARSE, 0.95)
    _, shaped, formed = values(world, RewardRule.SHAPED, 0.95)
    alive = plain[source] > 1e-9  # in a dead end, every policy is optimal
    assert alive.sum() > 10
    best_plain = np.isclose(sparse, plain[source], rtol=1e-7, atol=0)
    best_formed = np.isclose(shaped, formed[source], rtol=1e-9, atol=1e-9)
    assert (best_plain == best_formed)[alive].all()
