"""The domains with worlds, and episodes that processes play: functions they can import."""

import json
import random

import pytest

import orrery
from orrery.pddl.write import parse_atom, write_atom
from tests.every_domain import CATALOG

DOMAINS = [name for name in CATALOG.names if CATALOG.entry(name).tasks]
every_domain = pytest.mark.parametrize("domain", DOMAINS)


def walk(world, steps, seed):
    """Random turns, some impossible, as (state before, step, turn)."""
    rng, turn = random.Random(seed), world.reset()
    actions = [action.step for action in world.problem.task.actions]
    for _ in range(steps):
        if turn.done:
            turn = world.reset()
        before = world.problem.task.state(world.state)
        impossible = rng.random() < 0.4 or not turn.admissible
        step = rng.choice(actions) if impossible else None
        turn = world.step(write_atom(step) if step else rng.choice(turn.admissible))
        yield before, parse_atom(turn.info["action"]), turn


def wandered(domain, seed, **options):
    """The transcript of an episode with random actions, some impossible."""
    world = orrery.world(domain, seed=seed, max_steps=30, **options)
    next(turn for *_, turn in walk(world, 10**6, seed) if turn.done)
    return json.dumps(world.transcript())


def state_and_place(world):
    """The state of a world of ferry, and the place where the ferry is."""
    state = world.problem.task.state(world.state)
    (place,) = (fact[1] for fact in state if fact[0] == "at-ferry")
    return state, place
