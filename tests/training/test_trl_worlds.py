"""The classes for TRL's ``environment_factory``; tests/compatibility has them in the real package."""

import inspect
import keyword
import typing

import pytest

import orrery
from orrery.model import UsageError
from orrery.pddl.write import parse_atom
from tests.compatibility import world_episode
from tests.every_domain import CATALOG


def tools(environment):
    """The methods that TRL offers to a model."""
    names = [name for name, _ in inspect.getmembers(environment, predicate=inspect.isfunction)]
    return [name for name in names if not name.startswith("_") and name not in ("reset", "get_reward")]


def test_actions_are_typed_methods_with_descriptions():
    environment = orrery.world_environment("ferry")
    assert environment.__name__ == "FerryWorld"
    assert tools(environment) == ["board", "debark", "list", "look", "sail"]
    sail = environment().sail
    assert [*inspect.signature(sail).parameters] == ["f", "t"]
    assert typing.get_type_hints(sail) == {"f": str, "t": str, "return": str}
    assert "Args:\n    f: F: the name of an object of type location." in sail.__doc__
    assert typing.get_type_hints(environment().list) == {"return": str}
    assert "Args" not in environment().list.__doc__


@pytest.mark.parametrize("domain", [*CATALOG.names, pytest.param("composed-5", marks=pytest.mark.slow)])
def test_every_action_of_a_domain_can_be_called_by_names_of_python(domain):
    episode = orrery.world_environment(domain, split=None)()
    episode.reset(seed=2)
    world = orrery.world(domain, seed=2)
    for schema in world.problem.domain.actions:
        name = schema.name.replace("-", "_")
        method = getattr(episode, name, None) or getattr(episode, f"{name}_action")
        names = [*inspect.signature(method).parameters]
        assert len(names) == len(schema.parameters)
        assert all(name.isidentifier() and not keyword.iskeyword(name) for name in names)
        assert all(f"{name}: " in method.__doc__ for name in names)
    turn = world.step("1")
    name, *objects = parse_atom(turn.info["action"])
    method = getattr(episode, name.replace("-", "_"))
    assert method(**dict(zip(inspect.signature(method).parameters, objects, strict=True))) == turn.observation


def test_wrong_arguments_are_answered():
    episode = orrery.world_environment("ferry", max_invalid=100)()
    episode.reset(seed=3)
    state = episode.look()
    for arguments in ({}, {"c": "c1"}, {"c": 1, "l": None}, {"car": "c1", "l": "l1"}, {"c": "", "l": ""}):
        assert "That is no action of this world" in episode.board(**arguments)
    assert "That is no action of this world" in episode.board("l1", "c1")
    assert "parked" in episode.look("c1")
    assert episode.look() == state
    assert episode.get_reward() == 0.0


def test_an_episode_is_that_of_the_world():
    environment = orrery.world_environment(
        world_episode.DOMAIN, split=world_episode.SPLIT, **world_episode.RULES
    )
    episode = environment()
    for _ in range(2):  # an instance plays one episode after another
        said = [episode.reset(seed=world_episode.SEED, prompt=[])]
        calls = map(world_episode.words_of, world_episode.replies())
        said += [getattr(episode, name)(*arguments) for name, *arguments in calls]
        assert said[1:] == [turn["observation"] for turn in world_episode.played()["turns"]]
        assert said[0] == world_episode.played()["observation"]
        assert episode.get_reward() == world_episode.reward()
    assert "over" in episode.look()


def test_instances_do_not_share_an_episode():
    environment = orrery.world_environment("ferry")
    first, second = environment(), environment()
    assert first.reset(seed=3) == second.reset(seed=3)
    first.sail()
    assert second.look() == orrery.world("ferry", 3, split="train").step("look").observation
    assert first.reset(seed=4) != second.reset(seed=3)


def test_rows_without_a_seed_and_unknown_options_are_refused():
    with pytest.raises(UsageError, match="column 'seed'"):
        orrery.world_environment("ferry")().reset(prompt=[])
    for chosen in ({"domain": "fery"}, {"reward": "dense"}, {"difficulty": "x"}):
        with pytest.raises(UsageError):
            orrery.world_environment(**{"domain": "ferry", **chosen})
