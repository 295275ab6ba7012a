"""What all rows together show: keys, problems described twice, goals that hold, uneven answers."""

import random
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.checks import verdict_parts
from orrery.checks.counts import CHOICE, FREQUENT, FREQUENT_ANSWERS, REPEATED_AND_TRIVIAL, counted
from orrery.checks.text_to_pddl import AMBIGUOUS
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import Note, Verdicts
from tests.effort import by_day, slow


@pytest.fixture
def dataset(build, tmp_path):
    """A copy of two tables of the dataset, to be spoilt."""
    for table in ("problems", "text_to_pddl"):
        shutil.copytree(build / "outputs" / "dataset" / "data" / table, tmp_path / "data" / table)
    return tmp_path


def change(dataset, table, split, name, values_of):
    """The shard of a split with other values in one column."""
    path = dataset / "data" / table / f"{split}-00000-of-00001.parquet"
    content = pq.read_table(path)
    place = content.schema.get_field_index(name)
    values = pa.array(values_of(content.column(name).to_pylist()), content.schema.field(name).type)
    pq.write_table(content.set_column(place, content.schema.field(name), values), path)


def first(dataset, table, split, name):
    return pq.read_table(dataset / "data" / table / f"{split}-00000-of-00001.parquet").column(name)[0].as_py()


def faults(dataset):
    return counted(dataset, REPEATED_AND_TRIVIAL)


def test_a_dataset_as_it_was_made_passes(build):
    assert faults(build / "outputs" / "dataset") == []


@by_day(2)
@pytest.mark.parametrize("table", ["problems", "text_to_pddl"])
@pytest.mark.parametrize("key", ["strict_key", "loose_key"])
def test_a_key_in_two_splits_is_seen(dataset, table, key):
    row_there = first(dataset, table, "test", key)
    change(dataset, table, "train", key, lambda values: [row_there, *values[1:]])
    assert f"{table}: {key} {row_there} stands in test and in train" in faults(dataset)


@slow
def test_a_problem_described_twice_in_one_mixture_is_seen(dataset):
    """Under another id and another key of its problem's row: only the texts show it."""
    change(dataset, "text_to_pddl", "test", "strict_key", lambda values: [values[0]] * len(values))
    assert any(" rows have " in fault for fault in faults(dataset))


def test_a_goal_that_holds_in_test_is_seen(dataset):
    change(dataset, "text_to_pddl", "test", "goal_holds_initially", lambda values: [1, *values[1:]])
    assert "text_to_pddl: the goal holds initially in 1 rows of test" in faults(dataset)


@slow
def test_few_goals_may_hold_elsewhere(dataset):
    change(dataset, "text_to_pddl", "train", "goal_holds_initially", lambda values: [1, *values[1:]])
    assert faults(dataset) == []
    change(dataset, "text_to_pddl", "train", "goal_holds_initially", lambda values: [1] * len(values))
    assert any("the goal holds initially in" in fault for fault in faults(dataset))


@slow
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
        verdict_parts.part_of(folder, "a").save(
            verdict_parts.as_tables(Verdicts(notes=[*notes[::2], *noise]))
        )
        verdict_parts.part_of(folder, "b").save(verdict_parts.as_tables(Verdicts(notes=notes[1::2])))
        expected = [
            note.row for note in notes if len({other.text for other in notes if other.key == note.key}) > 1
        ]
        assert [row for (row,) in Notes(folder).select(AMBIGUOUS)] == expected


def answers(folder, table, split, *numbers):
    """A file with so many of each answer of each domain."""
    rows = [
        (name, answer) for name, by_answer in numbers for answer, n in by_answer.items() for _ in range(n)
    ]
    columns = {"domain": [name for name, _ in rows], "answer": [answer for _, answer in rows]}
    schema = pa.schema({"domain": pa.string(), "answer": pa.string()})
    (folder / "data" / table).mkdir(parents=True, exist_ok=True)
    path = folder / "data" / table / f"{split}-00000-of-00001.parquet"
    pq.write_table(pa.table(columns, schema), path)


@pytest.mark.parametrize(
    ("yes", "no", "passes"),
    [(0, 0, True), (1, 0, True), (5, 6, True), (6, 5, True), (2, 0, False), (5, 7, False), (100, 90, False)],
)
def test_yes_and_no_are_equally_frequent_in_each_domain_and_split(tmp_path, yes, no, passes):
    answers(tmp_path, "acp_app_bool", "train", ("ferry", {"yes": yes, "no": no}), ("swap", {"no": 1}))
    answers(tmp_path, "acp_app_bool", "test", ("ferry", {"yes": no, "no": yes}))
    messages = [f"acp_app_bool: {split}: ferry: {first} yes, {second} no"
                for split, first, second in (("test", no, yes), ("train", yes, no))]  # fmt: skip
    assert counted(tmp_path, FREQUENT_ANSWERS) == ([] if passes else messages)


@pytest.mark.parametrize(
    ("numbers", "frequent"),
    [
        ({"A": 25, "B": 25, "C": 25, "D": 25}, []),
        ({"A": 3, "B": 1}, []),
        ({"A": 400, "B": 200, "C": 400}, ["A", "C"]),
    ],
)
def test_a_position_that_is_right_too_often_is_seen(tmp_path, numbers, frequent):
    """Four rows say nothing."""
    answers(tmp_path, "acp_app_mcq", "test", ("ferry", numbers))
    assert counted(tmp_path, [(CHOICE, FREQUENT)]) == [
        f"acp_app_mcq: {a} is right in 400 of 1000 rows" for a in frequent
    ]
