"""Compare rewards by how many episodes a learner needs to reach the goal of a world.

The learner is REINFORCE (Williams, 1992) with a table: one logit for each state and action, and the mean
return of each state as the baseline. A world is learned when 18 of 20 episodes in a row reach the goal. The
control has the shaped reward with potentials that are exchanged among the states: it is as dense and says
nothing.
The worlds are the first of each domain with a shortest plan of at least 12 actions. Run from the repository's
root: python benchmarks/learning.py [--seeds 5] [--domains ferry,grid] [--out FILE]
"""

import argparse
import json
import math
import random
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "pipeline"))

import numpy as np

import orrery

DOMAINS = ("ferry", "floortile", "goldminer", "grid", "gripper", "logistics", "rovers")
REWARDS = ("sparse", "shaped", "exchanged")
SHORTEST, NUMBERS = 12, 200
RATE, BASELINE_RATE = 1.0, 0.2
WINDOW, WINS, EPISODES = 20, 18, 8_000
RESAMPLES = 10_000


class Learner:
    """A softmax policy over the listed actions of each state of one world."""

    def __init__(self, world, seed, *, exchanged=False):
        """Start with the uniform policy; ``exchanged`` permutes the potentials of the states."""
        self.world, self.rng = world, random.Random(seed)
        self.logits, self.baselines = defaultdict(float), defaultdict(float)
        self.potential = _exchanged_potential(world, seed) if exchanged else None

    def episode(self):
        """Play one episode and learn from it; return whether the goal is reached."""
        turn, taken = self.world.reset(), []
        while not turn.done:
            state, phrases = self.world.state, turn.admissible
            shares = self.shares(state, phrases)
            chosen = self.rng.choices(range(len(phrases)), shares)[0]
            turn = self.world.step(phrases[chosen])
            extra = self.potential[self.world.state] - self.potential[state] if self.potential else 0.0
            taken.append((state, phrases, shares, chosen, turn.reward + extra))
        self.learn(taken)
        return turn.reason == "goal"

    def shares(self, state, phrases):
        """Return the probabilities of the actions."""
        logits = [self.logits[state, phrase] for phrase in phrases]
        weights = [math.exp(logit - max(logits)) for logit in logits]
        return [weight / sum(weights) for weight in weights]

    def learn(self, taken):
        """Make one step of gradient ascent on the return."""
        rest, updates = 0.0, []
        for state, phrases, shares, chosen, reward in reversed(taken):
            rest += reward
            updates.append((state, phrases, shares, chosen, rest - self.baselines[state]))
            self.baselines[state] += BASELINE_RATE * (rest - self.baselines[state])
        for state, phrases, shares, chosen, advantage in updates:
            for place, phrase in enumerate(phrases):
                self.logits[state, phrase] += RATE * advantage * ((place == chosen) - shares[place])


def _exchanged_potential(world, seed):
    oracle = world.problem.oracle
    costs = np.where(oracle.all_distances() < 0, oracle.farthest + 1, oracle.all_distances())
    order = np.random.default_rng(seed).permutation(len(costs))
    states = (int.from_bytes(row.tobytes(), "little") for row in oracle.states)
    return {state: -costs[place] / costs[0] for state, place in zip(states, order, strict=True)}


def first_world(domain):
    """Return the number of the first world of a domain with a long shortest plan."""
    return next(n for n in range(NUMBERS) if orrery.world(domain, n, "medium").steps_at_best >= SHORTEST)


def episodes_needed(domain, number, reward, seed):
    """Return after how many episodes a world is learned, at most ``EPISODES``."""
    exchanged = reward == "exchanged"
    world = orrery.world(domain, number, "medium", reward="sparse" if exchanged else reward)
    learner, wins = Learner(world, seed, exchanged=exchanged), []
    while len(wins) < EPISODES:
        wins.append(learner.episode())
        if sum(wins[-WINDOW:]) >= WINS:
            break
    return len(wins)


def ratio(sparse, other):
    """Return the ratio of the means, and its 95 % interval by the bootstrap over pairs of seeds."""
    rng, pairs = np.random.default_rng(0), np.array([sparse, other], float)
    drawn = pairs[:, rng.integers(0, pairs.shape[1], (RESAMPLES, pairs.shape[1]))].mean(axis=2)
    low, high = np.quantile(drawn[1] / drawn[0], (0.025, 0.975))
    return pairs[1].mean() / pairs[0].mean(), low, high


def line(domain, world, needed):
    """Return the results of a domain as a line of a table."""
    means = " | ".join(f"{np.mean(needed[reward]):,.0f}" for reward in REWARDS)
    share, low, high = ratio(needed["sparse"], needed["shaped"])
    size = f"{world.steps_at_best} | {len(world.problem.oracle.states):,}"
    return f"| {domain} | {size} | {means} | {share:.2f} ({low:.2f}-{high:.2f}) |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--domains", default=",".join(DOMAINS))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    print("| domain | shortest plan | states | sparse | shaped | exchanged | shaped / sparse |")
    print("|---|---|---|---|---|---|---|")
    results = {}
    for domain in options.domains.split(","):
        number = first_world(domain)
        results[domain] = {
            reward: [episodes_needed(domain, number, reward, seed) for seed in range(options.seeds)]
            for reward in REWARDS
        }
        print(line(domain, orrery.world(domain, number, "medium"), results[domain]), flush=True)
    if options.out:
        options.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
