import os
import signal
import subprocess
import sys
import textwrap
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.dataset import contents
from orrery.model import OrreryError
from orrery.problems.schemas import PROBLEMS, REJECTS, SOLUTIONS
from orrery.store import files, kinds, shards
from tests.effort import by_day, slow
from tests.store import samples

SCHEMA = SOLUTIONS


@pytest.fixture
def path(tmp_path):
    return tmp_path / "solutions.parquet"


def test_rows_come_back_in_order_and_bytes_do_not_change(path, tmp_path):
    rows = [samples.row(SCHEMA, problem_id=f"ferry/test/{n:06}", num_states=n * 10**6) for n in range(2500)]
    assert shards.write(path, SCHEMA, iter(rows)) == 2500
    first = path.read_bytes()
    assert list(shards.read_rows(path, SCHEMA)) == rows == shards.read(path, SCHEMA).to_pylist()
    other = tmp_path / "elsewhere" / "x.parquet"
    shards.write(other, SCHEMA, rows)
    assert other.read_bytes() == first
    assert pq.read_metadata(path).num_row_groups == 3


def test_file_without_rows_keeps_its_columns(path):
    assert shards.write(path, SCHEMA, []) == 0
    assert list(shards.read_rows(path, SCHEMA)) == []
    assert shards.read(path).schema.equals(SCHEMA, check_metadata=True)


def test_file_is_compressed_indexed_and_checksummed(path):
    shards.write(path, SCHEMA, [samples.row(SCHEMA)])
    chunk = pq.read_metadata(path).row_group(0).column(0)
    assert chunk.compression == "ZSTD"
    assert chunk.has_offset_index
    assert chunk.has_column_index


def test_text_that_is_not_utf_8_is_one_error(path):
    text = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    pq.write_table(pa.table({"text": text}), path)
    with pytest.raises(OrreryError, match=r"cannot be read: damaged .*can't decode byte 0xff"):
        list(shards.read_rows(path))


@by_day(2)
@pytest.mark.parametrize("share", [0, 0.001, 0.3, 0.999])
def test_truncated_file_names_file_place_and_mend(path, share):
    shards.write(path, SCHEMA, [samples.row(SCHEMA, problem_id=f"{n}") for n in range(3000)])
    kept = int(path.stat().st_size * share)
    os.truncate(path, kept)
    with pytest.raises(OrreryError) as error:
        shards.read(path, SCHEMA)
    place = f"truncated at byte {kept}" if kept >= 4 else "not a Parquet file"
    assert str(error.value).startswith(f"{path}: cannot be read: {place}")
    assert error.value.mend == "delete it and run `dvc repro`"


def test_one_changed_byte_anywhere_is_never_read_as_other_rows(path):
    rows = [samples.row(SCHEMA, problem_id=f"{n}") for n in range(50)]
    shards.write(path, SCHEMA, rows)
    whole = path.read_bytes()
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    places = set()
    for place in range(4, footer, 37):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            assert list(shards.read_rows(path, SCHEMA)) == rows
        except OrreryError as error:
            places.add(error.where)
    assert places == {str(path)}


def test_missing_file_and_other_columns_are_refused(path):
    with pytest.raises(OrreryError, match=r"solutions\.parquet: no such file .*dvc repro"):
        shards.read(path, SCHEMA)
    shards.write(path, REJECTS, [])
    with pytest.raises(OrreryError, match="not those of table solutions: problem_id, "):
        next(shards.read_rows(path, SCHEMA))


def test_failure_while_writing_leaves_the_old_file_and_nothing_else(path):
    shards.write(path, SCHEMA, [samples.row(SCHEMA)])
    before = path.read_bytes()

    def rows():
        yield from (samples.row(SCHEMA) for _ in range(1500))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shards.write(path, SCHEMA, rows())
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@slow
def test_process_killed_while_writing_leaves_no_file_under_the_name(path):
    script = """
        import os, signal, sys
        from pathlib import Path
        from orrery.problems.schemas import SOLUTIONS
        from orrery.store import shards
        from tests.store import samples
        schema = SOLUTIONS
        def rows():
            yield from (samples.row(schema) for _ in range(2500))
            os.kill(os.getpid(), signal.SIGKILL)
        shards.write(Path(sys.argv[1]), schema, rows())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script), str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not path.exists()
    assert list(path.parent.iterdir()), "the test must die in the middle of a file"
    assert shards.write(path, SCHEMA, [samples.row(SCHEMA)]) == 1
    assert path.name in contents.file_hashes(path.parent)


def test_folder_takes_the_place_of_a_folder(tmp_path):
    for text in ("old", "new"):
        with files.replacing(tmp_path / "part") as temporary:
            temporary.mkdir()
            (temporary / "file").write_text(text)
    assert (tmp_path / "part" / "file").read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["part"]


def test_a_file_takes_the_place_of_no_folder(tmp_path):
    """A user who names a folder where a file is written keeps all that is in it."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("dear")
    with pytest.raises(OrreryError, match="is a folder"), files.replacing(tmp_path / "folder") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "folder" / "file").read_text() == "dear"
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (1, [1]), (5, [5]), (6, [5, 1]), (11, [5, 5, 1])])
def test_shards_are_numbered_and_hold_at_most_what_was_asked(tmp_path, count, sizes):
    schema = PROBLEMS
    samples.write_shards(
        tmp_path, schema, "test", samples.rows(schema, "test", "ferry", 20), rows_per_shard=2
    )
    rows = samples.rows(schema, "test", "ferry", count)
    written = samples.write_shards(tmp_path, schema, "test", iter(rows), rows_per_shard=5)
    assert [pq.read_metadata(path).num_rows for path in written] == sizes
    assert [p.name for p in written] == [f"test-{n:05}-of-{len(sizes):05}.parquet" for n in range(len(sizes))]
    assert (
        sorted((tmp_path / "data" / "problems").iterdir()) == written == shards.shards(tmp_path, "problems")
    )
    assert [row for path in written for row in shards.read_rows(path, schema)] == rows


def test_only_the_three_splits_exist(tmp_path):
    with pytest.raises(OrreryError, match="unknown split 'dev'"):
        samples.write_shards(tmp_path, PROBLEMS, "dev", [])


@slow
def test_test_files_and_no_others_carry_the_canary(tmp_path):
    samples.dataset(tmp_path)
    for path in shards.shards(tmp_path, "problems"):
        assert (kinds.CANARY.encode() in path.read_bytes()) is path.name.startswith("test-")


@slow
def test_rows_are_written_while_they_come(tmp_path):
    """The memory of a writer does not grow with the table: a group is on disk before the next is made."""
    seen = []

    def rows():
        for n in range(5 * shards.ROWS_PER_GROUP):
            seen.append(sum(p.stat().st_size for p in tmp_path.rglob("*") if p.is_file()))
            yield samples.row(SCHEMA, problem_id=f"{n}")

    shards.write(tmp_path / "x.parquet", SCHEMA, rows())
    assert len(set(islice(seen, 0, None, shards.ROWS_PER_GROUP))) >= 4


def test_what_a_dead_process_left_goes_with_the_next_try(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = (f"dataset-{ended.pid}", f"old-dataset-{ended.pid}")
    dead = [tmp_path / f"{files.TEMPORARY}{name}" for name in names]
    others = [tmp_path / f"{files.TEMPORARY}{name}" for name in (f"dataset-{os.getppid()}", "data-x")]
    for folder in (*dead, *others):
        folder.mkdir()
    with files.replacing(tmp_path / "dataset") as temporary:
        temporary.mkdir()
    assert not any(folder.exists() for folder in dead)
    assert all(folder.exists() for folder in others)  # of a process that runs, and of another folder


@slow
@pytest.mark.skipif(sys.platform != "linux", reason="a limit on the size of files stands in for a full disk")
def test_a_file_that_the_disk_does_not_take_is_named(path):
    script = """
        import resource, sys
        from pathlib import Path
        from orrery.problems.schemas import SOLUTIONS
        from orrery.store import shards
        from tests.store import samples
        rows = [samples.row(SOLUTIONS, problem_id=f"{n * 7919 % 99991}") for n in range(3000)]
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        try:
            shards.write(Path(sys.argv[1]), SOLUTIONS, rows)
        except OSError as error:
            print(error.filename)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert run.stdout.strip() == str(path), run.stderr
    assert not path.exists()


def test_files_of_a_folder_are_brought_to_the_disk_once(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(files, "_sync", lambda path: synced.append(path.name))
    with files.replacing(tmp_path / "part") as folder:
        for name in ("a", "b"):
            shards.write(folder / f"{name}.parquet", SCHEMA, [])
    assert sorted(synced) == sorted(["a.parquet", "b.parquet", tmp_path.name])
    assert sorted(path.name for path in (tmp_path / "part").iterdir()) == ["a.parquet", "b.parquet"]
    with pytest.raises(KeyError), files.replacing(tmp_path / "part") as folder:
        shards.write(folder / "c.parquet", SCHEMA, iter([{}["no row"]]))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.parquet", "b.parquet", "part"]


@pytest.mark.parametrize(
    ("place", "command"),
    [
        ("solutions/ferry/solved_states.parquet", "`orrery solve ferry` makes it"),
        ("problems/rover-single/problems.parquet", "`orrery generate rover-single` makes it"),
        ("descriptions/domain_modeling.parquet", "`orrery describe-domains` makes it"),
        ("elsewhere/x.parquet", "run `dvc repro`"),
    ],
)
def test_what_is_not_there_yet_is_said_with_the_command_that_makes_it(tmp_path, place, command):
    with pytest.raises(OrreryError, match=f"no such file .*{command}"):
        shards.count(tmp_path / "outputs" / place)
