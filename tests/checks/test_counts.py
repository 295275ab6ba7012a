"""What all rows together show: shared keys, problems described twice, goals that hold, ambiguous texts."""

import random
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.checks.counts import ambiguous, check


@pytest.fixture
def dataset(build, tmp_path):
    """A copy of the dataset to be spoilt."""
    return shutil.copytree(build / "outputs" / "dataset", tmp_path / "dataset")


def change(dataset, table, split, name, values_of):
    """The shard of a split with other values in one column."""
    path = dataset / "data" / table / f"{split}-00000-of-00001.parquet"
    content = pq.read_table(path)
    place = content.schema.get_field_index(name)
    values = pa.array(values_of(content.column(name).to_pylist()), content.schema.field(name).type)
    pq.write_table(content.set_column(place, content.schema.field(name), values), path)


def first(dataset, table, split, name):
    return pq.read_table(dataset / "data" / table / f"{split}-00000-of-00001.parquet").column(name)[0].as_py()


def test_a_dataset_as_it_was_made_passes(dataset):
    assert check(dataset) == []


@pytest.mark.parametrize("table", ["problems", "text_to_pddl"])
@pytest.mark.parametrize("key", ["strict_key", "loose_key"])
def test_a_key_in_two_splits_is_seen(dataset, table, key):
    there = first(dataset, table, "test", key)
    change(dataset, table, "train", key, lambda values: [there, *values[1:]])
    assert f"{key} {there} stands in test and in train" in check(dataset)


def test_a_problem_described_twice_in_one_mixture_is_seen(dataset):
    """Under another id and another key of its problem's row: only the texts show it."""
    change(dataset, "text_to_pddl", "test", "strict_key", lambda values: [values[0]] * len(values))
    assert any(" rows have " in fault for fault in check(dataset))


def test_a_goal_that_holds_in_test_is_seen(dataset):
    change(dataset, "text_to_pddl", "test", "goal_holds_initially", lambda values: [1, *values[1:]])
    assert "the goal holds initially in 1 rows of test" in check(dataset)


def test_few_goals_may_hold_elsewhere(dataset):
    change(dataset, "text_to_pddl", "train", "goal_holds_initially", lambda values: [1, *values[1:]])
    assert check(dataset) == []
    change(dataset, "text_to_pddl", "train", "goal_holds_initially", lambda values: [1] * len(values))
    assert any("the goal holds initially in" in fault for fault in check(dataset))


def test_texts_that_describe_several_keys_are_found():
    rng = random.Random(1)
    for _ in range(200):
        stated = [rng.randrange(6) for _ in range(rng.randint(0, 12))]
        keys = [rng.randrange(3) for _ in stated]
        wanted = [
            i
            for i, text in enumerate(stated)
            if len({k for t, k in zip(stated, keys, strict=True) if t == text}) > 1
        ]
        found = ambiguous(np.array(stated, np.uint64), np.array(keys, np.uint64)).tolist()
        assert set(found) <= set(wanted)
        assert {stated[i] for i in found} == {stated[i] for i in wanted}
