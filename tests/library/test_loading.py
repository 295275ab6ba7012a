"""Items of a dataset that was built."""

import pickle
import sys
from dataclasses import replace

import pytest

import orrery
from orrery.families import tables
from orrery.model import OrreryError, ToolMissing, UsageError
from orrery.store.shards import shards
from tests.checkout import tiny_build
from tests.evaluation.samples import modelled_dataset
from tests.every_domain import ROOT
from tests.library.samples import dataset, fresh
from tests.store import samples
from tests.tables import PUBLISHED

NAMES = ("acp_app_gen", "plan_generation", "text_to_pddl")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    return dataset(tmp_path_factory.mktemp("dataset"), *NAMES)


@pytest.mark.parametrize("table", NAMES)
def test_what_is_loaded_is_what_was_stored(stored, table):
    loaded, generated = orrery.load(stored, table, root=ROOT), fresh(table)
    assert len(loaded) == len(generated)
    for first, second in zip(loaded, generated, strict=True):
        assert first.row == second.row
        assert (first.prompt, first.gold) == (second.prompt, second.gold)
        assert first.score(first.gold).value == 1.0


def test_it_is_a_sequence(stored):
    table_read = orrery.load(str(stored), "acp_app_gen", "test")
    listed = list(table_read)
    assert table_read[0] == listed[0]
    assert table_read[-1] == listed[-1]
    assert list(table_read[1:]) == listed[1:]
    assert list(table_read[::-1]) == listed[::-1]
    assert list(pickle.loads(pickle.dumps(table_read))) == listed
    with pytest.raises(IndexError):
        _ = table_read[len(table_read)]


def test_other_styles_and_their_examples(stored):
    item = orrery.load(stored, "plan_generation", style="two_shot")[0]
    example = fresh("plan_generation")[0]
    assert example.row["plan"][0] in item.prompt[0]["content"] + item.prompt[1]["content"]
    assert item.prompt != fresh("plan_generation")[0].prompt
    pddl = orrery.load(stored, "acp_app_gen", style="zero_shot_pddl")[0]
    assert pddl.row["question_pddl"] in pddl.prompt[1]["content"]


def test_worlds_are_loaded_without_prompts(tmp_path):
    row = samples.row(PUBLISHED["world"], id="ferry/test/000000/world")
    samples.write_shards(tmp_path, PUBLISHED["world"], "test", [row])
    (item,) = orrery.load(tmp_path, "world", root=ROOT)
    assert item.row == row
    for of_prompts in ("prompt", "gold"):
        with pytest.raises(UsageError, match="has no questions for a model"):
            getattr(item, of_prompts)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("nothing",), r"'nothing'.*tables: .*acp_app_gen"),
        (("acp_val_gen",), "has no rows in .*tables: acp_app_gen, plan_generation, text_to_pddl"),
        (("acp_app_gen", "train"), "no rows in split 'train'.*splits with rows: test"),
        (("problems",), "has no questions for a model"),
    ],
)
def test_what_is_not_there_is_named_with_what_is(stored, names, message):
    with pytest.raises(UsageError, match=message):
        orrery.load(stored, *names)


def test_a_folder_that_is_none(tmp_path):
    with pytest.raises(UsageError, match="is not a folder"):
        orrery.load(tmp_path / "none", "acp_app_gen")
    with pytest.raises(UsageError, match="has no tables"):
        orrery.load(tmp_path, "acp_app_gen")


def test_a_mistyped_folder_that_looks_like_an_id_is_told_to_be_no_folder(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ToolMissing, match=r"'outputs/datset': is not a folder.*orrery-planning\[hub\]"):
        orrery.load("outputs/datset", "acp_app_gen")


def test_a_damaged_file_is_named(stored, tmp_path):
    (tmp_path / "data" / "acp_app_gen").mkdir(parents=True)
    path = tmp_path / "data" / "acp_app_gen" / "test-00000-of-00001.parquet"
    (whole,) = shards(stored, "acp_app_gen", "test")
    path.write_bytes(whole.read_bytes()[:-100])
    with pytest.raises(OrreryError, match="truncated"):
        orrery.load(tmp_path, "acp_app_gen")


def test_a_dataset_that_the_hub_does_not_have(monkeypatch):
    hub = pytest.importorskip("huggingface_hub")

    def refuse(*_, **__):
        raise hub.errors.RepositoryNotFoundError("404: no such repository\nRequest ID", response=_Response())

    monkeypatch.setattr(hub, "snapshot_download", refuse)
    with pytest.raises(UsageError, match=r"'someone/nothing'.*no such repository"):
        orrery.load("someone/nothing", "acp_app_gen")


class _Response:
    headers: dict[str, str] = {}  # noqa: RUF012
    request = None


@pytest.mark.slow
@pytest.mark.xdist_group("tiny")
def test_gold_is_right_on_every_row_of_a_build():
    folder, seen = tiny_build() / "outputs" / "dataset", 0
    for name, table in tables().items():
        for split in {path.name.partition("-")[0] for path in shards(folder, name)} if table.scorer else ():
            for item in orrery.load(folder, name, split, root=ROOT):
                assert item.score(item.gold).value == 1.0, item.row["id"]
                assert item.prompt
                seen += 1
    assert seen > 100


def test_a_style_skips_rows_in_which_a_value_of_its_prompt_is_empty(tmp_path):
    texts = {"none": "", "sum": "", "map": "a", "rel": "b", "all": "c"}
    folder = modelled_dataset(tmp_path, "ferry", "swap", table="action_modeling", texts=texts)
    for style, skipped in (
        ("none", {}),
        ("map", {}),
        ("sum", {"texts.sum": 1}),
        ("sum_reasoned", {"texts.sum": 1}),
    ):
        loaded = orrery.load(folder, "action_modeling", style=style)
        assert loaded.skipped == skipped
        assert [item.row["domain"] for item in loaded] == ["ferry", "swap"][len(skipped) :]
        assert all(item.prompt for item in loaded)
    ferry = replace(orrery.load(folder, "action_modeling", style="all")[0], style="sum")
    with pytest.raises(
        UsageError, match=r"row 'ferry/test': has no prompt of style 'sum': texts\.sum is empty"
    ):
        _ = ferry.prompt
