"""Parts are whole or absent, are made once, and again when what they were made from has changed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from orrery.model import OrreryError
from orrery.parts import Parts, fingerprint
from orrery.problems.schemas import REJECTS, SOLUTIONS
from orrery.store import shards
from orrery.workers import Workers
from tests import worker_samples as work
from tests.store import samples


def rows(count):
    return [samples.row(SOLUTIONS, problem_id=str(number)) for number in range(count)]


def test_parts_come_back_whole(tmp_path):
    parts = Parts(tmp_path / "parts", (SOLUTIONS, REJECTS), "same")
    assert not parts.part("first").is_made()
    parts.part("first").save({"solutions": rows(3)})
    assert parts.part("first").is_made()
    assert parts.part("first").table("solutions").to_pylist() == rows(3)
    parts.part("second").save({"solutions": shards.read(tmp_path / "parts" / "first" / "solutions.parquet")})
    tables = parts.tables(["second", "first"], "solutions", ["problem_id"])
    assert [table.column_names for table in tables] == [["problem_id"]] * 2
    assert [table.num_rows for table in parts.tables(["first"], "rejects")] == [0]
    with pytest.raises(ValueError, match="other"):
        parts.part("third").save({"other": []})
    assert not parts.part("third").is_made()


@pytest.mark.parametrize(("schemas", "made_from"), [((SOLUTIONS,), "other"), ((SOLUTIONS, REJECTS), "same")])
def test_parts_of_other_fingerprints_or_tables_are_not_used(tmp_path, schemas, made_from):
    Parts(tmp_path, (SOLUTIONS,), "same").part("first").save({})
    assert Parts(tmp_path, (SOLUTIONS,), "same").part("first").is_made()
    assert not Parts(tmp_path, schemas, made_from).part("first").is_made()


@pytest.mark.slow
def test_a_part_that_is_cut_short_or_damaged_anywhere_is_not_made(tmp_path):
    part = Parts(tmp_path, (SOLUTIONS,), "same").part("first")
    part.save({"solutions": rows(3)})
    path = tmp_path / "first" / "solutions.parquet"
    whole = path.read_bytes()
    damaged = 0
    for at in range(0, len(whole), 31):
        path.write_bytes(whole[:at])
        assert not part.is_made()
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        damaged += not part.is_made()
        if part.is_made():  # a byte that no reader looks at
            assert part.table("solutions").to_pylist() == rows(3)
    assert damaged
    path.write_bytes(whole[:-1])
    with pytest.raises(OrreryError, match=r"solutions.parquet: cannot be read: truncated"):
        part.table("solutions")
    path.unlink()
    with pytest.raises(OrreryError, match="no such file"):
        part.table("solutions")


def test_discarded_parts_leave_no_empty_folder_behind(tmp_path):
    folder = tmp_path / "outputs" / ".parts"
    ferry, swap = (Parts(folder / "solve" / name, (REJECTS,), "same") for name in ("ferry", "swap"))
    for parts in (ferry, swap):
        parts.part("first").save({})
    (tmp_path / "outputs" / "README.md").write_text("")
    ferry.discard()
    assert swap.part("first").is_made()
    swap.discard()
    swap.discard()
    assert [path.name for path in (tmp_path / "outputs").iterdir()] == ["README.md"]


def made(folder):
    return (folder / "made").read_text().split() if (folder / "made").exists() else []


def test_parts_are_made_once_and_again_for_other_inputs_or_items(tmp_path):
    one = Workers()
    for count, arguments in ((6, {}), (6, {}), (12, {"size": 2}), (18, {"fingerprint": "other"})):
        work.build(tmp_path, one, **{"count": 6, **arguments})
        assert len(made(tmp_path)) == count


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_a_killed_build_goes_on_and_makes_the_same_bytes(tmp_path, root, jobs):
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    whole.mkdir()
    torn.mkdir()
    work.build(whole, Workers())
    environment = os.environ | {"PYTHONPATH": f"{root / 'pipeline'}{os.pathsep}{root}"}
    command = [sys.executable, "-m", "tests.worker_samples", str(torn), str(jobs)]
    process = subprocess.Popen(command, cwd=root, env=environment)
    end = time.monotonic() + 60
    while len(list(torn.glob("parts/0*"))) < 4:
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    time.sleep(0.5)  # until the workers have noticed
    finished = {path.name[:5] for path in torn.glob("parts/0*")}
    assert 4 <= len(finished) < 14
    assert not (torn / "out.parquet").exists()
    (torn / "made").unlink()
    work.build(torn, Workers(jobs))
    again = {int(number) // 3 for number in made(torn)}
    assert again.isdisjoint(map(int, finished)), "finished parts are not made again"
    assert (torn / "out.parquet").read_bytes() == (whole / "out.parquet").read_bytes()


def test_a_fingerprint_depends_on_contents_names_and_values(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name / "d" / "sub").mkdir(parents=True)
        (tmp_path / name / "d" / "sub" / "f.pddl").write_text("(define)")
    before = fingerprint([tmp_path / "first" / "d"], seed=1, size={"easy": [1, 2]})
    assert before == fingerprint([tmp_path / "second" / "d"], size={"easy": [1, 2]}, seed=1)
    assert before != fingerprint([tmp_path / "first" / "d"], seed=2, size={"easy": [1, 2]})
    (tmp_path / "second" / "d" / "sub" / "f.pddl").write_text("(define )")
    assert before != fingerprint([tmp_path / "second" / "d"], seed=1, size={"easy": [1, 2]})
    (tmp_path / "first" / "d" / "sub" / "f.pddl").rename(tmp_path / "first" / "d" / "f.pddl")
    assert before != fingerprint([tmp_path / "first" / "d"], seed=1, size={"easy": [1, 2]})
