"""The model knows what a dataset asks in every style, or the first items of streams."""

from __future__ import annotations

import pytest

from orrery.demo_model.known_items import (
    count_of_usual,
    fresh_items,
    stored_items,
    tables_of_streams,
    tables_to_ask,
)
from orrery.library.items import styles
from orrery.model import UsageError
from tests.every_domain import ROOT
from tests.library.samples import FEW, dataset, fresh

NAMES = ("acp_app_gen", "text_to_pddl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return dataset(tmp_path_factory.mktemp("dataset"), *NAMES)


def test_stored_items_come_in_every_style_the_usual_one_first(folder):
    names = tables_to_ask(folder, "all", "test")
    assert names == sorted(NAMES)
    items_read = list(stored_items(folder, ROOT, names, "test"))
    assert {(item.table, item.style) for item in items_read} == {
        (n, s) for n in NAMES for s in styles(ROOT, n)
    }
    first = count_of_usual(folder, ROOT, names, "test")
    assert first == FEW * len(NAMES)
    assert [item.style for item in items_read[:first]] == ["zero_shot"] * first


def test_styles_whose_examples_the_dataset_lacks_are_left_out(folder, tmp_path):
    (tmp_path / "data").symlink_to(folder / "data")
    found = {item.style for item in stored_items(tmp_path, ROOT, ["acp_app_gen"], "test")}
    assert found == {style for style in styles(ROOT, "acp_app_gen") if style.startswith("zero")}


def test_tables_that_are_not_there_are_refused(folder):
    with pytest.raises(UsageError, match=r"'acp_land_gen': has no questions.*acp_app_gen, text_to_pddl"):
        tables_to_ask(folder, "acp_*_gen,acp_land_gen", "test")
    with pytest.raises(UsageError, match="has no rows in split 'train'"):
        tables_to_ask(folder, "all", "train")


@pytest.mark.slow
def test_fresh_items_are_those_of_the_stream():
    items_read = list(fresh_items(["acp_app_gen"], 5, FEW, ROOT))
    assert items_read[:FEW] == fresh("acp_app_gen")
    assert len(items_read) == FEW * len(styles(ROOT, "acp_app_gen"))


def test_tables_are_named_or_fit_a_pattern(folder):
    assert tables_to_ask(folder, "acp_*", "test") == ["acp_app_gen"]
    assert tables_of_streams("plan_optimal, acp_app_*") == [
        "acp_app_bool", "acp_app_gen", "acp_app_mcq", "plan_optimal",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="has no fresh items"):
        tables_of_streams("acp_app_gen,action_modeling")
