"""Items as training sets."""

import json
import pickle
from itertools import islice

import pytest

import orrery
from orrery.model import UsageError
from tests.library.samples import IN_ONE_PROCESS, fresh

pytestmark = IN_ONE_PROCESS

ROLES = ["system", "user", "assistant"]


def stream():
    return orrery.tasks("acp_app_gen", "ferry", seed=4)


def test_a_prompt_with_its_row():
    items = fresh("acp_app_gen")
    for item, example in zip(items, orrery.examples(items), strict=True):
        assert example["prompt"] == item.prompt
        assert (example["id"], example["table"]) == (item.row["id"], "acp_app_gen")
        assert json.loads(example["row"]) == json.loads(json.dumps(dict(item.row)))


def test_conversations_with_the_right_reply():
    items = fresh("plan_generation")
    for item, example in zip(items, orrery.examples(items, form="messages"), strict=True):
        assert set(example) == {"messages"}
        assert [message["role"] for message in example["messages"]] == ROLES
        assert item.score(example["messages"][-1]["content"]).verdict == "right"
    for item, example in zip(items, orrery.examples(items, form="prompt-completion"), strict=True):
        assert example["prompt"] == item.prompt
        assert example["completion"] == [{"role": "assistant", "content": item.gold}]


def test_streams_are_limited():
    assert len(list(orrery.examples(stream(), 3))) == 3
    with pytest.raises(UsageError, match="forms: reward, messages, prompt-completion"):
        orrery.examples(stream(), 3, form="chat")


def test_a_set_of_rows():
    datasets = pytest.importorskip("datasets")
    items = [*fresh("acp_app_gen"), *fresh("text_to_pddl")]  # tables may be mixed
    examples = orrery.training_set(items)
    assert isinstance(examples, datasets.Dataset)
    assert examples.column_names == ["prompt", "id", "table", "row"]
    assert examples[0]["prompt"] == items[0].prompt
    gold = [item.gold for item in items]
    assert orrery.Reward()(completions=gold, row=examples["row"], table=examples["table"]) == [1.0] * len(
        items
    )
    assert len(orrery.training_set(stream(), 2)) == 2


def test_a_set_without_end_gives_the_same_on_every_pass():
    datasets = pytest.importorskip("datasets")
    examples = orrery.training_set(stream())
    assert isinstance(examples, datasets.IterableDataset)
    assert examples.column_names == ["prompt", "id", "table", "row"]
    wanted = [item.row["id"] for item in islice(stream(), 3)]
    for _ in range(2):
        assert [example["id"] for example in islice(examples, 3)] == wanted
    further = stream()
    next(further)
    assert next(iter(orrery.training_set(further)))["id"] == wanted[1]
    completions = orrery.training_set(stream(), form="prompt-completion")
    assert [message["role"] for message in next(iter(completions))["completion"]] == ["assistant"]
    assert next(iter(pickle.loads(pickle.dumps(examples))))["id"] == wanted[0]
