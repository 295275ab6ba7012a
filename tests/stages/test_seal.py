"""`orrery seal` and `orrery unseal`: a private twin of a build, and the proof that it is this one."""

import json
import py_compile
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from dvc.repo import Repo

from orrery.config import load
from orrery.dataset import contents
from orrery.dataset.commitment import commit, sealed_seed, write_commitment
from orrery.model import OrreryError, UsageError
from orrery.stages import seal as stage
from tests.checkout import contents as bytes_of
from tests.checkout import must, orrery
from tests.effort import slow
from tests.every_domain import ROOT

KEY = bytes(range(32))


@pytest.fixture(scope="module")
def public(two_domains, tmp_path_factory):
    """A public build that DVC can build again: with the wiring, the code, and all parameters."""
    root = tmp_path_factory.mktemp("public") / "checkout"
    shutil.copytree(two_domains, root)
    for name in ("dvc.yaml", ".dvcignore", "corpus.lock"):
        shutil.copy(ROOT / name, root / name)
    (root / "pipeline").symlink_to(ROOT / "pipeline")
    for name in ("mechanics", "themes"):
        (root / name).mkdir(exist_ok=True)
    params = yaml.safe_load((root / "params.yaml").read_text())
    params |= {
        "sealed": False,
        "version": "",
        "held_out": {"configurations": {}, "domains": []},
        "corpus": {"sources": []},
    }
    params["sizes"]["tiny"]["composed"] = {"domains": 0}
    (root / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    return root


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    path = tmp_path_factory.mktemp("key") / "exam.key"
    path.write_bytes(KEY)
    return path


@pytest.fixture(scope="module")
def sealed(public, key, tmp_path_factory):
    """The folder of a sealed build; not to be changed."""
    into = tmp_path_factory.mktemp("sealed") / "exam"
    before = bytes_of(public / "outputs" / "dataset")
    must(public, "seal", "--key", str(key), "--into", str(into))
    assert bytes_of(public / "outputs" / "dataset") == before
    return into


@pytest.fixture
def exam(sealed, tmp_path):
    """A copy of the sealed dataset."""
    return shutil.copytree(sealed / "outputs" / "published", tmp_path / "exam")


@pytest.fixture
def small(tmp_path):
    """A dataset with one file of code, without tables, and the commitment to it."""
    dataset, commitment = tmp_path / "small", tmp_path / "commitment.json"
    (dataset / "grading").mkdir(parents=True)
    (dataset / "grading" / "row.py").write_text("print('as published')\n")
    (dataset / "README.md").write_text("card")
    contents.write_manifest(dataset, generator="0", version="", data_version="1")
    committed = commit(load(ROOT), dataset, public_seed=1, parameters="", excluded_keys="")
    write_commitment(commitment, committed)
    return dataset, commitment


def refused(commitment, dataset, fault, place):
    """Whether the dataset is refused for a fault at a place."""
    with pytest.raises(OrreryError, match=fault) as error:
        stage.unseal(commitment, dataset)
    return error.value.where == str(place)


def loose_keys(dataset):
    return set(pq.read_table(dataset / "data" / "problems").column("loose_key").to_pylist())


@slow
def test_a_sealed_build_has_no_problem_of_the_public_one(public, sealed):
    ours, theirs = loose_keys(sealed / "outputs" / "published"), loose_keys(public / "outputs" / "dataset")
    assert len(ours) > 6
    assert not ours & theirs


@slow
def test_no_published_file_contains_the_key_or_the_seed(public, sealed):
    seed = sealed_seed(KEY, load(public).seed)
    assert load(sealed).seed == seed
    secrets = [str(seed).encode(), f"{seed:x}".encode(), seed.to_bytes(32), KEY, KEY.hex().encode()]
    files = bytes_of(sealed / "outputs" / "published") | {"": (sealed / "commitment.json").read_bytes()}
    for name, content in files.items():
        if name.endswith(".parquet"):  # compressed
            table = pq.read_table(sealed / "outputs" / "published" / name)
            content += repr((table.schema.metadata, table.to_pylist())).encode()
        assert not [secret for secret in secrets if secret in content], name
    manifest = contents.read_manifest(sealed / "outputs" / "published")
    assert "seed" not in manifest
    assert manifest["seed_commitment"] == json.loads(files[""])["seed"]
    assert manifest["seed_commitment"] in files["README.md"].decode()


@pytest.mark.exhaustive  # a second build
def test_the_same_key_gives_the_same_commitment(public, key, sealed, tmp_path):
    must(public, "seal", "--key", str(key), "--into", str(tmp_path / "again"))
    assert (tmp_path / "again" / "commitment.json").read_bytes() == (sealed / "commitment.json").read_bytes()


@slow
def test_the_dataset_is_verified_with_and_without_the_key(sealed, exam, key):
    committed = stage.unseal(sealed / "commitment.json", exam)
    assert committed == stage.unseal(sealed / "commitment.json", exam, key)
    assert committed.size == "tiny"


@slow
def test_a_changed_byte_of_any_file_is_named(sealed, exam):
    files = sorted(path for path in exam.rglob("*") if path.is_file())
    assert {path.name for path in files} >= {"manifest.json", "README.md", "croissant.json"}
    for path in files:
        content = path.read_bytes()
        path.write_bytes(bytes([content[0] ^ 1]) + content[1:] if content else b" ")
        assert refused(sealed / "commitment.json", exam, "was changed", path)
        path.write_bytes(content)
    stage.unseal(sealed / "commitment.json", exam)


@pytest.mark.parametrize("name", ["README.md", "manifest.json", "grading/row.py"])
def test_a_missing_file_is_named(small, name):
    dataset, commitment = small
    (dataset / name).unlink()
    assert refused(commitment, dataset, "is missing", dataset / name)


@pytest.mark.parametrize(
    "name",
    [
        "data/more.parquet",
        "data/problems.unfinished-/x.parquet",
        ".unfinished-x",
        "data/.gitattributes",
        ".cache/x",
        "x__pycache__/x",
    ],
)
def test_an_additional_file_is_named(small, name):
    dataset, commitment = small
    (dataset / name).parent.mkdir(parents=True, exist_ok=True)
    (dataset / name).write_bytes(b"")
    assert refused(commitment, dataset, "is not in the manifest", dataset / name)


@pytest.mark.parametrize("name", ["data", "grading/row.py", ".cache", "README.md", "missing"])
def test_a_symbolic_link_is_refused(small, tmp_path, name):
    dataset, commitment = small
    target = tmp_path / "elsewhere"
    if (dataset / name).exists():
        (dataset / name).rename(target)
    elif name != "missing":
        (target / "huggingface").mkdir(parents=True)
    (dataset / name).symlink_to(target)
    assert refused(commitment, dataset, "is a symbolic link", dataset / name)


def test_a_dataset_with_a_new_manifest_is_refused(small):
    """The manifest fits the files again, but not the commitment."""
    dataset, commitment = small
    (dataset / "CHANGELOG.md").write_text("")
    contents.write_manifest(dataset, generator="0", version="", data_version="1")
    assert refused(commitment, dataset, "was changed", dataset / "manifest.json")


def test_another_key_is_refused(small, tmp_path):
    other = tmp_path / "other.key"
    other.write_bytes(KEY + b"\n")
    with pytest.raises(OrreryError, match="is not the key of this commitment"):
        stage.unseal(small[1], small[0], other)


def test_compiled_code_is_refused(small, tmp_path):
    """Python executes it, although the source is unchanged."""
    dataset, commitment = small
    (tmp_path / "other.py").write_text("print('as changed')\n")
    cache = dataset / "grading" / "__pycache__"
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    compiled = cache / f"row.{sys.implementation.cache_tag}.pyc"
    py_compile.compile(str(tmp_path / "other.py"), str(compiled), invalidation_mode=mode)
    printed = subprocess.check_output([sys.executable, "-c", "import grading.row"], cwd=dataset, text=True)
    assert printed == "as changed\n"
    with pytest.raises(OrreryError) as error:
        stage.unseal(commitment, dataset)
    assert (error.value.where, error.value.mend) == (str(cache), "delete it")


def test_files_of_the_hub_are_ignored(small):
    dataset, commitment = small
    records = dataset / ".cache" / "huggingface" / "download"
    records.mkdir(parents=True)
    for path in (dataset / ".gitattributes", records.parent / ".gitignore", records / "README.md.metadata"):
        path.write_text("*")
    assert stage.unseal(commitment, dataset).data_version == "1"


@slow
def test_a_folder_with_other_content_is_refused(public, key, sealed, tmp_path):
    before = (public / "params.yaml").read_bytes()
    other = tmp_path / "other.key"
    other.write_bytes(KEY[::-1])
    with pytest.raises(UsageError, match="contains other files"):
        stage.seal(load(public), key, public)
    with pytest.raises(UsageError, match="with another key"):
        stage.seal(load(public), other, sealed)
    with pytest.raises(UsageError, match="is sealed itself"):
        stage.seal(load(sealed), key, tmp_path / "twice")
    assert (public / "params.yaml").read_bytes() == before


@slow
def test_a_build_to_keep_apart_from_must_exist(public, key, tmp_path):
    with pytest.raises(OrreryError, match="is not a dataset"):
        stage.seal(load(public), key, tmp_path / "exam", [tmp_path])
    assert not (tmp_path / "exam").exists()


def test_a_build_to_keep_apart_from_must_have_problems(small):
    with pytest.raises(OrreryError, match="no table `problems`") as error:
        stage.excluded_keys(load(ROOT), [small[0]])
    assert error.value.where == str(small[0])


@slow
def test_the_number_of_excluded_problems_and_both_sizes_are_printed(public, capsys):
    dataset = public / "outputs" / "dataset"
    lines = stage.excluded_keys(replace(load(public), size_name="other"), [dataset])
    first, second = capsys.readouterr().out.splitlines()
    assert f" {len(''.join(lines.values()).splitlines())} problems of {dataset}, of size tiny" in first
    assert second.endswith("size other")


@slow
def test_a_finished_seal_is_never_changed(public, key, sealed, tmp_path):
    before = bytes_of(sealed)
    assert stage.seal(load(public), key, sealed) == sealed / "commitment.json"
    with pytest.raises(UsageError, match="other excluded_keys"):
        stage.seal(load(public), key, sealed, [sealed / "outputs" / "published"])
    other = shutil.copytree(public, tmp_path / "other", symlinks=True)
    params = (other / "params.yaml").read_text()
    (other / "params.yaml").write_text(params.replace("max_states: 20000", "max_states: 20001"))
    with pytest.raises(UsageError, match="other parameters"):
        stage.seal(load(other), key, sealed)
    assert bytes_of(sealed) == before


@slow
def test_others_cannot_read_the_folder_and_the_cache_is_in_it(tmp_path, monkeypatch):
    into, user = tmp_path / "exam", tmp_path / "user"
    into.mkdir(mode=0o755)
    user.mkdir()
    (user / "config").write_text(f"[cache]\n    dir = {tmp_path / 'shared'}\n")
    monkeypatch.setenv("DVC_GLOBAL_CONFIG_DIR", str(user))
    stage.prepare(load(ROOT), 1, into, {})
    assert into.stat().st_mode & 0o777 == 0o700
    assert (into / ".gitignore").read_text() == "*\n"
    with Repo(str(into)) as repo:
        assert Path(repo.cache.local.path).is_relative_to(into)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a commitment"),
        ('{"format": "orrery-seal/9"}', "of format orrery-seal/9, and this version reads orrery-seal/1"),
        ('{"format": "orrery-seal/1"}', "does not have the values"),
        (None, "cannot be read"),
    ],
)
def test_an_unreadable_commitment_is_one_error(tmp_path, content, problem):
    path = tmp_path / "commitment.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(OrreryError, match=problem) as error:
        stage.unseal(path, tmp_path)
    assert error.value.where == str(path)


@pytest.mark.parametrize("content", [None, b"", bytes(31)])
def test_a_missing_or_short_key_is_one_error(tmp_path, content):
    shutil.copy(ROOT / "params.yaml", tmp_path / "params.yaml")
    path = tmp_path / "exam.key"
    if content is not None:
        path.write_bytes(content)
    result = orrery(tmp_path, "seal", "--key", str(path), "--into", str(tmp_path / "exam"))
    assert result.exit_code == OrreryError.code
    assert result.stderr.startswith(f"error: {path}: ")
    assert result.stderr.count("\n") == 1
    assert not Path(tmp_path / "exam").exists()
