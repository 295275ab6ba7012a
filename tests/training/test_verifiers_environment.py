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
        return [asyncio.run(each(completion=completion, info=info)) for each in self.funcs]


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
    given = orrery.load_environment("acp_val_bool", "ferry", items=3, eval_items=2, seed=4, parser="p").given
    assert given["parser"] == "p"
    trained, tried = given["dataset"](), given["eval_dataset"]()
    assert (len(trained), len(tried)) == (3, 2)
    assert given["dataset"]()["info"] == trained["info"]  # made again, it is the same
    assert not {str(each) for each in trained["info"]} & {str(each) for each in tried["info"]}
    assert [each["role"] for each in trained[0]["prompt"]] == ["system", "user"]
    rubric, row = given["rubric"], trained[0]
    assert rubric.weights == [1.0, 0.0, 0.0]
    said = [{"role": "assistant", "content": row["answer"]}]
    assert rubric.scores(said, row["info"]) == [1.0, 0.0, 0.0]
    assert rubric.scores([{"role": "assistant", "content": "Hm."}], row["info"]) == [0.0, 1.0, 0.0]


def test_releases_without_builders_get_sets(verifiers):
    del verifiers.DatasetBuilder
    given = orrery.load_environment("acp_val_bool", "ferry", items=2, eval_items=1).given
    assert (len(given["dataset"]), len(given["eval_dataset"])) == (2, 1)


def test_items_of_a_dataset(verifiers, tmp_path):
    for split in ("train", "test"):
        folder = dataset(tmp_path, "acp_app_gen", split=split)
    given = orrery.load_environment("acp_app_gen", dataset=folder, items=2).given
    assert len(given["dataset"]()) == 2
    assert len(given["eval_dataset"]()) == len(fresh("acp_app_gen"))
    with pytest.raises(UsageError, match="cannot be combined with domain"):
        orrery.load_environment("acp_app_gen", "ferry", dataset=folder)


def test_a_package_that_is_missing_or_newer_is_named(verifiers, monkeypatch):
    del verifiers.SingleTurnEnv
    with pytest.raises(ToolMissing, match=r"without SingleTurnEnv.*vf-eval orrery"):
        orrery.load_environment()
    monkeypatch.setitem(sys.modules, "verifiers", None)
    with pytest.raises(ToolMissing, match=r"requires the package verifiers.*pip install"):
        orrery.load_environment()
