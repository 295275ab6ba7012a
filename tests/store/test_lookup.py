"""Rows by number: those that reading the whole table gives, whatever the files and row groups."""

import pickle
import random

import pytest

from orrery.model import OrreryError
from orrery.problems.schemas import REJECTS
from orrery.store import lookup, shards
from orrery.store.lookup import RowSource, Span
from tests.store import samples

SCHEMA = REJECTS


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Three files of 7, 0 and 5 rows, in row groups of 2."""
    monkeypatch.setattr(shards, "ROWS_PER_GROUP", 2)
    numbers = iter(range(100))
    paths = tuple(tmp_path / f"{name}.parquet" for name in "abc")
    for path, count in zip(paths, (7, 0, 5), strict=True):
        shards.write(path, SCHEMA, [samples.row(SCHEMA, item=str(next(numbers))) for _ in range(count)])
    return paths


def test_rows_come_in_the_order_asked_for(files):
    rng = random.Random(1)
    for _ in range(30):
        numbers = [rng.randrange(12) for _ in range(rng.randint(0, 20))]
        found = RowSource(files).rows(numbers)
        assert found.column("item").to_pylist() == [str(number) for number in numbers]
        assert found.schema.names == SCHEMA.names


def test_pieces_of_a_span_are_all_rows_in_order(files):
    span = Span(RowSource(files, ("item",)), range(12))
    pieces = [pickle.loads(pickle.dumps(piece)) for piece in span.pieces(5)]
    assert [each.rows().column("item").to_pylist() for each in pieces] == [
        [str(number) for number in numbers] for numbers in (range(5), range(5, 10), range(10, 12))
    ]
    assert list(map(str, pieces)) == ["problems 0 to 4", "problems 5 to 9", "problems 10 to 11"]
    assert [row["item"] for each in pieces[1].pieces(2) for row in each.rows().to_pylist()] == list("56789")


def test_only_the_columns_wanted_are_read(files):
    found = RowSource(files, ("detail", "item")).rows([11, 0])
    assert sorted(found.column_names) == ["detail", "item"]
    assert found.column("item").to_pylist() == ["11", "0"]


def test_no_files_and_no_rows_are_empty_tables(files):
    assert RowSource(()).rows([]).to_pylist() == []
    assert RowSource(files).rows([]).to_pylist() == []


@pytest.mark.parametrize("number", [-1, 12])
def test_a_row_that_there_is_not_is_an_error(files, number):
    with pytest.raises(IndexError, match="of 12"):
        RowSource(files).rows([3, number])


def test_a_file_written_anew_is_read_anew(files):
    assert RowSource(files).rows([0]).column("item").to_pylist() == ["0"]
    shards.write(files[0], SCHEMA, [samples.row(SCHEMA, item="new, and longer")])
    assert RowSource(files).rows([0, 1]).column("item").to_pylist() == ["new, and longer", "7"]


def test_missing_and_damaged_files_are_named(files):
    files[2].write_bytes(files[2].read_bytes()[:-9])
    with pytest.raises(OrreryError, match=r"c\.parquet: cannot be read: truncated"):
        RowSource(files).rows([0])
    files[2].unlink()
    with pytest.raises(OrreryError, match=r"c\.parquet: no such file"):
        RowSource(files).rows([0])


def test_row_groups_are_held_up_to_a_number_of_bytes(files, monkeypatch):
    kept = lookup._GroupCache()
    monkeypatch.setattr(lookup, "_groups", kept)
    one = RowSource(files).rows([0, 1]).nbytes
    monkeypatch.setattr(lookup, "KEPT_BYTES", 3 * one)
    for number in [*range(12), 0, 3, 11, 1]:
        found = RowSource(files).rows([number])
        assert found.column("item").to_pylist() == [str(number)]
        assert sum(table.nbytes for table in kept._tables.values()) == kept._bytes <= 3 * one
    assert len(kept._tables) > 1


def test_what_is_held_is_not_read_again(files, monkeypatch):
    RowSource(files).rows([0, 2, 4])
    monkeypatch.setattr(lookup, "opened", None)
    assert RowSource(files).rows([3]).column("item").to_pylist() == ["3"]
