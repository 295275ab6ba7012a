"""What all rows together show: shared keys, problems described twice, goals that hold, ambiguous texts."""

import random
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.checks import verdict_parts
from orrery.checks.counts import repeated_and_trivial
from orrery.checks.text_to_pddl import AMBIGUOUS
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import Note, Verdicts


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
    assert repeated_and_trivial(dataset) == []


@pytest.mark.parametrize("table", ["problems", "text_to_pddl"])
@pytest.mark.parametrize("key", ["strict_key", "loose_key"])
def test_a_key_in_two_splits_is_seen(dataset, table, key):
    row_there = first(dataset, table, "test", key)
    change(dataset, table, "train", key, lambda values: [row_there, *values[1:]])
    assert f"{key} {row_there} stands in test and in train" in repeated_and_trivial(dataset)


def test_a_problem_described_twice_in_one_mixture_is_seen(dataset):
    """Under another id and another key of its problem's row: only the texts show it."""
    change(dataset, "text_to_pddl", "test", "strict_key", lambda values: [values[0]] * len(values))
    assert any(" rows have " in fault for fault in repeated_and_trivial(dataset))


def test_a_goal_that_holds_in_test_is_seen(dataset):
    change(dataset, "text_to_pddl", "test", "goal_holds_initially", lambda values: [1, *values[1:]])
    assert "the goal holds initially in 1 rows of test" in repeated_and_trivial(dataset)


def test_few_goals_may_hold_elsewhere(dataset):
    change(dataset, "text_to_pddl", "train", "goal_holds_initially", lambda values: [1, *values[1:]])
    assert repeated_and_trivial(dataset) == []
    change(dataset, "text_to_pddl", "train", "goal_holds_initially", lambda values: [1] * len(values))
    assert any("the goal holds initially in" in fault for fault in repeated_and_trivial(dataset))


def test_texts_that_describe_several_keys_are_found(tmp_path):
    rng = random.Random(1)
    for number in range(20):
        stated = [str(rng.randrange(6)) for _ in range(rng.randint(0, 12))]
        keys = [str(rng.randrange(3)) for _ in stated]
        notes = [
            Note("determined", f"{place:02}", text, key)
            for place, (text, key) in enumerate(zip(stated, keys, strict=True))
        ]
        noise = [Note("splits", "row", "0", "another")]
        folder = tmp_path / str(number)
        verdict_parts.save(verdict_parts.part_of(folder, "a"), Verdicts(notes=[*notes[::2], *noise]))
        verdict_parts.save(verdict_parts.part_of(folder, "b"), Verdicts(notes=notes[1::2]))
        expected = [
            note.row for note in notes if len({other.text for other in notes if other.key == note.key}) > 1
        ]
        assert [row for (row,) in Notes(folder).select(AMBIGUOUS)] == expected
