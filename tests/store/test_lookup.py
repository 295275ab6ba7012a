"""Rows by number: those that reading the whole table gives, whatever the row groups."""

import pickle
import random

import pytest

from orrery.model import OrreryError
from orrery.problems.schemas import REJECTS
from orrery.store import lookup, shards
from orrery.store.lookup import RowSource, Span
from tests.store import samples

SCHEMA = REJECTS


def items(table):
    return table.column("item").to_pylist()


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A file of 12 rows, in row groups of 2."""
    monkeypatch.setattr(shards, "ROWS_PER_GROUP", 2)
    path = tmp_path / "a.parquet"
    shards.write(path, SCHEMA, [samples.row(SCHEMA, item=str(number)) for number in range(12)])
    return path


@pytest.mark.by_day(1)
@pytest.mark.parametrize("kept", [1, 3, 16])
def test_rows_come_in_the_order_asked_for_however_many_groups_are_held(path, monkeypatch, kept):
    cache, size = lookup._GroupCache(), RowSource(path).rows([0, 1]).nbytes
    monkeypatch.setattr(lookup, "_groups", cache)
    monkeypatch.setattr(lookup, "KEPT_BYTES", kept * (size + 2))  # the last numbers have two digits
    rng = random.Random(1)
    for _ in range(30):
        numbers = [rng.randrange(12) for _ in range(rng.randint(0, 20))]
        rows = RowSource(path).rows(numbers)
        assert items(rows) == [str(number) for number in numbers]
        assert rows.schema.names == SCHEMA.names
        assert len(cache._tables) <= kept


def test_pieces_of_a_span_are_all_rows_in_order(path):
    span = Span(RowSource(path, ("item",)), range(12))
    pieces = [pickle.loads(pickle.dumps(piece)) for piece in span.pieces(5)]
    assert list(map(str, pieces)) == ["problems 0 to 4", "problems 5 to 9", "problems 10 to 11"]
    assert [item for piece in pieces for item in items(piece.rows())] == list(map(str, range(12)))
    assert [item for piece in pieces[1].pieces(2) for item in items(piece.rows())] == list("56789")


def test_only_the_columns_wanted_are_read(path):
    rows = RowSource(path, ("detail", "item")).rows([11, 0])
    assert (sorted(rows.column_names), items(rows)) == (["detail", "item"], ["11", "0"])


@pytest.mark.parametrize("number", [-1, 12])
def test_a_row_that_there_is_not_is_an_error(path, number):
    with pytest.raises(IndexError, match="of 12"):
        RowSource(path).rows([3, number])


def test_a_file_written_anew_is_read_anew(path):
    assert items(RowSource(path).rows([0])) == ["0"]
    shards.write(path, SCHEMA, [samples.row(SCHEMA, item="new, and longer")])
    assert items(RowSource(path).rows([0])) == ["new, and longer"]


def test_missing_and_damaged_files_are_named(path):
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(OrreryError, match=r"a\.parquet: cannot be read: truncated"):
        RowSource(path).rows([0])
    path.unlink()
    with pytest.raises(OrreryError, match=r"a\.parquet: no such file"):
        RowSource(path).rows([0])


def test_what_is_held_is_not_read_again(path, monkeypatch):
    RowSource(path).rows([0, 2, 4])
    monkeypatch.setattr(lookup, "opened", None)
    assert items(RowSource(path).rows([3])) == ["3"]
