"""A run is written whole or not at all, read back as it was, and refused with a reason."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.evaluation.results.runs import read_run, run_names, scores_schema, write_run
from orrery.model import OrreryError, UsageError
from orrery.store.kinds import description
from tests.evaluation.results.samples import ABOUT, row, rows


def test_every_column_is_described():
    assert all(description(field) for field in scores_schema())


def test_a_run_comes_back_sorted(tmp_path):
    results = [row("b"), row("c", verdict="wrong"), row("a", verdict="failed"), row("z", table="a")]
    path = write_run(tmp_path / "first", results, {**ABOUT, "arguments": {"limit": 3}})
    run = read_run(tmp_path / "first")
    assert path.name == "scores.parquet"
    assert run.name == "first"
    stored = run.scores.to_pylist()
    assert [(r["table"], r["id"]) for r in stored] == sorted((r["table"], r["id"]) for r in results)
    filled = {name: value for name, value in stored[0].items() if name in results[3] or value is not None}
    assert filled == {**results[3], "run": "first"}
    assert run.about == {**ABOUT, "arguments": {"limit": 3}}
    record = json.loads((tmp_path / "first" / "run.json").read_text())
    assert record == {**run.about, "run": "first", "replies": 4}


def test_the_same_rows_give_the_same_bytes(tmp_path):
    results = rows(["right", "wrong", "unparsed"] * 50)
    for name, ordered in (("a/run", results), ("b/run", results[::-1])):
        write_run(tmp_path / name, ordered, ABOUT)
    first, second = (tmp_path / name / "run" / "scores.parquet" for name in "ab")
    assert first.read_bytes() == second.read_bytes()


def test_half_a_character_does_not_stop_a_run(tmp_path):
    write_run(tmp_path / "run", [row(reply="odd \ud800 text", detail="größer")], ABOUT)
    [stored] = read_run(tmp_path / "run").scores.to_pylist()
    assert (stored["reply"], stored["detail"]) == ("odd \\ud800 text", "größer")


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([row(turn="1")], "column turn: is '1', which is not an integer"),
        ([{**row(), "more": 1}], "unknown column more"),
    ],
)
def test_wrong_rows_are_refused_and_leave_what_was_there(tmp_path, results, message):
    write_run(tmp_path / "run", [row("before")], ABOUT)
    with pytest.raises(OrreryError, match=message):
        write_run(tmp_path / "run", results, ABOUT)
    assert read_run(tmp_path / "run").scores["id"].to_pylist() == ["before"]
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["run.json", "scores.parquet"]


def test_what_is_needed_of_a_run_is_named(tmp_path):
    with pytest.raises(OrreryError, match="'data' is None, not of str"):
        write_run(tmp_path / "run", [], {"model": "m", "finished": True})
    with pytest.raises(OrreryError, match="'arguments' is None, not a mapping"):
        write_run(tmp_path / "run", [], {**ABOUT, "arguments": None})


def test_damaged_and_foreign_files_give_one_clear_error(tmp_path):
    path = write_run(tmp_path / "run", rows(["right"] * 2000), ABOUT)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(OrreryError, match=r"truncated at byte .* \(run `orrery score RUN`\)"):
        read_run(tmp_path / "run")
    path.write_bytes(b"not parquet")
    with pytest.raises(OrreryError, match="not a Parquet file"):
        read_run(tmp_path / "run")
    pq.write_table(pa.table({"id": ["a"]}), path)
    with pytest.raises(
        OrreryError, match=r"columns are not those of table scores: run, .* and .* more"
    ) as older:
        read_run(tmp_path / "run")
    assert len(str(older.value)) < 400
    pq.write_table(scores_schema().remove_metadata().empty_table(), path)
    with pytest.raises(OrreryError, match="does not name its run"):
        read_run(tmp_path / "run")


def test_a_run_that_is_not_there_lists_the_others(tmp_path):
    with pytest.raises(UsageError, match="none; `orrery eval` makes one"):
        read_run(tmp_path / "run")
    for name in ("b", "a"):
        write_run(tmp_path / name, [], ABOUT)
    assert run_names(tmp_path) == ["a", "b"]
    with pytest.raises(UsageError, match="runs: a, b"):
        read_run(tmp_path / "run")


@pytest.mark.slow
def test_a_run_on_disk_has_the_same_scores(tmp_path):
    path = write_run(tmp_path / "run", [row("a"), row("b")], ABOUT)
    run = read_run(tmp_path / "run", on_disk=True)
    assert run.scores.to_table().equals(read_run(tmp_path / "run").scores)
    content, refused = path.read_bytes(), 0
    for place in range(4, len(content), 487):
        path.write_bytes(content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :])
        in_memory, on_disk = (is_refused(tmp_path / "run", on_disk) for on_disk in (False, True))
        assert on_disk == in_memory
        refused += on_disk
    assert refused


def is_refused(folder, on_disk):
    try:
        read_run(folder, on_disk=on_disk)
    except OrreryError:
        return True
    return False
