"""The rows that `orrery build --dry-run` expects: those of the last build, or limits of the parameters."""

import shutil

import pytest

from orrery.config import load
from orrery.dataset.contents import read_manifest
from orrery.stages.expected_rows import expected_rows, row_limits
from tests.checkout import spoil, tiny_build

pytestmark = pytest.mark.slow
KINDS = {
    "problems": "problems",
    "text_to_pddl": "texts",
    "acp": "questions",
    "plan": "plan tasks",
    "world": "worlds",
}


@pytest.fixture(scope="module")
def root():
    return tiny_build(("blocksworld", "ferry"))


def test_no_kind_of_table_has_more_rows_than_its_limit_and_together_a_third_of_them(root):
    counts = dict.fromkeys(KINDS.values(), 0)
    for table, by_split in read_manifest(root / "outputs" / "dataset")["rows"].items():
        kind = KINDS.get(table) or KINDS.get(table.partition("_")[0])
        if kind:
            counts[kind] += sum(by_split.values())
    limits = row_limits(load(root))
    assert {kind for kind, count in counts.items() if count > limits[kind]} == set()
    assert sum(counts.values()) > sum(limits.values()) / 3


def test_rows_are_those_of_the_last_build_only_while_the_parameters_are_the_same(root, tmp_path):
    copy = shutil.copytree(root, tmp_path / "copy")
    rows = sum(sum(one.values()) for one in read_manifest(root / "outputs" / "dataset")["rows"].values())
    assert f"about {rows:,}, as in the last build" in expected_rows(load(copy))
    parameters = copy / "params.yaml"
    spoil(parameters, "ask: {questions: 3}", "ask: {questions: 5}")
    assert f"at most {sum(row_limits(load(copy)).values()):,} by params.yaml" in expected_rows(load(copy))
    shutil.rmtree(copy / "outputs" / "dataset")
    assert "last build" not in expected_rows(load(copy))
