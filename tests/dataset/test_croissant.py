"""The description in Croissant: files and columns as they are; mlcroissant finds no fault."""

import hashlib
import json
import venv
from pathlib import Path

import pytest

from orrery.dataset.card import CROISSANT
from orrery.store import kinds, shards
from tests.tables import PUBLISHED
from tests.training.test_real_packages import KEPT, SCRIPTS, installed, run


@pytest.fixture
def described(dataset):
    return json.loads((dataset / CROISSANT).read_text())


def test_every_file_of_a_table_is_listed_with_its_hash(dataset, described):
    files = [part for part in described["distribution"] if part["@type"] == "cr:FileObject"]
    listed = {file["contentUrl"]: file["sha256"] for file in files}
    assert listed == {
        path.relative_to(dataset).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in dataset.rglob("*.parquet")
    }


def test_every_table_is_a_record_set_with_its_split_and_its_columns_described(described):
    sets = {records["name"]: records["field"] for records in described["recordSet"]}
    assert sets.keys() == {"splits", *PUBLISHED}
    for name, schema in PUBLISHED.items():
        split, *fields = sets[name]
        assert (split["name"], split["references"]) == ("split", {"field": {"@id": "splits/name"}})
        meanings = {field["name"]: field["description"] for field in fields}
        assert meanings == {field.name: kinds.description(field) for field in schema}
        assert len(fields) == len(meanings)


def test_it_states_its_versions_and_how_the_data_came_about(described):
    assert described["conformsTo"] == [
        "http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0",
    ]  # fmt: skip
    told = {name.removeprefix("rai:") for name in described if name.startswith("rai:")}
    assert told >= {
        "dataCollection", "dataLimitations", "dataBiases", "dataUseCases", "personalSensitiveInformation",
        "dataReleaseMaintenancePlan", "dataAnnotationProtocol",
    }  # fmt: skip


def test_a_record_in_a_column_has_fields_of_its_own(described):
    answer = next(
        field
        for records in described["recordSet"]
        if records["name"] == "acp_prog_gen"
        for field in records["field"]
        if field["name"] == "answer"
    )
    assert [(part["name"], part["repeated"]) for part in answer["subField"]] == [("pos", True), ("neg", True)]


def environment(folder) -> Path:
    """The Python of an environment that has mlcroissant."""
    required = SCRIPTS / "croissant.txt"
    home = KEPT / f"croissant-{hashlib.sha256(required.read_bytes()).hexdigest()[:12]}"
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        venv.create(home, with_pip=True, clear=True)
        installed(python, "--requirement", required, cwd=folder)
        (home / "ready").touch()
    return python


@pytest.mark.exhaustive
def test_mlcroissant_reads_every_set(dataset, tmp_path):
    done = run(environment(tmp_path), SCRIPTS / "croissant_records.py", dataset, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["errors"] == []
    assert said["rows"].pop("splits") == {"": len(shards.SPLITS)}
    assert said["rows"] == {
        table: {split: sum(map(shards.count, paths)) for split, paths in by_split.items()}
        for table, by_split in shards.splits(dataset).items()
    }
    assert "(a b)" in said["first"]["acp_prog_gen"]["answer"]
