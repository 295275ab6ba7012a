"""Dialogues against the definitions: own sets of facts and a plain search say what each must hold."""

import random

import pytest

import orrery
from orrery.families.drafts import Rejected
from orrery.families.worlds.schemas import IMPOSSIBLE, INSTRUCTION, UNHELPFUL
from orrery.pddl.write import parse_atom
from orrery.worlds.dialogues import expert, played, slip
from tests.plain_search import PlainSearch
from tests.worlds.episodes import every_domain


def searched(world):
    return PlainSearch(world.problem.domain, world.problem.problem)


def roles_and_replies(dialogue):
    roles = [message["role"] for message in dialogue.messages]
    assert roles == ["system", "user", *["assistant", "user"] * len(dialogue.steps)]
    assert dialogue.messages[0]["content"] == INSTRUCTION
    return [message["content"] for message in dialogue.messages if message["role"] == "assistant"]


@every_domain
def test_an_expert_takes_a_shortest_plan_and_says_what_the_world_answers(domain):
    world = orrery.world(domain, seed=1, max_states=400)
    dialogue, search = expert(world), searched(world)
    assert len(dialogue.steps) == search.distance
    state = world.problem.problem.init
    for step in dialogue.steps:
        state = search.after[state][step]
    assert world.problem.problem.satisfied(state)
    turns = [world.reset(), *map(world.step, roles_and_replies(dialogue))]
    assert [turn.observation for turn in turns] == [m["content"] for m in dialogue.messages[1::2]]
    assert [parse_atom(turn.info["action"]) for turn in turns[1:]] == dialogue.steps
    assert turns[-1].reason == "goal"


@pytest.mark.parametrize("seed", range(3))
@every_domain
def test_a_slip_is_the_only_action_off_a_shortest_plan(domain, seed):
    world = orrery.world(domain, seed=seed, max_states=400)
    found, search = slip(world, random.Random(seed)), searched(world)
    state, off = world.problem.problem.init, []
    for number, step in enumerate(found.dialogue.steps, 1):
        after = search.after[state].get(step)
        if after is None or search.distances[after] >= search.distances[state]:
            off.append((number, IMPOSSIBLE if after is None else UNHELPFUL))
        state = state if after is None else after
    assert off == [(found.place, found.kind)]
    assert world.problem.problem.satisfied(state)
    assert len(roles_and_replies(found.dialogue)) == len(found.dialogue.steps)


def test_both_kinds_of_slips_and_all_places_occur():
    world = orrery.world("ferry", seed=7)
    slips = [slip(world, random.Random(seed)) for seed in range(40)]
    assert {each.kind for each in slips} == {IMPOSSIBLE, UNHELPFUL}
    assert {each.place for each in slips} == set(range(1, world.steps_at_best + 1))
    again = slip(world, random.Random(3))
    assert again == slips[3]


def test_actions_after_the_end_are_refused():
    world = orrery.world("ferry", seed=7)
    steps = expert(world).steps
    with pytest.raises(Rejected):
        played(world, [*steps, steps[0]])
