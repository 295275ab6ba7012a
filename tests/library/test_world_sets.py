"""Worlds by number, with names and arguments that give them again."""

import json
import pickle

import pytest

import orrery
from orrery.library.worlds import opening, total_reward, world_set
from orrery.model import OrreryError, UsageError
from tests.library.samples import world_row


def test_a_world_of_a_set_is_the_world_of_its_arguments():
    worlds = world_set("ferry", seed=4, split="train", reward="shaped")
    again = pickle.loads(pickle.dumps(worlds))
    for number in (0, 2):
        arguments = json.loads(json.dumps(worlds.arguments(number)))
        wanted = orrery.world(**arguments)
        assert arguments == {
            "domain": "ferry", "seed": 4 + number, "difficulty": "easy", "kind": None, "split": "train",
            "max_states": 20_000, "reward": "shaped",
        }  # fmt: skip
        for world in (worlds.world(number), again.world(number)):
            assert (world.transcript(), world.options) == (wanted.transcript(), wanted.options)


def test_a_key_names_the_problem():
    assert world_set("ferry", seed=4).key(3) == "ferry/easy/7"
    chosen = world_set("ferry", "medium", split="test", kind=None)
    assert chosen.key(0) == "ferry/medium/test/0"


def test_without_a_domain_all_take_part():
    worlds = world_set()
    keys = [worlds.key(number) for number in range(2 * len(worlds.sources))]
    assert len(set(keys)) == len(keys)
    assert {key.split("/")[0] for key in keys} >= {"ferry", "grid", "visitall"}
    assert worlds.world(3).problem.domain.name == worlds.arguments(3)["domain"]


def test_what_does_not_exist_is_refused_before_a_world_is_drawn():
    for chosen in ({"domain": "fery"}, {"difficulty": "x"}, {"split": "x"}, {"kind": "x"}, {"speed": 1}):
        with pytest.raises(UsageError):
            world_set(**{"domain": "ferry", **chosen})


def test_the_first_message_says_how_to_reply_and_rewards_add_up():
    world = world_set("ferry", reward="shaped").world(1)
    assert opening(world).startswith(world.first_observation)
    assert "Give one action" in opening(world)
    while not world.done:
        world.step(world.optimal_actions()[0])
    assert total_reward(world.transcript()) == pytest.approx(2.0)


def test_the_world_of_a_row_has_the_words_and_the_costs_of_the_row():
    row = world_row("ferry", 3)
    world = orrery.world_of_row(row, reward="shaped")
    assert world.first_observation == row["first_observation"]
    assert world.steps_at_best == row["h_star"]
    replies = [message["content"] for message in row["slip"] if message["role"] == "assistant"]
    turns = [world.step(reply) for reply in replies]
    said = [message["content"] for message in row["slip"] if message["role"] == "user"]
    assert [turn.observation for turn in turns] == said[1:]
    assert turns[-1].reason == "goal"


def test_a_row_of_another_table_is_named():
    with pytest.raises(OrreryError, match="no column 'num_states'"):
        orrery.world_of_row({"domain": "ferry", "problem_id": "x", "problem_pddl": ""})


def test_limits_of_problems_are_those_of_single_worlds():
    worlds = world_set("ferry", seed=4, shortest=[8, 10], dead_ends=False)
    world = worlds.world(1)
    assert 8 <= world.steps_at_best <= 10
    again = orrery.world(**json.loads(json.dumps(worlds.arguments(1))))
    assert again.problem.problem_pddl == world.problem.problem_pddl
    assert worlds.key(1) == "ferry/easy/shortest=(8, 10)/dead_ends=False/5"
    for wrong in ({"shortest": 5}, {"dead_ends": "no"}):
        with pytest.raises(UsageError):
            world_set("ferry", **wrong)


def test_a_composed_domain_may_be_named_with_a_slash():
    assert world_set("composed/5").world(0).problem.domain_name == "composed-5"
