import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from types import SimpleNamespace

import pytest
from huggingface_hub.utils import _http

from orrery.dataset import contents, hub
from orrery.dataset.hub import HubError, publish_hub
from orrery.model import OrreryError, UsageError
from tests.dataset.conftest import make, passed, published
from tests.dataset.mock_hub import TOKEN, Repo, mock_hub

pytestmark = pytest.mark.slow

NAME = "someone/orrery"
TABLES = ("acp_prog_gen", "problems")  # each file is read back, which takes its time


@pytest.fixture
def server(monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_PROGRESS_BARS", True)
    # The client waits longer and longer before it tries again.
    monkeypatch.setattr(_http, "time", SimpleNamespace(**{**vars(time), "sleep": lambda _: None}))
    with mock_hub() as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield running


def version(folder, number, **rows):
    """A validated dataset of this version in ``folder``."""
    dataset = make(folder / "dataset", tables=TABLES, version=number, **rows)
    passed(dataset, folder / "report")
    return dataset


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    return version(tmp_path_factory.mktemp("released"), "1.2.0")


@pytest.fixture
def dataset(released, tmp_path):
    return shutil.copytree(released, tmp_path / "outputs" / "dataset")


def hashes(files):
    import hashlib

    return {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}


def test_everything_arrives_in_one_commit(dataset, report, server):
    done = publish_hub(dataset, report, NAME, private=True)
    assert done.address == f"{server.url}/datasets/{NAME}"
    assert done.read_back == len(done.sent) == len(contents.file_hashes(dataset))
    assert (done.kept, done.removed) == (0, ())
    repo = server.repos[NAME]
    assert repo.private
    assert len(repo.commits) == 1
    assert contents.content_hash(dataset)[:12] in repo.commits[0]
    assert hashes(repo.main) == published(dataset)


def test_newer_version_replaces_the_older_without_leaving_shards(dataset, report, server, tmp_path):
    publish_hub(dataset, report, NAME)
    newer = version(tmp_path / "newer", "9.0.0", train=1, test=2)
    done = publish_hub(newer, tmp_path / "newer" / "report", NAME)
    assert done.removed
    assert hashes(server.repos[NAME].main) == published(newer)
    assert len(server.repos[NAME].commits) == 2


def test_load_dataset_reads_back_what_was_published(dataset, report, server, tmp_path):
    publish_hub(dataset, report, NAME)
    script = """
        import json, sys
        from datasets import load_dataset
        loaded = load_dataset(sys.argv[1], "acp_prog_gen")
        print(json.dumps({split: rows.to_list() for split, rows in loaded.items()}))
    """
    environment = os.environ | {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_DISABLE_XET": "1"}
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), NAME], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    loaded = json.loads(run.stdout)
    assert {split: len(rows) for split, rows in loaded.items()} == {"train": 8, "validation": 4, "test": 6}
    assert loaded["test"][0]["answer"] == {"pos": ["(a b)"], "neg": ["(a b)"]}


def test_no_token_is_a_usage_error(dataset, report, server, monkeypatch):
    monkeypatch.setattr(hub, "get_token", lambda: None)
    with pytest.raises(UsageError, match=r"no token .*HF_TOKEN"):
        publish_hub(dataset, report, NAME)
    assert server.asked == []


def test_malformed_name_is_a_usage_error(dataset, report, server):
    with pytest.raises(UsageError, match="OWNER/NAME"):
        publish_hub(dataset, report, "a/b/c")


@pytest.mark.parametrize(
    ("name", "token", "broken", "message"),
    [
        (NAME, "hf_wrong", None, "the token has no write permission"),
        ("forbidden/orrery", TOKEN, None, "the token has no write permission"),
        (NAME, TOKEN, 404, "not found"),
        (NAME, TOKEN, 422, "refused with status 422"),
    ],
)
def test_refusals_are_distinguished(dataset, report, server, monkeypatch, name, token, broken, message):
    server.broken = broken
    monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(HubError, match=message) as error:
        publish_hub(dataset, report, name)
    assert error.value.code == 6
    assert error.value.where == f"Hub dataset '{name}' at {server.url}"
    assert token not in str(error.value)


def test_no_connection_is_reported(dataset, report, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with pytest.raises(HubError, match="no connection"):
        publish_hub(dataset, report, NAME)


def test_nothing_is_sent_that_did_not_pass(dataset, report, server):
    passed(dataset, report, verdict=False)
    with pytest.raises(OrreryError, match="did not pass"):
        publish_hub(dataset, report, NAME)
    assert server.asked == []


@pytest.mark.parametrize("secret", ["http://user:pa55word@127.0.0.1:1", "http://127.0.0.1:1/?key=pa55word"])
def test_a_secret_in_the_address_is_refused_and_not_said(dataset, report, monkeypatch, secret):
    monkeypatch.setenv("HF_ENDPOINT", secret)
    with pytest.raises(UsageError, match="contains a secret") as caught:
        publish_hub(dataset, report, NAME)
    assert "pa55word" not in str(caught.value)


def test_the_version_is_a_tag(dataset, report, server):
    assert publish_hub(dataset, report, NAME).tag == "v1.2.0"
    assert hashes(server.repos[NAME].tags["v1.2.0"]) == published(dataset)


def test_a_dry_run_tells_what_would_be_sent_and_changes_nothing(
    dataset, report, server, tmp_path, monkeypatch
):
    plan = publish_hub(dataset, report, NAME, dry_run=True)
    assert (set(plan.sent), plan.kept, plan.read_back) == (set(contents.file_hashes(dataset)), 0, 0)
    assert server.repos == {}
    publish_hub(dataset, report, NAME)
    newer = version(tmp_path / "newer", "1.3.0", train=1, test=2)
    before = dict(server.repos[NAME].main)
    server.asked.clear()
    monkeypatch.setattr(hub, "get_token", lambda: None)  # nothing but reading
    plan = publish_hub(newer, tmp_path / "newer" / "report", NAME, dry_run=True)
    assert {request.split()[0] for request in server.asked} <= {"GET", "HEAD"}
    assert server.repos[NAME].main == before
    assert "manifest.json" in plan.sent
    assert "citations.bib" not in plan.sent
    assert any(name.startswith("data/") for name in plan.removed)


def test_the_same_once_more_sends_nothing(dataset, report, server):
    publish_hub(dataset, report, NAME)
    server.asked.clear()
    done = publish_hub(dataset, report, NAME)
    assert (done.sent, done.removed, done.read_back) == ((), (), done.kept)
    assert len(server.repos[NAME].commits) == 1
    assert not any("commit" in request or "lfs" in request for request in server.asked)


def test_a_version_is_never_given_other_content(dataset, report, server, tmp_path):
    publish_hub(dataset, report, NAME)
    other = version(tmp_path / "other", "1.2.0", train=1, test=2)
    with pytest.raises(
        UsageError, match=r"version 1\.2\.0 already exists there with other content.*new version"
    ):
        publish_hub(other, tmp_path / "other" / "report", NAME)
    newer = version(tmp_path / "newer", "1.3.0", train=1, test=2)
    publish_hub(newer, tmp_path / "newer" / "report", NAME)
    with pytest.raises(UsageError, match=r"version 1\.2\.0 already exists there with other content"):
        publish_hub(other, tmp_path / "other" / "report", NAME)
    assert sorted(server.repos[NAME].tags) == ["v1.2.0", "v1.3.0"]


def test_a_dataset_without_a_version_has_that_of_no_other_and_is_tagged_by_its_content(server, tmp_path):
    """The version of the columns and rules of this code is not the version of a user's dataset."""
    first, second = (version(tmp_path / name, "", train=rows) for name, rows in (("a", 1), ("b", 2)))
    tags = [publish_hub(one, one.parent / "report", NAME).tag for one in (first, second)]
    assert tags == [f"content-{contents.content_hash(one)[:12]}" for one in (first, second)]
    assert sorted(server.repos[NAME].tags) == sorted(set(tags))
    assert hashes(server.repos[NAME].tags[tags[0]]) == published(first)
    about = json.loads((first / "croissant.json").read_text())
    assert "version" not in about
    beginning = (first / "README.md").read_text().partition("\n## ")[0]
    assert contents.read_manifest(first)["data_version"] not in beginning


@pytest.mark.parametrize(
    "files", [{"train.csv": b"a"}, {"manifest.json": b"{}", "x": b"1"}, {"manifest.json": b"x"}]
)
def test_a_repository_that_holds_something_else_is_left_alone(dataset, report, server, files):
    server.repos[NAME] = Repo(False)
    server.repos[NAME].main = dict(files)
    for dry_run in (True, False):
        with pytest.raises(UsageError, match=r"contains other files: \S+, and no manifest\.json of ours"):
            publish_hub(dataset, report, NAME, dry_run=dry_run)
    assert server.repos[NAME].main == files


def test_a_repository_made_by_hand_may_be_filled(dataset, report, server):
    server.repos[NAME] = Repo(False)
    server.repos[NAME].main = {".gitattributes": b"*", "README.md": b"# Soon"}
    publish_hub(dataset, report, NAME)
    assert hashes(server.repos[NAME].main).items() >= published(dataset).items()


CUT = f"POST /api/datasets/{NAME}/commit/main"


def test_a_connection_cut_before_the_commit_is_told_and_the_next_run_goes_on(dataset, report, server):
    server.cut = (CUT, False, False)
    with pytest.raises(
        HubError, match=r"the connection broke during the upload.*no commit was made; repeat the command"
    ):
        publish_hub(dataset, report, NAME)
    assert server.repos[NAME].main == {}
    server.asked.clear()
    publish_hub(dataset, report, NAME)
    assert hashes(server.repos[NAME].main) == published(dataset)
    assert not any(request.startswith("PUT /lfs/") for request in server.asked)  # all of them are there


def test_a_connection_cut_after_the_commit_is_no_failure(dataset, report, server):
    server.cut = (CUT, True, False)
    done = publish_hub(dataset, report, NAME)
    assert done.read_back == len(done.sent)
    assert hashes(server.repos[NAME].tags["v1.2.0"]) == published(dataset)
    assert len(server.repos[NAME].commits) == 1


@pytest.mark.parametrize("after", [True, False])
def test_where_nobody_can_tell_that_is_said(dataset, report, server, after):
    server.cut = (CUT, after, True)
    with pytest.raises(
        HubError, match=r"no longer answers.*it is unknown whether the commit was made; repeat the command"
    ):
        publish_hub(dataset, report, NAME)
    server.cut = None
    publish_hub(dataset, report, NAME)
    assert len(server.repos[NAME].commits) == 1
    assert hashes(server.repos[NAME].main) == published(dataset)


def test_other_bytes_that_come_back_are_named(dataset, report, server):
    server.spoilt = {"citations.bib": b"@misc{other}"}
    with pytest.raises(HubError, match=r"citations\.bib has other bytes in commit"):
        publish_hub(dataset, report, NAME)


def test_somebody_elses_commit_in_between_is_not_overwritten(dataset, report, server, tmp_path, monkeypatch):
    publish_hub(dataset, report, NAME)
    newer = version(tmp_path / "newer", "1.3.0", train=1, test=2)
    commit = hub._Hub.commit

    def late(*arguments):
        server.repos[NAME].commits.append("by somebody else")
        return commit(*arguments)

    monkeypatch.setattr(hub._Hub, "commit", late)
    with pytest.raises(HubError, match="was changed by another user at the same time"):
        publish_hub(newer, tmp_path / "newer" / "report", NAME)
