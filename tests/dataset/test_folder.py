import json
import os
import subprocess
import sys

import pytest

from orrery.dataset import contents
from orrery.dataset.folder import publish_folder
from orrery.families.modelling.schemas import DOMAIN_MODELING
from orrery.model import OrreryError, UsageError
from tests.dataset.conftest import make, passed, published
from tests.store.samples import write_shards


@pytest.mark.slow
def test_copy_is_whole_and_replaces_an_older_one(dataset, report, tmp_path):
    to = tmp_path / "published"
    assert publish_folder(dataset, report, to) == len(contents.file_hashes(dataset))
    assert contents.file_hashes(to) == published(dataset)
    newer = make(tmp_path / "newer" / "dataset", train=1, test=2)
    passed(newer, tmp_path / "newer" / "report")
    publish_folder(newer, tmp_path / "newer" / "report", to)
    assert contents.file_hashes(to) == published(newer)
    assert not list(tmp_path.glob(".unfinished*"))


def test_what_was_left_by_killed_processes_is_not_published(dataset, report, tmp_path):
    (dataset / "data" / ".unfinished-x").write_text("half")
    publish_folder(dataset, report, tmp_path / "published")
    assert not list((tmp_path / "published").rglob(".unfinished*"))


def test_what_python_keeps_beside_graders_that_were_imported_is_no_change(dataset, report, tmp_path):
    code = "import sys; sys.dont_write_bytecode = False; import grading; print(len(grading.GRADERS))"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run(
        [sys.executable, "-c", code], cwd=dataset, env=environment, check=True, capture_output=True
    )
    assert list(dataset.rglob("__pycache__"))
    files = publish_folder(dataset, report, tmp_path / "published")
    there = [path for path in (tmp_path / "published").rglob("*") if path.is_file()]
    assert len(there) == files
    assert not list((tmp_path / "published").rglob("__pycache__"))


@pytest.mark.slow
@pytest.mark.parametrize("there", ["file", "folder of someone", "folder of another tool"])
def test_what_is_not_ours_is_never_replaced(dataset, report, tmp_path, there):
    to = tmp_path / "thesis"
    if there == "file":
        to.write_text("my thesis")
    else:
        to.mkdir()
        (to / ("manifest.json" if "tool" in there else "thesis.tex")).write_text("{}")
    before = to.read_text() if to.is_file() else contents.file_hashes(to)
    with pytest.raises(UsageError, match="thesis"):
        publish_folder(dataset, report, to)
    assert (to.read_text() if to.is_file() else contents.file_hashes(to)) == before


def test_empty_folder_may_be_filled_and_a_link_is_followed(dataset, report, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    publish_folder(dataset, report, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert contents.file_hashes(tmp_path / "real") == published(dataset)


@pytest.mark.slow
@pytest.mark.parametrize("place", [".", "data", "..", "../.."])
def test_dataset_is_not_published_onto_itself(dataset, report, place):
    before = contents.file_hashes(dataset)
    with pytest.raises(UsageError, match="overlaps"):
        publish_folder(dataset, report, dataset / place)
    assert contents.file_hashes(dataset) == before


def test_copy_that_differs_is_not_published(dataset, report, tmp_path, monkeypatch):
    import shutil

    def careless(source, target):
        target.write_bytes(source.read_bytes()[:-1])

    monkeypatch.setattr(shutil, "copyfile", careless)
    with pytest.raises(OrreryError, match="copy differs"):
        publish_folder(dataset, report, tmp_path / "published")
    assert not (tmp_path / "published").exists()


@pytest.mark.slow
def test_disk_that_fails_leaves_what_was_there(dataset, report, tmp_path, monkeypatch):
    import shutil

    def full(*_):
        raise OSError(28, "No space left on device")

    publish_folder(dataset, report, tmp_path / "published")
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(OrreryError, match=r"published: cannot be written: .*No space.*unchanged"):
        publish_folder(dataset, report, tmp_path / "published")
    assert contents.file_hashes(tmp_path / "published") == published(dataset)


def refused(dataset, report, tmp_path):
    with pytest.raises(OrreryError) as error:
        publish_folder(dataset, report, tmp_path / "published")
    assert not (tmp_path / "published").exists()
    assert error.value.code == 3
    return str(error.value)


def test_dataset_that_failed_is_refused(dataset, report, tmp_path):
    passed(dataset, report, verdict=False)
    assert "did not pass validation" in refused(dataset, report, tmp_path)


@pytest.mark.parametrize("verdict", ["yes", 1, None])
def test_only_a_plain_yes_counts(dataset, report, tmp_path, verdict):
    passed(dataset, report, verdict=verdict)
    assert "did not pass validation" in refused(dataset, report, tmp_path)


def test_dataset_that_was_not_validated_is_refused(dataset, report, tmp_path):
    (report / "validation.json").unlink()
    assert "has not been validated" in refused(dataset, report, tmp_path)
    for text in ("{", "[]"):
        (report / "validation.json").write_text(text)
        assert "validation.json" in refused(dataset, report, tmp_path)


@pytest.mark.slow
def test_dataset_changed_after_validation_is_refused(dataset, report, tmp_path):
    old = json.loads((report / "validation.json").read_text())
    make(dataset, train=1, test=1)
    assert contents.content_hash(dataset) != old["dataset_hash"]
    assert "has changed since validation" in refused(dataset, report, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["README.md", "manifest.json"])
def test_a_card_or_manifest_changed_after_validation_is_refused(dataset, report, tmp_path, name):
    path = dataset / name
    before = path.read_text()
    path.write_text(
        before.replace('"format"', '"licence": "MIT",\n "format"') if "json" in name else before + "\nMore."
    )
    assert path.read_text() != before
    assert "has changed since the dataset was validated" in refused(dataset, report, tmp_path)
    path.write_text(before)
    assert publish_folder(dataset, report, tmp_path / "whole")


def test_a_file_put_beside_after_validation_is_refused(dataset, report, tmp_path):
    (dataset / "more.txt").write_text("more")
    assert "more.txt" in refused(dataset, report, tmp_path)


def test_damaged_or_cardless_dataset_is_refused(dataset, report, tmp_path):
    shard = next(dataset.rglob("test-*.parquet"))
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-9])
    assert f"{shard}: was changed" in refused(dataset, report, tmp_path)
    shard.write_bytes(whole)
    (dataset / "README.md").unlink()
    assert "no card" in refused(dataset, report, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("licence", "goes"), [("MIT", True), ("", False), ("  ", False)])
def test_rows_without_a_licence_are_refused(dataset, report, tmp_path, licence, goes):
    blank = {"string": "text", "int32": 1}
    one = {field.name: blank.get(str(field.type), []) for field in DOMAIN_MODELING}
    rows = [{**one, "id": f"gripper/{n}", "license": licence if n == 1 else "MIT"} for n in range(3)]
    write_shards(dataset, DOMAIN_MODELING, "test", rows)
    contents.write_manifest(dataset)
    passed(dataset, report)
    if goes:
        assert publish_folder(dataset, report, tmp_path / "published")
    else:
        assert "row 'gripper/1' has no licence" in refused(dataset, report, tmp_path)
