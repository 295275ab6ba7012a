"""The interface of reasoning-gym's procedural datasets; tests/compatibility has it in the real package."""

import json
import pickle

import pytest

import orrery
from orrery.model import OrreryError, ToolMissing, UsageError


def made(**options):
    return orrery.ProceduralTasks(
        orrery.ProceduralConfig(**{"domain": "ferry", "size": 5, "seed": 3, **options})
    )


@pytest.mark.by_day(1)
@pytest.mark.parametrize("table", ["acp_app_gen", "acp_val_bool", "plan_generation"])
def test_items_are_questions_with_answers_that_score(table):
    tasks = made(table=table)
    entries = list(tasks)
    assert len(tasks) == len(entries) == 5
    for number, entry in enumerate(entries):
        assert set(entry) == {"question", "answer", "metadata"}
        assert entry == tasks[number]
        assert entry["metadata"]["source_index"] == number
        assert tasks.score_answer(entry["answer"], entry) == 1.0
        assert tasks.score_answer(entry["answer"], json.loads(json.dumps(entry))) == 1.0
        for nothing in (None, "", "Hm.", 3):
            assert tasks.score_answer(nothing, entry) == 0.0
    assert len({entry["metadata"]["row"]["id"] for entry in entries}) == 5


def test_the_ith_item_does_not_depend_on_the_order():
    ahead, back = made(), made()
    forward = [ahead[number] for number in range(4)]
    assert [back[number] for number in (3, 0, 2, 1)] == [forward[number] for number in (3, 0, 2, 1)]
    assert made(seed=4)[0] != forward[0]
    assert made(seed=None)[0] == made(seed=0)[0]
    assert ahead[-1] == ahead[4]
    assert pickle.loads(pickle.dumps(ahead))[2] == forward[2]


def test_further_items_are_there_as_composites_ask_for_them():
    assert made()[7] == made(size=8)[7]
    with pytest.raises(IndexError):
        _ = made()[-6]


def test_question_and_row_are_those_of_the_stream():
    item = orrery.tasks("acp_app_gen", "ferry", seed=3, split="train").item(1)
    entry = made()[1]
    assert entry["metadata"]["row"] == item.row
    for message in item.prompt:
        assert message["content"] in entry["question"]


@pytest.mark.parametrize(
    ("options", "message"),
    [({"size": 0}, "size 0"), ({"table": "none"}, "'none'"), ({"domain": "chess"}, "'chess'")],
)
def test_what_is_not_there_is_refused(options, message):
    with pytest.raises(UsageError, match=message):
        made(**options)


def test_an_entry_of_another_kind_is_refused():
    for entry in ({}, {"metadata": {}}, None):
        with pytest.raises(OrreryError, match="entry"):
            made().score_answer("yes", entry)


def test_the_package_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "reasoning_gym", None)
    with pytest.raises(ToolMissing, match="pip install reasoning-gym"):
        orrery.register_reasoning_gym()
