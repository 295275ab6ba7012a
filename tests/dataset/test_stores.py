"""Datasets in stores: a fake of S3 on this machine, and stores of fsspec that are folders or memory."""

from __future__ import annotations

import hashlib
import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from fsspec.implementations.dirfs import DirFileSystem

from orrery import load
from orrery.dataset import contents
from orrery.dataset.card import write_card
from orrery.dataset.stores import NOTE, StoreError, fetched, is_address, plain_url, publish_store
from orrery.library.loading import manifest_of
from orrery.model import OrreryError, ToolMissing, UsageError
from orrery.stages import query
from tests.dataset.conftest import ABOUT, TEMPLATES, make, passed, published
from tests.dataset.fake_s3 import fake_s3

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("s3fs") is None, reason="s3fs is not installed"),
]
ADDRESS = "s3://bucket/sets/one"


@pytest.fixture
def dataset(pattern, tmp_path):
    """Two tables are enough, and fewer files."""
    folder = shutil.copytree(pattern, tmp_path / "outputs" / "dataset")
    return few(folder)


def few(folder):
    for table in (folder / "data").iterdir():
        if table.name not in ("acp_app_gen", "text_to_pddl"):
            shutil.rmtree(table)
    write_card(folder, ABOUT, templates=TEMPLATES, seed=7, size="smallest")
    return folder


@pytest.fixture
def s3(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    import s3fs

    with fake_s3() as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
        s3fs.S3FileSystem.clear_instance_cache()
        yield server
        s3fs.S3FileSystem.clear_instance_cache()


def stored(server):
    """The hashes of what is in the store, by name."""
    prefix = "sets/one/"
    return {
        key.removeprefix(prefix): hashlib.sha256(body).hexdigest()
        for key, body in server.objects.items()
        if key.startswith(prefix)
    }


def test_the_store_holds_the_bytes_and_the_manifest_came_last(dataset, report, s3):
    assert publish_store(dataset, report, ADDRESS) == len(contents.file_hashes(dataset))
    assert stored(s3) == published(dataset)
    assert s3.put[-1] == "sets/one/manifest.json"
    s3.put.clear()
    assert publish_store(dataset, report, ADDRESS + "/") == 0
    assert s3.put == []


def test_what_was_interrupted_goes_on_and_no_reader_sees_it(dataset, report, s3):
    s3.allow = 6
    with pytest.raises(
        StoreError, match=r"store s3://bucket/sets/one: .*repeat the command to continue"
    ) as error:
        publish_store(dataset, report, ADDRESS)
    assert error.value.code == 6
    sent = [key for key in s3.put if not key.endswith(NOTE)]
    assert sent
    with pytest.raises(StoreError, match="no finished dataset"):
        fetched(ADDRESS, ["*"])
    s3.allow = None
    s3.put.clear()
    publish_store(dataset, report, ADDRESS)
    assert not set(s3.put) & set(sent[:-1]), "what was sent and noted is not sent again"
    assert stored(s3) == published(dataset)


def test_a_newer_version_takes_the_place_of_an_older_one(dataset, report, s3, tmp_path):
    publish_store(dataset, report, ADDRESS)
    newer = few(make(tmp_path / "newer" / "dataset", train=1, test=2))
    passed(newer, tmp_path / "newer" / "report")
    s3.put.clear()
    publish_store(newer, tmp_path / "newer" / "report", ADDRESS)
    assert stored(s3) == published(newer)
    same = set(published(newer).items()) & set(published(dataset).items())
    assert same
    assert not {f"sets/one/{name}" for name, _ in same} & set(s3.put), "what stayed the same is not sent"


@pytest.mark.parametrize("there", ["thesis.tex", "manifest.json"])
def test_what_is_not_ours_is_never_replaced(dataset, report, s3, there):
    s3.objects[f"sets/one/{there}"] = b"{}"
    with pytest.raises(UsageError, match="contains other files"):
        publish_store(dataset, report, ADDRESS)
    assert list(s3.objects) == [f"sets/one/{there}"]


def test_load_and_query_fetch_what_they_need_and_no_more(dataset, report, s3):
    publish_store(dataset, report, ADDRESS)
    here, there = load(dataset, "acp_app_gen"), load(ADDRESS, "acp_app_gen")
    assert [item.row for item in there] == [item.row for item in here]
    assert manifest_of(ADDRESS) == contents.read_manifest(dataset)
    folder = fetched(ADDRESS, [])
    assert {path.name for path in (folder / "data").iterdir()} == {"acp_app_gen"}
    sql = "SELECT count(*) AS n, split FROM text_to_pddl GROUP BY split ORDER BY split"
    assert query.run(ADDRESS, dataset / "evals", sql) == query.run(dataset, dataset / "evals", sql)
    assert {path.name for path in (folder / "data").iterdir()} == {"acp_app_gen", "text_to_pddl"}


def test_a_file_that_was_changed_in_the_store_is_named(dataset, report, s3):
    publish_store(dataset, report, ADDRESS)
    key = next(key for key in s3.objects if "data/acp_app_gen/test" in key)
    s3.objects[key] = s3.objects[key][:-1] + b"?"
    with pytest.raises(OrreryError, match=rf"s3://{key.replace('sets', 'bucket/sets', 1)}: is not the file"):
        load(ADDRESS, "acp_app_gen")


@pytest.fixture
def folder(dataset, report, tmp_path, monkeypatch):
    """A store that is a folder of this machine, with a dataset in it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    publish_store(dataset, report, f"file://{tmp_path}/there")
    return tmp_path / "there"


def rewritten(folder, change):
    """Change the manifest in a store, of which anybody may be the author."""
    path = folder / contents.MANIFEST
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))
    return f"file://{folder}"


@pytest.mark.parametrize(
    "name", ["../../../../evil", "{}/evil", "data/../../evil", "data/acp_app_gen/../../../evil", "..\\evil",
             "data/..\\evil", "C:evil", "data//evil", "./evil", "data/", "", "data/\0evil"],
)  # fmt: skip
def test_a_manifest_that_names_files_elsewhere_is_refused(folder, tmp_path, monkeypatch, name):
    name, content = name.format(tmp_path), b"evil"

    def change(manifest):
        manifest["files"][name] = hashlib.sha256(content).hexdigest()
        manifest["content_hash"] = contents.hash_of(manifest["files"])

    address = rewritten(folder, change)
    manifest = (folder / contents.MANIFEST).read_bytes()

    def get_file(_, remote, local, **_options):  # a store that has a file of every name
        Path(local).write_bytes(manifest if "json" in remote else content)

    monkeypatch.setattr(DirFileSystem, "get_file", get_file)
    there = set(tmp_path.rglob("*"))
    with pytest.raises(OrreryError, match=r"there/manifest.json: names a file outside the dataset") as error:
        fetched(address, [name])
    assert error.value.code == 3
    assert set(tmp_path.rglob("*")) == there


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest.update(content_hash="/tmp/evil"),
        lambda manifest: manifest.update(content_hash="../evil"),
        lambda manifest: manifest.update(content_hash="0" * 64),
        lambda manifest: manifest.update(content_hash=None),
        lambda manifest: manifest.pop("content_hash"),
        lambda manifest: manifest["files"].popitem(),
        lambda manifest: manifest.pop("files"),
        lambda manifest: manifest.update(files=[*manifest["files"]]),
    ],
)
def test_a_content_hash_that_is_not_that_of_the_files_is_refused(folder, tmp_path, change):
    """So no dataset is taken for another one in the cache."""
    with pytest.raises(OrreryError, match=r"there/manifest.json: has another content hash"):
        fetched(rewritten(folder, change), ["*"])
    assert not (tmp_path / "cache").exists()


def test_what_an_earlier_version_had_more_of_goes_and_what_others_put_there_stays(folder, dataset, report):
    address, others = f"file://{folder}", ["own.txt", "evals/run/scores.parquet"]
    old = ["grading/kinds/gone.py", "prompts/gone.txt", "extra/gone.svg", "data/gone/test-0.parquet"]
    for name in (*old, *others):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("old")
    rewritten(folder, lambda manifest: manifest["files"].update(dict.fromkeys(old, "0" * 64)))
    publish_store(dataset, report, address)
    found = contents.file_hashes(folder)
    assert {name: found.pop(name) for name in others}.keys() == set(others)
    assert found == published(dataset)
    (folder / "grading" / "kinds" / "left.py").write_text("an earlier version of ours left it")
    assert publish_store(dataset, report, address) == 1
    assert "grading/kinds/left.py" not in contents.file_hashes(folder)
    assert publish_store(dataset, report, address) == 0


def test_an_interrupted_publication_remembers_the_folders_of_the_version_before(folder, dataset, report):
    address = f"file://{folder}"
    (folder / "extra").mkdir()
    (folder / "extra" / "gone.svg").write_text("old")
    rewritten(folder, lambda manifest: manifest["files"].update({"extra/gone.svg": "0" * 64}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DirFileSystem, "put_file", stopped)
        with pytest.raises(OrreryError, match="on its way"):
            publish_store(dataset, report, address)
    assert not (folder / contents.MANIFEST).exists()
    publish_store(dataset, report, address)
    assert contents.file_hashes(folder) == published(dataset)


def stopped(_files, _local, name, **_options):
    raise OSError(f"{name} stopped on its way")


def test_a_store_out_of_reach_is_named_without_its_password(dataset, report, s3, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(StoreError) as error:
        publish_store(dataset, report, "s3://me:word@bucket/x?token=word")
    assert "word" not in str(error.value)


def test_an_unknown_kind_of_store_is_a_missing_tool(dataset, report):
    with pytest.raises((ToolMissing, StoreError), match="store nowhere://x"):
        publish_store(dataset, report, "nowhere://x")


@pytest.mark.parametrize("kind", ["file", "memory"])
def test_other_stores_of_fsspec_do_as_well(dataset, report, tmp_path, kind, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    address = f"{kind}://{tmp_path}/there"
    publish_store(dataset, report, address)
    folder = fetched(address, ["*"])
    found = contents.file_hashes(folder)
    assert found == {name: found[name] for name in published(dataset) if name != contents.CARD}
    assert len(load(address, "acp_app_gen")) == len(load(dataset, "acp_app_gen"))


@pytest.mark.parametrize(
    ("text", "address"),
    [("s3://x/y", True), ("file:///x", True), ("owner/name", False), ("C:\\x", False), ("a/b://c", False)],
)
def test_addresses_are_told_from_folders(text, address):
    assert is_address(text) is address


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://127.0.0.1:8765/v1", "http://127.0.0.1:8765/v1"),
        ("https://user:password@host.example:8080/v1?api-key=secret#part", "https://host.example:8080/v1"),
        ("https://key@host/v1", "https://host/v1"),
    ],
)
def test_urls_lose_what_may_be_secret(url, plain):
    assert plain_url(url) == plain
