"""Yes and no are equally frequent, and no place is right too often."""

from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.checks.balance import check, one_place, unequal


def answers(yes, no, domain="ferry"):
    return [(domain, "yes")] * yes + [(domain, "no")] * no


@pytest.mark.parametrize(("yes", "no"), [(0, 0), (1, 0), (5, 5), (5, 6), (6, 5)])
def test_equal_numbers_pass(yes, no):
    assert unequal(answers(yes, no)) == []


@pytest.mark.parametrize(("yes", "no"), [(2, 0), (0, 2), (5, 7), (100, 90)])
def test_an_answer_that_is_more_frequent_is_seen(yes, no):
    assert unequal(answers(yes, no)) == [f"ferry: {yes} yes, {no} no"]


def test_each_domain_counts_for_itself():
    assert unequal(answers(9, 5, "swap") + answers(5, 9, "ferry")) == [
        "ferry: 5 yes, 9 no",
        "swap: 9 yes, 5 no",
    ]


def test_a_place_that_is_right_too_often_is_seen():
    assert one_place(Counter(A=25, B=25, C=25, D=25)) == []
    assert one_place(Counter(A=3, B=1)) == []  # four rows say nothing
    assert one_place(Counter(A=400, B=200, C=200, D=200)) == ["A is right in 400 of 1000 rows"]


def test_the_files_of_every_split_are_counted(tmp_path):
    folder = tmp_path / "data" / "acp_app_bool"
    folder.mkdir(parents=True)
    for split, number in (("train", 4), ("test", 0)):
        table = pa.table(
            {"domain": ["ferry"] * 6, "answer": ["yes"] * (3 + number // 2) + ["no"] * (3 - number // 2)}
        )
        pq.write_table(table, folder / f"{split}-00000-of-00001.parquet")
    assert check(tmp_path) == ["acp_app_bool: train: ferry: 5 yes, 1 no"]
