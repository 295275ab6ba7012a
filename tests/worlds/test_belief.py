"""The belief with local sight: exactly the states in which the same replies get the same answers."""

import random

import pytest

import orrery
from orrery.pddl.write import write_atom
from orrery.worlds.episode import World
from tests.worlds.episodes import state_and_place
from tests.worlds.test_sight import every_domain_with_sight

MOST = 400  # states


def as_texts(turn):
    """What the player reads in a turn."""
    return turn.observation, turn.admissible, turn.done, turn.info["outcome"], turn.info["failed"]


class Simulated:
    """The states that are possible, by playing the same episode from every reachable state."""

    def __init__(self, world):
        problem, snapshot, oracle = world.problem, world.snapshot(), world.problem.oracle
        self.task, self.worlds = problem.task, []
        for row in oracle.states:
            mask = int.from_bytes(row.tobytes(), "little")
            facts = [write_atom(fact) for fact in sorted(self.task.facts_of(mask))]
            candidate = World(problem, world.options)
            candidate.restore(snapshot | {"state": facts, "belief": range(len(oracle.states))})
            listed = not world.options.list_actions or self.phrases(candidate) == self.phrases(world)
            told = not world.options.reveal or candidate.cost_to_go() == world.steps_at_best
            if listed and told and candidate.look() == world.look():
                self.worlds.append(candidate)

    @staticmethod
    def phrases(world):
        return world.problem.view(world.state).phrases

    def step(self, reply, turn):
        self.worlds = [world for world in self.worlds if as_texts(world.step(reply)) == as_texts(turn)]

    @property
    def states(self):
        return {self.task.facts_of(world.state) for world in self.worlds}

    def agrees_with(self, world, turn):
        states = self.states
        assert self.task.facts_of(world.state) in states
        assert turn.info["possible_states"] == len(states)
        certain = sorted(frozenset.intersection(*states))
        assert turn.info["certain"] == tuple(write_atom(fact) for fact in certain)


def replies_of(world, rng):
    """A reply: an action by number, phrase, PDDL or in short, possible or not, or a question."""
    view, actions = world.problem.view(world.state), [action.step for action in world.problem.task.actions]
    step = rng.choice(actions)
    choices = [
        write_atom(step),
        " ".join(world.problem.texts.action(step).split()[: rng.randint(1, 3)]),
        str(rng.randint(1, len(view.actions) + 1)),
        rng.choice(["look", "list", "look at " + rng.choice(sorted(world.problem.object_names)), "dance"]),
        *(rng.choice(view.phrases) for _ in range(3) if view.phrases),
    ]
    return rng.choice(choices)


def compare(domain, seed, replies, **options):
    """Play random replies and compare every belief with the simulated one; return the sizes of beliefs."""
    world = orrery.world(domain, seed=seed, max_states=MOST, sight="local", max_invalid=99, **options)
    turn, rng, sizes = world.reset(), random.Random(seed), []
    simulated = Simulated(world)
    simulated.agrees_with(world, turn)
    for _ in range(replies):
        if turn.done:
            break
        reply = replies_of(world, rng)
        turn = world.step(reply)
        simulated.step(reply, turn)
        simulated.agrees_with(world, turn)
        sizes.append(len(simulated.worlds))
    return sizes


OPTIONS = [
    {},
    {"list_actions": False},
    {"list_actions": False, "end_in_dead_ends": False, "reveal": True},
]
every_option = pytest.mark.parametrize("options", OPTIONS, ids=["listed", "unlisted", "revealed"])


@pytest.mark.slow
@every_option
@every_domain_with_sight
def test_a_belief_is_what_the_same_episode_from_every_state_shows(domain, options):
    compare(domain, 1, 10, **options)


@pytest.mark.exhaustive
@every_option
@every_domain_with_sight
def test_beliefs_of_many_episodes_are_what_the_same_episodes_from_every_state_show(domain, options):
    sizes = [size for seed in range(2, 42) for size in compare(domain, seed, 40, **options)]
    assert max(sizes) > 1
    assert min(sizes) == 1


def tells(world, replies):
    """Whether one of the replies, each the first of an episode, makes the belief of a world smaller."""
    before = world.reset().info["possible_states"]
    smaller = []
    for reply in replies:
        world.reset()
        simulated, turn = Simulated(world), world.step(reply)
        simulated.step(reply, turn)
        simulated.agrees_with(world, turn)
        smaller.append(turn.info["possible_states"] < before)
    return any(smaller)


def test_a_number_and_a_refusal_tell_what_is_not_seen():
    """The number of actions is told, and which condition fails is not, but that one does."""
    world = orrery.world("alfworld", 0, max_states=MOST, sight="local", list_actions=False, max_invalid=99)
    assert tells(world, ["99"])
    tasks = [action.step for action in world.problem.task.actions if action.step[0].startswith("finish")]
    refused = [write_atom(step) for step in tasks]
    assert tells(world, refused)
    world.reset()
    assert "you do not see which" in world.step(refused[0]).observation


def test_the_conditions_on_what_is_carried_are_named():
    """A car on the ferry is always seen, so one that is not seen is not on it."""
    world = orrery.world("ferry", seed=7, sight="local")
    state, place = state_and_place(world)
    away = next(fact[1] for fact in state if fact[0] == "at" and fact[2] != place)
    assert world.step(f"(debark {away} {place})").info["failed"] == (f"(on {away})",)


def test_the_belief_of_a_ferry_is_the_cars_that_are_not_here():
    """A car that is not here can be at any other place; one that is here is certain."""
    world = orrery.world("ferry", seed=7, sight="local", list_actions=False)
    state, place = state_and_place(world)
    others = {fact[1] for fact in state if fact[0] == "passage"} - {place}
    away = [fact for fact in state if fact[0] == "at" and fact[2] != place]
    turn = world.reset()
    assert turn.info["possible_states"] == len(others) ** len(away)
    here = {write_atom(fact) for fact in state if fact[0] == "at" and fact[2] == place}
    only = {write_atom(fact) for fact in away} if len(others) == 1 else set()
    assert {*turn.info["certain"]} == here | only | {f"(at-ferry {place})", "(empty-ferry)"}
