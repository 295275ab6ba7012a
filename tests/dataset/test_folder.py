import os
import shutil
import subprocess
import sys
from functools import partial

import pytest

from orrery.dataset import contents
from orrery.dataset.folder import publish_folder
from orrery.families.modelling.schemas import DOMAIN_MODELING
from orrery.model import OrreryError, UsageError
from tests.dataset.conftest import make, passed, published
from tests.effort import by_day, slow
from tests.store.samples import write_shards


@slow
def test_copy_is_whole_and_replaces_an_older_one(dataset, report, tmp_path):
    to = tmp_path / "published"
    assert publish_folder(dataset, report, to) == len(contents.file_hashes(dataset))
    assert contents.file_hashes(to) == published(dataset)
    newer = make(tmp_path / "newer" / "dataset", train=1, test=2)
    passed(newer, tmp_path / "newer" / "report")
    publish_folder(newer, tmp_path / "newer" / "report", to)
    assert contents.file_hashes(to) == published(newer)
    assert not list(tmp_path.glob(".unfinished*"))


@slow
def test_what_was_left_by_killed_processes_is_not_published(dataset, report, tmp_path):
    (dataset / "data" / ".unfinished-x").write_text("half")
    publish_folder(dataset, report, tmp_path / "published")
    assert not list((tmp_path / "published").rglob(".unfinished*"))


@slow
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


@slow
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


@slow
@pytest.mark.parametrize("place", [".", "data", "..", "../.."])
def test_dataset_is_not_published_onto_itself(dataset, report, place):
    before = contents.file_hashes(dataset)
    with pytest.raises(UsageError, match="overlaps"):
        publish_folder(dataset, report, dataset / place)
    assert contents.file_hashes(dataset) == before


def test_copy_that_differs_is_not_published(dataset, report, tmp_path, monkeypatch):
    def careless(source, target):
        target.write_bytes(source.read_bytes()[:-1])

    monkeypatch.setattr(shutil, "copyfile", careless)
    with pytest.raises(OrreryError, match="copy differs"):
        publish_folder(dataset, report, tmp_path / "published")
    assert not (tmp_path / "published").exists()


@slow
def test_disk_that_fails_leaves_what_was_there(dataset, report, tmp_path, monkeypatch):
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


def more_in(path, old="", new="\nMore."):
    text = path.read_text()
    path.write_text(text.replace(old, new) if old else text + new)
    assert path.read_text() != text


REFUSED = {
    **{
        f"verdict {verdict!r}": (partial(passed, verdict=verdict), "did not pass validation")
        for verdict in (False, "yes", 1, None)
    },
    "no verdict": (lambda _, report: (report / "validation.json").unlink(), "has not been validated"),
    "broken verdict": (lambda _, report: (report / "validation.json").write_text("{"), "validation.json"),
    "empty verdict": (lambda _, report: (report / "validation.json").write_text("[]"), "validation.json"),
    "other rows": (
        lambda dataset, _: make(dataset, tables=("problems",), train=1),
        "has changed since validation",
    ),
    "other card": (lambda dataset, _: more_in(dataset / "README.md"), "has changed since the dataset was"),
    "other manifest": (
        lambda dataset, _: more_in(dataset / "manifest.json", '"format"', '"licence": "MIT",\n "format"'),
        "has changed since the dataset was validated",
    ),
    "another file": (lambda dataset, _: (dataset / "more.txt").write_text("more"), "more.txt"),
    "a damaged shard": (
        lambda dataset, _: cut_off(next(dataset.rglob("test-*.parquet"))),
        ".parquet: was changed",
    ),
    "no card": (lambda dataset, _: (dataset / "README.md").unlink(), "no card"),
}


def cut_off(path):
    path.write_bytes(path.read_bytes()[:-9])


@by_day(9)
@pytest.mark.parametrize("change", REFUSED)
def test_what_was_not_validated_as_it_is_is_refused(dataset, report, tmp_path, change):
    apply, message = REFUSED[change]
    apply(dataset, report)
    assert message in refused(dataset, report, tmp_path)


@slow
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
