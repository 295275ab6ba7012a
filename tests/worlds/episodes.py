"""The domains with worlds, and episodes that processes play: functions they can import."""

import json
import random

import pytest

import orrery
from orrery.pddl.write import write_atom
from tests.every_domain import CATALOG

DOMAINS = [name for name in CATALOG.names if CATALOG.entry(name).tasks]
every_domain = pytest.mark.parametrize("domain", DOMAINS)


def wandered(domain, seed, **options):
    """The transcript of an episode with random actions, some impossible."""
    world, rng = orrery.world(domain, seed=seed, max_steps=30, **options), random.Random(seed)
    turn, actions = world.reset(), [action.step for action in world.problem.task.actions]
    while not turn.done:
        impossible = rng.random() < 0.2 or not turn.admissible
        turn = world.step(write_atom(rng.choice(actions)) if impossible else rng.choice(turn.admissible))
    return json.dumps(world.transcript())


def state_and_place(world):
    """The state of a world of ferry, and the place where the ferry is."""
    state = world.problem.task.state(world.state)
    (place,) = (fact[1] for fact in state if fact[0] == "at-ferry")
    return state, place
