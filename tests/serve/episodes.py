"""An episode in every form: the same replies, and what the clients see."""

import random

import orrery
from orrery.pddl.write import parse_atom


def replies(domain="ferry", seed=7, steps=12):
    """Replies in PDDL: random applicable actions, one that is impossible, and a shortest plan at the end.

    Also the direct episode that they make.
    """
    world, rng = orrery.world(domain, seed=seed), random.Random(seed)
    listed = []

    def say(reply):
        listed.append(reply)
        return world.step(reply)

    for _ in range(steps):
        actions = [action.step for action in world.problem.view(world._state).actions]
        ground = [action.step for action in world.problem.task.actions if action.step not in actions]
        say(f"({' '.join(rng.choice(ground))})")
        if say(f"({' '.join(rng.choice(actions))})").done:
            break
    while not world.done:
        cost = world.problem.oracle.optimal_actions(world._state)
        say(f"({' '.join(cost[0].step)})")
    return listed, world


def tool_call(reply, world):
    """The name and the arguments of the tool that a reply in PDDL stands for."""
    name, *objects = parse_atom(reply)
    parameters = [p.name.removeprefix("?") for p in world.problem.domain.action_named[name].parameters]
    return name, dict(zip(parameters, objects, strict=True))
