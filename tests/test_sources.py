"""What travels to workers that share no storage: what people wrote of a checkout, and nothing else."""

import io
import pickle
from pathlib import Path

import pytest

from orrery.engine.batches import pickled
from orrery.engine.mapping import map_items
from orrery.engine.sources import NAMES, Sources
from tests.checkout import checkout, contents


@pytest.fixture
def root(tmp_path):
    root = checkout(tmp_path, ["ferry"])
    (root / "outputs" / "problems").mkdir(parents=True)
    (root / "outputs" / "problems" / "large.parquet").write_bytes(b"rows")
    (root / "generators" / "__pycache__").mkdir()
    (root / "generators" / "__pycache__" / "ferry.pyc").write_bytes(b"code")
    return root


def test_what_people_wrote_arrives_and_nothing_else(root, tmp_path):
    found = Sources.of(root)
    found.unpack(tmp_path / "worker" / found.digest)
    found.unpack(tmp_path / "worker" / found.digest)  # a second time, nothing happens
    there = contents(tmp_path / "worker" / found.digest)
    wanted = {name: data for name, data in contents(root).items() if name.startswith(NAMES)}
    assert there == {name: data for name, data in wanted.items() if "__pycache__" not in name}
    assert [each.name for each in (tmp_path / "worker").iterdir()] == [found.digest]


def test_the_hash_is_that_of_the_files_wherever_they_lie(root, tmp_path):
    before = Sources.of(root)
    moved = root.rename(tmp_path / "elsewhere")
    assert Sources.of(moved) == before
    (moved / "params.yaml").write_text((moved / "params.yaml").read_text() + "\n")
    assert Sources.of(moved).digest != before.digest
    assert Sources.of(moved / "domains") is None


def folder_of(name):
    return Path("/there") / name


def test_the_path_of_a_checkout_is_sent_as_what_finds_it_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    value = {"root": tmp_path / "here", "file": Path("rows.parquet"), "other": tmp_path / "x"}
    sent = pickled(value, lambda path: (folder_of, ("here",)) if path.name == "here" else None)
    assert pickle.load(io.BytesIO(sent)) == {
        "root": Path("/there/here"),
        "file": tmp_path / "rows.parquet",
        "other": tmp_path / "x",
    }


def test_what_is_near_is_not_sent_to_a_cluster(monkeypatch):
    monkeypatch.setenv("ORRERY_ENGINE", "dask")
    monkeypatch.setenv("ORRERY_ADDRESS", "tcp://127.0.0.1:9")  # nobody is there
    assert list(map_items([1, 2, 3], str, near=True)) == ["1", "2", "3"]
