"""Worlds that our environment hands to ``verifiers``; tests/compatibility has them in the real package."""

import asyncio
import json
import sys
from types import ModuleType

import pytest

import orrery
from orrery.model import UsageError
from tests.compatibility.world_episode import DOMAIN, RULES, SEED, checked, replies, reward


class MultiTurnEnv:
    def __init__(self, **given):
        self.given = given


class WorldRubric:
    def __init__(self, funcs, weights):
        self.funcs, self.weights = funcs, weights


@pytest.fixture
def load(monkeypatch):
    pytest.importorskip("datasets")
    package = ModuleType("verifiers")
    package.MultiTurnEnv, package.SingleTurnEnv, package.Rubric = MultiTurnEnv, object, WorldRubric
    package.DatasetBuilder, package.cleanup = object, lambda function: function
    monkeypatch.setitem(sys.modules, "verifiers", package)
    monkeypatch.delitem(sys.modules, "orrery.training.verifiers_worlds", raising=False)
    yield orrery.load_environment
    sys.modules.pop("orrery.training.verifiers_worlds", None)


@pytest.mark.parametrize("written", [dict, json.dumps])
def test_a_conversation_is_an_episode(load, written):
    environment = load("world", DOMAIN, seed=SEED, eval_items=1, rules=RULES)
    (row,) = environment.given["eval_dataset"]()
    state = {"info": written(row["info"])}
    asyncio.run(environment.setup_state(state))
    messages = list(row["prompt"])
    for reply in replies():
        messages.append({"role": "assistant", "content": reply})
        assert "final_env_response" not in state
        messages += asyncio.run(environment.env_response(messages, state))
    assert state["final_env_response"] == messages[-1:]
    asyncio.run(environment.drop_world(state))
    checked(json.loads(json.dumps(state))["transcript"])
    values = [asyncio.run(score(state)) for score in environment.given["rubric"].funcs]
    assert values == [reward(), 1.0, len(replies()) - 4.0, 3.0]
    assert environment.given["rubric"].weights == [1.0, 0.0, 0.0, 0.0]


def test_training_and_evaluation_are_of_two_splits(load):
    environment = load("world", seed=2, items=3, eval_items=2, max_turns=9)
    assert environment.given["max_turns"] == 9
    trained, tried = environment.given["dataset"](), environment.given["eval_dataset"]()
    assert trained["info"] == environment.given["dataset"]()["info"]
    keys = [info["key"] for info in (*trained["info"], *tried["info"])]
    assert [key.split("/")[2] for key in keys] == ["train"] * 3 + ["test"] * 2
    assert len(set(keys)) == 5


def test_a_dataset_and_unknown_rules_are_refused(load):
    with pytest.raises(UsageError, match="no worlds"):
        load("world", DOMAIN, dataset="outputs/dataset")
    with pytest.raises(UsageError, match="speed"):
        load("world", DOMAIN, rules={"speed": 1})
