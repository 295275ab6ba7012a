"""The description in Croissant: files and columns as they are; mlcroissant finds no fault."""

import hashlib
import json
import venv
from pathlib import Path

import pytest

from orrery.dataset.croissant import FILE
from orrery.store import kinds, shards
from tests.tables import PUBLISHED
from tests.training.test_real_packages import KEPT, SCRIPTS, installed, run


@pytest.fixture
def described(dataset):
    return json.loads((dataset / FILE).read_text())


def test_every_file_of_a_table_is_listed_with_its_hash(dataset, described):
    listed = {each["contentUrl"]: each["sha256"] for each in described["distribution"]}
    assert listed == {
        path.relative_to(dataset).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in dataset.rglob("*.parquet")
    }


def test_every_column_is_a_field_of_every_set_and_told_once(described):
    told = {}
    for records in described["recordSet"]:
        table = next(name for name in sorted(PUBLISHED, key=len) if records["name"].startswith(f"{name}_"))
        names = [field["name"] for field in records["field"]]
        assert names in [schema.names for schema in PUBLISHED.values()]
        for field in records["field"]:
            if "description" in field:
                told.setdefault(table, {})[field["name"]] = field["description"]
    for name, schema in PUBLISHED.items():
        assert told[name] == {field.name: kinds.description(field) for field in schema}


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
        if records["name"].startswith("acp_prog_gen_")
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
    assert set(said["first"]) == {
        f"{table}_{split}" + (f"-{number}" if len(paths) > 1 else "")
        for table, by_split in shards.splits(dataset).items()
        for split, paths in by_split.items()
        for number in range(len(paths))
    }
    assert "acp_prog_gen_test-0/answer" not in said["first"]["acp_prog_gen_test-0"]
    assert "(a b)" in said["first"]["acp_prog_gen_test-0"]["answer"]
