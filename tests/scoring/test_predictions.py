"""Files of predictions: both forms alike, and one clear error for each thing that can be wrong."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.model import OrreryError, UsageError
from orrery.scoring.predictions import Prediction, read_predictions, without_repeats

ROWS = [
    {"id": "a/1", "output": "(define", "model": "m"},
    {"id": "a/2", "output": None, "model": "m"},
    {"id": 7, "output": "é", "model": "m"},
]


def jsonl(path, lines):
    path.write_bytes(
        b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    )
    return path


def test_both_forms_read_alike(tmp_path):
    as_json = jsonl(tmp_path / "p.jsonl", [*ROWS, b"", b"  "])
    pq.write_table(pa.Table.from_pylist([r | {"id": str(r["id"])} for r in ROWS]), tmp_path / "p.parquet")
    wanted = [Prediction(1, "a/1", "", "(define"), Prediction(2, "a/2", "", ""), Prediction(3, "7", "", "é")]
    assert list(read_predictions(as_json)) == wanted
    assert list(read_predictions(tmp_path / "p.parquet")) == wanted
    # What a file is does not depend on its name.
    (tmp_path / "p.parquet").rename(tmp_path / "p.jsonl")
    assert list(read_predictions(tmp_path / "p.jsonl")) == wanted


def test_a_byte_order_mark_and_empty_lines_do_no_harm(tmp_path):
    path = jsonl(tmp_path / "p.jsonl", [b"\xef\xbb\xbf" + json.dumps(ROWS[0]).encode(), b"\r", ROWS[1]])
    assert [prediction.line for prediction in read_predictions(path)] == [1, 3]


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        ([], "", "holds no predictions"),
        ([b"", b" "], "", "holds no predictions"),
        ([ROWS[0], b'{"id": "caf\xe9"}'], ":2", "not UTF-8 at byte 12"),
        ([b"\x00\x01\x02garbage"], ":1", "is not JSON"),
        ([ROWS[0], b"id,output"], ":2", "is not JSON"),
        ([ROWS[0], b'{"id": "a", "output": "x", "output": "y"}'], ":2", "the key 'output' occurs twice"),
        ([ROWS[0], {"id": "b", "output": "x", "reply": "y"}], ":2", "has both 'output' and 'reply'"),
        ([b"[" * 100_000], ":1", "is not JSON"),
        ([["a", "b"]], ":1", "is list"),
        ([ROWS[0], {"id": "b"}], ":2", "has no output"),
        ([{"text": "b"}], ":1", "has no id and no output"),
        ([{"id": "b", "output": 3}], ":1: output", "is int"),
        ([{"id": "b", "output": ["x"]}], ":1: output", "is list"),
        ([{"id": None, "output": "x"}], ":1: id", "neither"),
        ([{"id": 1.5, "output": "x"}], ":1: id", "neither"),
        ([{"id": True, "output": "x"}], ":1: id", "neither"),
        ([{"id": "", "output": "x"}], ":1: id", "neither"),
        ([{"id": "a\ud800", "output": "x"}], ":1: id", "half a character"),
        ([{"id": "b", "output": "x", "sample": 0.5}], ":1: sample", "neither"),
    ],
)
def test_bad_lines(tmp_path, lines, place, words):
    path = jsonl(tmp_path / "p.jsonl", lines)
    with pytest.raises(OrreryError, match=words) as caught:
        list(read_predictions(path))
    assert caught.value.where == f"{path}{place}"


def test_of_two_text_columns_a_row_fills_one(tmp_path):
    path = tmp_path / "p.parquet"
    pq.write_table(pa.table({"id": ["a", "b"], "output": ["x", None], "reply": [None, "y"]}), path)
    assert [prediction.output for prediction in read_predictions(path)] == ["x", "y"]
    pq.write_table(pa.table({"id": ["a"], "output": ["x"], "reply": ["y"]}), path)
    with pytest.raises(OrreryError, match="has both 'output' and 'reply'"):
        list(read_predictions(path))


def test_bad_parquet(tmp_path):
    path = tmp_path / "p.parquet"
    pq.write_table(pa.table({"id": ["a"], "answer": ["x"]}), path)
    with pytest.raises(OrreryError, match="has no column output"):
        list(read_predictions(path))
    pq.write_table(pa.table({"id": [0.5], "output": ["x"]}), path)
    with pytest.raises(OrreryError, match="neither text nor a whole number"):
        list(read_predictions(path))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(OrreryError, match="cannot be read"):
        list(read_predictions(path))


def test_no_file(tmp_path):
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(UsageError, match="no such file"):
            read_predictions(path)


def test_repeats_are_named_with_both_lines(tmp_path):
    path = jsonl(tmp_path / "p.jsonl", [ROWS[0], ROWS[1], ROWS[0]])
    with pytest.raises(OrreryError, match="'a/1' is also on line 1") as caught:
        list(without_repeats(path, read_predictions(path)))
    assert caught.value.where == f"{path}:3"
    samples = [ROWS[0] | {"sample": number} for number in (0, 1, 1)]
    path = jsonl(tmp_path / "s.jsonl", samples)
    with pytest.raises(OrreryError, match="'a/1', sample 1, is also on line 2"):
        list(without_repeats(path, read_predictions(path)))
    path = jsonl(tmp_path / "s.jsonl", samples[:2])
    assert [prediction.sample for prediction in without_repeats(path, read_predictions(path))] == ["0", "1"]
