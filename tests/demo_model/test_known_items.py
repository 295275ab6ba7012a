"""The model knows what a dataset asks in every style, or the first items of streams."""

from __future__ import annotations

import pytest

from orrery.demo_model.replies import count_of_usual, known_items
from orrery.library.choice import RowSelection, chosen_tables
from orrery.library.items import styles
from tests.every_domain import ROOT
from tests.library.samples import FEW, dataset, fresh

NAMES = ("acp_app_gen", "text_to_pddl")


@pytest.fixture(scope="module")
def choice(tmp_path_factory):
    return RowSelection(str(dataset(tmp_path_factory.mktemp("dataset"), *NAMES)))


def test_stored_items_come_in_every_style_the_usual_one_first(choice):
    names = chosen_tables("all", choice)
    items = list(known_items(choice, names, ROOT))
    assert {(item.table, item.style) for item in items} == {(n, s) for n in NAMES for s in styles(ROOT, n)}
    first = count_of_usual(choice, names, ROOT)
    assert first == FEW * len(NAMES)
    assert [item.style for item in items[:first]] == ["zero_shot"] * first


def test_styles_whose_examples_the_dataset_lacks_are_left_out(choice, tmp_path):
    (tmp_path / "data").symlink_to(f"{choice.dataset}/data")
    items = known_items(RowSelection(str(tmp_path)), ["acp_app_gen"], ROOT)
    without_examples = {style for style in styles(ROOT, "acp_app_gen") if not style.startswith("two_shot")}
    assert {item.style for item in items} == without_examples


@pytest.mark.slow
def test_fresh_items_are_those_of_the_stream():
    items = list(known_items(RowSelection(seed=5, limit=FEW), ["acp_app_gen"], ROOT))
    assert items[:FEW] == fresh("acp_app_gen")
    assert len(items) == FEW * len(styles(ROOT, "acp_app_gen"))
