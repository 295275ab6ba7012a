"""What our environment hands to ``verifiers``; tests/compatibility has it in the real package."""

import asyncio
import sys
from types import ModuleType

import pytest

import orrery
from orrery.model import ToolMissing, UsageError
from tests.library.samples import dataset, fresh


class Rubric:
    def __init__(self, funcs, weights):
        self.funcs, self.weights = funcs, weights

    def scores(self, completion, info):
        return [asyncio.run(func(completion=completion, info=info)) for func in self.funcs]


class SingleTurnEnv:
    def __init__(self, **given):
        self.given = given


@pytest.fixture
def verifiers(monkeypatch):
    pytest.importorskip("datasets")
    package = ModuleType("verifiers")
    package.Rubric, package.SingleTurnEnv, package.DatasetBuilder = Rubric, SingleTurnEnv, object
    monkeypatch.setitem(sys.modules, "verifiers", package)
    return package


def test_fresh_items_with_their_rewards(verifiers):
    options = orrery.load_environment(
        "acp_val_bool", "ferry", items=3, eval_items=2, seed=4, parser="p"
    ).given
    assert options["parser"] == "p"
    trained, tried = options["dataset"](), options["eval_dataset"]()
    assert (len(trained), len(tried)) == (3, 2)
    assert options["dataset"]()["info"] == trained["info"]  # made again, it is the same
    assert not {str(message) for message in trained["info"]} & {str(message) for message in tried["info"]}
    assert [message["role"] for message in trained[0]["prompt"]] == ["system", "user"]
    rubric, row = options["rubric"], trained[0]
    assert rubric.weights == [1.0, 0.0, 0.0]
    completion = [{"role": "assistant", "content": row["answer"]}]
    assert rubric.scores(completion, row["info"]) == [1.0, 0.0, 0.0]
    assert rubric.scores([{"role": "assistant", "content": "Hm."}], row["info"]) == [0.0, 1.0, 0.0]


def test_releases_without_builders_get_sets(verifiers):
    del verifiers.DatasetBuilder
    options = orrery.load_environment("acp_val_bool", "ferry", items=2, eval_items=1).given
    assert (len(options["dataset"]), len(options["eval_dataset"])) == (2, 1)


def test_items_of_a_dataset(verifiers, tmp_path):
    for split in ("train", "test"):
        folder = dataset(tmp_path, "acp_app_gen", split=split)
    options = orrery.load_environment("acp_app_gen", dataset=folder, items=2).given
    assert len(options["dataset"]()) == 2
    assert len(options["eval_dataset"]()) == len(fresh("acp_app_gen"))
    with pytest.raises(UsageError, match="cannot be combined with domain"):
        orrery.load_environment("acp_app_gen", "ferry", dataset=folder)


def test_a_package_that_is_missing_or_newer_is_named(verifiers, monkeypatch):
    del verifiers.SingleTurnEnv
    with pytest.raises(ToolMissing, match=r"without SingleTurnEnv.*vf-eval orrery"):
        orrery.load_environment()
    monkeypatch.setitem(sys.modules, "verifiers", None)
    with pytest.raises(ToolMissing, match=r"requires the package verifiers.*pip install"):
        orrery.load_environment()
