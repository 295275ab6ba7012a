import os
import signal
import subprocess
import sys

import pytest

from orrery.families.problems.schemas import REJECTS, SOLUTIONS
from orrery.model import OrreryError
from orrery.orphans import mark
from orrery.store.parts import Parts
from tests.store import samples


def test_parts_come_back_whole(tmp_path):
    parts = Parts(tmp_path / "parts", (SOLUTIONS, REJECTS))
    rows = [samples.row(SOLUTIONS, problem_id=str(n)) for n in range(3)]
    assert not parts.has("0000-ab")
    parts.save("0000-ab", {"solutions": rows})
    assert parts.has("0000-ab")
    assert parts.load("0000-ab") == {"solutions": rows, "rejects": []}
    parts.save("0001-cd", {"solutions": rows[:1]})
    found = parts.tables(["0001-cd", "0000-ab"], "solutions")
    assert [table.to_pylist() for table in found] == [rows[:1], rows]
    assert [table.num_rows for table in parts.tables(["0000-ab"], "rejects")] == [0]


def test_a_part_made_elsewhere_is_the_same_file(tmp_path):
    here, there = (Parts(tmp_path / name, (SOLUTIONS, REJECTS)) for name in ("here", "there"))
    rows = [samples.row(SOLUTIONS, problem_id=str(n)) for n in range(3)]
    here.save("0000-ab", {"solutions": rows})
    there.put("0000-ab", Parts(tmp_path / "nowhere", here.schemas).packed({"solutions": rows}))
    assert there.has("0000-ab")
    assert not (tmp_path / "nowhere").exists()
    here_file, there_file = (tmp_path / name / "0000-ab.part" for name in ("here", "there"))
    assert here_file.read_bytes() == there_file.read_bytes()
    with pytest.raises(ValueError, match="other"):
        here.packed({"other": []})


def test_parts_of_other_fingerprints_are_stale(tmp_path):
    old = Parts.under(tmp_path / "solve" / "ferry", "aa", (SOLUTIONS,))
    old.save("0000", {})
    assert Parts.under(tmp_path / "solve" / "ferry", "aa", (SOLUTIONS,)).has("0000")
    new = Parts.under(tmp_path / "solve" / "ferry", "bb", (SOLUTIONS,))
    assert not new.has("0000")
    assert not old.has("0000")
    new.save("0000", {})
    new.discard()
    assert not new.has("0000")
    new.discard()


def test_names_and_tables_are_checked(tmp_path):
    parts = Parts(tmp_path, (SOLUTIONS,))
    with pytest.raises(ValueError, match="not a name"):
        parts.has("../other")
    with pytest.raises(ValueError, match="rejects"):
        parts.save("x", {"rejects": []})
    assert not parts.has("x")


def test_discarded_parts_leave_no_empty_folder_behind(tmp_path):
    work = tmp_path / "outputs" / ".unfinished"
    one, other = (Parts.under(work / "solve" / name, "f", ()) for name in ("ferry", "swap"))
    for parts in (one, other):
        parts.folder.mkdir(parents=True)
    (tmp_path / "outputs" / "README.md").write_text("")
    one.discard()
    assert other.folder.is_dir()
    other.discard()
    assert [path.name for path in (tmp_path / "outputs").iterdir()] == ["README.md"]


def test_a_part_that_is_cut_short_or_damaged_anywhere_is_not_finished(tmp_path):
    parts = Parts(tmp_path, (SOLUTIONS, REJECTS))
    rows = [samples.row(SOLUTIONS, problem_id=str(n)) for n in range(3)]
    parts.save("one", {"solutions": rows})
    path = tmp_path / "one.part"
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at])
        assert not parts.has("one")
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert not parts.has("one")
    path.write_bytes(whole[:-1])
    with pytest.raises(OrreryError, match=r"one.part: .*damaged"):
        list(parts.tables(["one"], "rejects"))
    path.unlink()
    with pytest.raises(OrreryError, match="gone"):
        list(parts.tables(["one"], "solutions"))
    parts.save("one", {"solutions": rows})
    assert parts.load("one") == {"solutions": rows, "rejects": []}


def test_a_part_with_other_tables_is_not_finished(tmp_path):
    Parts(tmp_path, (SOLUTIONS,)).save("one", {})
    assert not Parts(tmp_path, (SOLUTIONS, REJECTS)).has("one")


def test_large_parts_are_smaller_than_their_rows_and_columns_are_read_alone(tmp_path):
    parts = Parts(tmp_path, (REJECTS,))
    rows = [samples.row(REJECTS, item=str(n), detail="the same " * 20) for n in range(2000)]
    parts.save("one", {"rejects": rows})
    assert (tmp_path / "one.part").stat().st_size < 2000 * 100
    (found,) = parts.tables(["one"], "rejects", ["item"])
    assert found.column_names == ["item"]
    assert found.column("item").to_pylist() == [str(n) for n in range(2000)]


KILLED = """
import os, signal, sys
from orrery.store import shards
def removing(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
shards.shutil.rmtree = removing
from orrery.store.parts import Parts
Parts(shards.Path(sys.argv[1]), ()).discard()
"""


def test_a_kill_while_parts_are_discarded_leaves_none_of_them(tmp_path):
    """The same stage under the same fingerprint then starts afresh, and sweeps up what is left."""
    parts = Parts.under(tmp_path, "same", (SOLUTIONS,))
    for name in ("one", "two"):
        parts.save(name, {})
    run = subprocess.run([sys.executable, "-c", KILLED, str(parts.folder)], timeout=60)
    assert run.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) != []
    again = Parts.under(tmp_path, "same", (SOLUTIONS,))
    assert not again.has("one")
    assert list(tmp_path.iterdir()) == []


def test_what_a_living_process_removes_is_left_to_it(tmp_path):
    going = tmp_path / f".unfinished-gone-x-{mark().partition('.')[0]}.{os.getppid()}"
    going.mkdir()
    Parts.under(tmp_path, "same", (SOLUTIONS,))
    assert going.exists()
