"""Yes and no are equally frequent, and no place is right too often."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.checks.counts import frequent_answers, frequent_positions, unequal


def answers(path, *numbers):
    """A file of test with so many answers yes and no of each domain."""
    rows = [
        (name, answer)
        for name, *pair in numbers
        for answer, n in zip(("yes", "no"), pair, strict=True)
        for _ in range(n)
    ]
    columns = {"domain": [name for name, _ in rows], "answer": [answer for _, answer in rows]}
    schema = pa.schema({"domain": pa.string(), "answer": pa.string()})
    pq.write_table(pa.table(columns, schema), path / "test-00000-of-00001.parquet")
    return [path / "test-00000-of-00001.parquet"]


@pytest.mark.parametrize(("yes", "no"), [(0, 0), (1, 0), (5, 5), (5, 6), (6, 5)])
def test_equal_numbers_pass(tmp_path, yes, no):
    assert unequal(answers(tmp_path, ("ferry", yes, no))) == []


@pytest.mark.parametrize(("yes", "no"), [(2, 0), (0, 2), (5, 7), (100, 90)])
def test_an_answer_that_is_more_frequent_is_seen(tmp_path, yes, no):
    [fault] = unequal(answers(tmp_path, ("ferry", yes, no)))
    assert "ferry" in fault
    assert f"{yes} yes, {no} no" in fault


def test_each_domain_counts_for_itself(tmp_path):
    ferry, swap = unequal(answers(tmp_path, ("swap", 9, 5), ("ferry", 5, 9)))
    assert "ferry" in ferry
    assert "swap" in swap


def test_a_place_that_is_right_too_often_is_seen():
    assert frequent_positions({"A": 25, "B": 25, "C": 25, "D": 25}) == []
    assert frequent_positions({"A": 3, "B": 1}) == []  # four rows say nothing
    [fault] = frequent_positions({"A": 400, "B": 200, "C": 200, "D": 200})
    assert fault.startswith("A ")
    assert "400 of 1000" in fault


def test_the_files_of_every_split_are_counted(tmp_path):
    folder = tmp_path / "data" / "acp_app_bool"
    folder.mkdir(parents=True)
    for split, number in (("train", 4), ("test", 0)):
        table = pa.table(
            {"domain": ["ferry"] * 6, "answer": ["yes"] * (3 + number // 2) + ["no"] * (3 - number // 2)}
        )
        pq.write_table(table, folder / f"{split}-00000-of-00001.parquet")
    [fault] = frequent_answers(tmp_path)
    assert all(part in fault for part in ("acp_app_bool", "train", "ferry", "5 yes, 1 no"))
