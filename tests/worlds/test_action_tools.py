"""Tools of a domain: every applicable action can be called, and no arguments raise."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import orrery
from orrery.pddl.read import read_domain
from orrery.pddl.write import parse_atom
from orrery.worlds.action_tools import LIST, LOOK, RESERVED, world_tools
from tests.every_domain import CATALOG
from tests.worlds.episodes import every_domain


def tools_of(world):
    return {tool.name: tool for tool in world_tools(world.problem.domain, world.problem.words)}


@every_domain
def test_every_applicable_action_can_be_called(domain):
    world = orrery.world(domain, seed=2)
    tools = tools_of(world)
    for number, _ in enumerate(world.reset().admissible, 1):
        world.reset()
        action = world.step(number).info["action"]
        name, *objects = parse_atom(action)
        tool = tools[name]
        world.reset()
        turn = world.step(tool.reply(dict(zip(tool.parameters, objects, strict=True))))
        assert (turn.info["outcome"], turn.info["action"]) == ("done", action)


@every_domain
def test_descriptions_are_in_words_and_name_the_arguments(domain):
    entry = CATALOG.entry(domain)
    for tool in world_tools(entry.domain, entry.words)[:-2]:
        assert tool.description[0].isupper()
        assert tool.description.endswith(".")
        assert set(tool.schema["required"]) == set(tool.schema["properties"]) == set(tool.parameters)
        assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", tool.name)  # what interfaces of models admit
        json.dumps(tool.schema)


def test_a_domain_without_words_is_described_in_pddl():
    domain = read_domain(
        "(define (domain d) (:predicates (p ?x)) (:action look :parameters (?x) :precondition (p ?x)"
        " :effect (not (p ?x))))"
    )
    action, *questions = world_tools(domain, None)
    assert (action.name, action.description, action.action) == ("look-action", "(look X).", "look")
    assert action.reply({"x": "a"}) == "(look a)"
    assert questions == [LOOK, LIST]
    assert {tool.name for tool in questions} <= RESERVED


WRONG = [
    {}, {"c": "c1"}, {"l": "l2"}, {"c": "l2", "l": "c1"}, {"c": 3, "l": None}, {"c": "c1", "l": "nowhere"},
    {"car": "c1", "place": "l2"}, {"c": ["c1"], "l": {"l2": 1}}, {"c": "c1 l2) (sail l2", "l": "l1"},
    {"c": "", "l": ""}, {"c": "\ud800", "l": "x" * 100_000},
]  # fmt: skip


@pytest.mark.parametrize("arguments", WRONG, ids=range(len(WRONG)))
@pytest.mark.parametrize("take_first", [False, True])
def test_wrong_arguments_are_explained_and_change_nothing(arguments, take_first):
    world = orrery.world("ferry", seed=7, take_first=take_first)
    turn = world.step(tools_of(world)["board"].reply(arguments))
    assert (turn.info["outcome"], turn.info["steps"]) == ("not understood", 0)
    assert turn.observation


def test_an_action_with_an_argument_too_many_is_refused():
    world = orrery.world("ferry", seed=7)
    sail = tools_of(world)["sail"]
    arguments = {"f": "l2", "t": "l1"}
    assert world.step(sail.reply({**arguments, "speed": 3})).info["outcome"] == "not understood"
    assert world.step(sail.reply(arguments)).info["outcome"] == "done"


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["c", "l", "object"]), st.none() | st.integers() | st.text()))
def test_no_arguments_raise(arguments):
    world = orrery.world("ferry", seed=7)
    for tool in tools_of(world).values():
        assert world.step(tool.reply(arguments)).info["outcome"]


def test_look_tells_of_an_object_or_of_all():
    world = orrery.world("ferry", seed=7)
    assert world.step(LOOK.reply({})).observation == world.step("look").observation
    assert world.step(LOOK.reply({"object": "c1"})).observation == world.step("look at c1").observation
    assert world.step(LIST.reply({})).observation == world.step("list").observation
